"""The README's examples are run, and print what they say."""

import re
import subprocess
import sys

import pytest
from conftest import PACKAGE, PROJECT

BLOCKS = re.findall(r"^```python\n(.*?)^```$", (PACKAGE / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_readme(block: str) -> None:
    wanted = re.findall(r"# prints: (.*)$", block, re.MULTILINE)
    ran = subprocess.run([sys.executable, "-P", "-c", block], cwd=PROJECT, capture_output=True, text=True)
    assert (ran.stdout.splitlines(), ran.stderr) == (wanted, "")
    assert wanted


def test_there_are_examples() -> None:
    assert len(BLOCKS) >= 5
