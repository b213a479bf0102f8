"""What all tests share. Only typed.py is for a type checker: elsewhere wrong types are the point."""

import os
import tempfile
from pathlib import Path

# Before hypothesis is imported: it would keep its caches among the sources.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(tempfile.gettempdir(), "keystead-hypothesis"))

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402
from seed import read_seed  # noqa: E402

# A failing example is printed with the lines that repeat it, so nothing need be kept from run to run; a busy machine is no failure.
settings.register_profile("keystead", database=None, deadline=None, print_blob=True)
settings.load_profile("keystead")

PACKAGE = Path(__file__).resolve().parent.parent
PROJECT = PACKAGE.parent


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Gives hypothesis the seed of all tests, unless the command line names one."""
    if config.getoption("--hypothesis-seed", None) is None:
        config.option.hypothesis_seed = str(read_seed())
