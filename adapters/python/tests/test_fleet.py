"""Python and Node.js at one fleet of memcached servers, which grows by one while it is warm."""

import json
import math
import os
import select
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import servers
from conftest import Published, cluster
from keystead_placement import Placement
from keystead_pymemcache import ClusterClient
from pymemcache.client.base import Client

from keystead import Cluster, Transition

KEYS = [f"user:{i}" for i in range(10_000)]
STEPS = 6
AT_ONCE = 100
ANSWER_SECONDS = 60
FLEET = Path(__file__).parents[2] / "node" / "test" / "fleet.mjs"


class NodeProgram:
    """A program in Node.js that reads the same cluster file."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen(["node", str(FLEET), path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ)

    def ask(self, do: str, **order: Any) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps({"do": do, **order}).encode() + b"\n")
        self._process.stdin.flush()
        # An answer is one short line.
        if not select.select([self._process.stdout], [], [], ANSWER_SECONDS)[0]:
            raise TimeoutError(f"no answer from Node.js to {do} in {ANSWER_SECONDS} seconds")
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(10)
        finally:
            self._process.kill()


def hits(client: ClusterClient, expected: dict[str, str]) -> int:
    keys = list(expected)
    found: dict[Any, Any] = {}
    for start in range(0, len(keys), AT_ONCE):
        found |= client.get_many(keys[start : start + AT_ONCE])
    return sum(value == expected[key].encode() for key, value in found.items())


def held(address: str) -> set[str]:
    """The keys that a server says it has."""
    host, port = address.split(":")
    client = Client((host, int(port)))
    found = {key for start in range(0, len(KEYS), 1000) for key in client.get_many(KEYS[start : start + 1000])}
    client.close()
    return found


def test_a_warm_fleet_grows_from_five_to_six_and_no_read_misses(published: Published, capsys: pytest.CaptureFixture[str]) -> None:
    with servers.memcached(6) as addresses:
        before, after = cluster(addresses[:5]), cluster(addresses)
        published.publish(before)
        python = ClusterClient(Placement(published.path))
        expected = {key: f"0 {key}" for key in KEYS}
        for key, value in expected.items():
            assert python.set(key, value)
        node = NodeProgram(published.path)
        try:
            rows = grow(published, before, after, python, node, expected, addresses[5])
        finally:
            node.end()
            python.close()
        at = {address: held(address) for address in addresses}

    share = len(at[addresses[5]]) / len(KEYS)
    deviation = math.sqrt(1 / 6 * 5 / 6 / len(KEYS))
    with capsys.disabled():
        heads = ("published", "epoch", "keys of the 6th", "held there", "hits: Python", "Node.js", "a step apart: Python", "Node.js")
        table = [heads, *rows]
        widths = [max(len(str(row[column])) for row in table) for column in range(len(heads))]
        print("\n\nfive memcached servers become six, 10,000 keys:")
        for row in table:
            print("  ".join(str(cell).rjust(width) for cell, width in zip(row, widths)))
        print(f"moved {share:.2%}, {(share - 1 / 6) / deviation:+.1f} standard deviations from 1/6\n")

    for row in rows:
        assert row[4:] == (len(KEYS),) * 4, row
    assert at[addresses[5]] == {key for key in KEYS if after.owner(key) == "cache-5"}
    assert abs(share - 1 / 6) < 5 * deviation
    # Nothing has gone from one of the old servers to another: what one of them holds it has held from the beginning.
    for index, address in enumerate(addresses[:5]):
        assert at[address] <= {key for key in KEYS if before.owner(key) == f"cache-{index}"}, address
    assert Counter(len([address for address in addresses if key in at[address]]) for key in KEYS).keys() <= {1, 2}


def grow(
    published: Published, before: Cluster, after: Cluster, python: ClusterClient, node: NodeProgram, expected: dict[str, str], new: str
) -> list[tuple[Any, ...]]:
    """Publishes one step after the other. In each the two programs change in turn which of them is the first to know, both read all keys at once while they
    are one step apart, both write, and both read all keys again."""
    rows: list[tuple[Any, ...]] = []
    with ThreadPoolExecutor(2) as pool:

        def both() -> tuple[int, int]:
            mine, theirs = pool.submit(hits, python, expected), pool.submit(node.ask, "read", expected=expected)
            return mine.result(), theirs.result()["hits"]

        stages = [("5 servers", before), *((f"{part}/{STEPS}", Transition(before, after, part, STEPS)) for part in range(STEPS + 1)), ("6 servers", after)]
        for number, (name, stage) in enumerate(stages):
            published.publish(stage)
            first, second = (python.refresh, lambda: node.ask("refresh")) if number % 2 else (lambda: node.ask("refresh"), python.refresh)
            first()
            apart = both()
            update(python, node, expected, number)
            second()
            told = node.ask("refresh")
            assert (told["answer"], told["fingerprint"]) == ("same", stage.fingerprint)
            together = both()
            owned = sum(stage.owner(key) == "cache-5" for key in KEYS)
            rows.append((name, published.epoch, owned, len(held(new)), *together, *apart))
    return rows


def update(python: ClusterClient, node: NodeProgram, expected: dict[str, str], number: int) -> None:
    """Each program overwrites fifty keys, while they are one step apart."""
    for writer in (0, 1):
        values = {key: f"{number}.{writer} {key}" for key in KEYS[number * 100 + writer * 50 :][:50]}
        if writer:
            node.ask("write", values=values)
        else:
            for key, value in values.items():
                assert python.set(key, value)
        expected |= values
