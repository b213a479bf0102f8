"""The fuzz of arguments, in a process of its own: a crash would else take the other tests with it."""

import subprocess
import sys
from pathlib import Path


def test_hostile_arguments_never_end_the_process() -> None:
    script = Path(__file__).with_name("fuzz_arguments.py")
    ran = subprocess.run([sys.executable, "-X", "faulthandler", str(script), "--calls", "100000"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr  # the seed is in the first line
    assert "panicked" not in ran.stderr
