"""The types that the stub states: `mypy --strict` agrees with them, and so does the running package."""

import subprocess
import sys
from pathlib import Path

TYPED = Path(__file__).with_name("typed.py")


def test_mypy_strict(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(TYPED)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_types_are_true() -> None:
    subprocess.run([sys.executable, str(TYPED)], check=True)


def test_the_stub_says_what_the_installed_package_has(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-m", "mypy.stubtest", "keystead"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
