"""The fuzz of arguments and of columns, each in a process of its own: a crash would else take the other tests with it."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("script", ["fuzz_arguments.py --calls 100000", "fuzz_capsules.py --columns 20000"])
def test_hostile_input_never_ends_the_process(script: str) -> None:
    name, *options = script.split()
    command = [sys.executable, "-X", "faulthandler", str(Path(__file__).with_name(name)), *options]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr  # the seed is in the first line
    assert "panicked" not in ran.stderr


def test_the_seed_is_a_number_or_random(monkeypatch: pytest.MonkeyPatch) -> None:
    from seed import read_seed

    monkeypatch.delenv("KEYSTEAD_SEED", raising=False)
    assert read_seed() == 1 and read_seed("7") == 7 and read_seed(str(2**64 - 1)) == 2**64 - 1
    assert len({read_seed("random") for _ in range(4)}) > 1
    monkeypatch.setenv("KEYSTEAD_SEED", "8")
    assert read_seed() == 8
    for bad in ("", "-1", "seven", str(2**64), "1.0"):
        with pytest.raises(ValueError, match="a number below 2\\^64, or the word random"):
            read_seed(bad)
