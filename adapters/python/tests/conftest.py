"""The adapters stand beside this folder, as they would in a program that has copied them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import servers  # noqa: E402

from keystead import Cluster, Node, Transition  # noqa: E402
from keystead_placement import STANDS_FOR  # noqa: E402


class Published:
    """A cluster file that programs follow."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "live.json")
        self.epoch = 0

    def publish(self, what: Cluster | Transition) -> None:
        self.epoch += 1
        new = Path(self.path + ".new")
        new.write_text(what.with_epoch(self.epoch).to_json())
        new.replace(self.path)


@pytest.fixture
def published(tmp_path: Path) -> Published:
    return Published(tmp_path)


def cluster(addresses: list[str], **options: int) -> Cluster:
    return Cluster([Node(f"cache-{index}", address=address) for index, address in enumerate(addresses)], **options)


def stand_in(addresses: list[str]) -> Cluster:
    """The same nodes as standing for a function."""
    return Cluster([Node(f"cache-{index}", address=address, meta={STANDS_FOR: "uhashring"}) for index, address in enumerate(addresses)], seed=1)


@pytest.fixture(scope="session")
def four_memcached() -> Iterator[list[str]]:
    with servers.memcached(4) as addresses:
        yield addresses


@pytest.fixture(scope="session")
def three_redis() -> Iterator[list[str]]:
    with servers.redis(3) as addresses:
        yield addresses
