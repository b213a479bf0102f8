"""A fleet that another library has filled is carried over, and no read misses: what docs/migrating.md promises, with the servers and libraries themselves."""

import binascii
import json
import os
import subprocess
from collections.abc import Callable, Iterator

import memcache
import pylibmc
import pytest
from conftest import Published, cluster
from keystead_placement import Placement
from keystead_pymemcache import ClusterClient
from pymemcache.client.base import Client
from pymemcache.client.hash import HashClient
from pymemcache.client.rendezvous import RendezvousHash
from uhashring import HashRing

from keystead import Transition

KEYS = [f"user:{i}" for i in range(1000)]
VALUES = {key: key.encode() for key in KEYS}


@pytest.fixture
def addresses(four_memcached: list[str]) -> Iterator[list[str]]:
    for address in four_memcached:
        host, port = address.split(":")
        Client((host, int(port))).flush_all(noreply=False)
    yield four_memcached


def by_pymemcache(addresses: list[str]) -> Callable[[str], str]:
    HashClient(addresses, default_noreply=False).set_many(VALUES)
    return RendezvousHash(list(addresses)).get_node


def by_python_memcached(addresses: list[str]) -> Callable[[str], str]:
    assert memcache.Client(addresses).set_multi(VALUES) == []
    return lambda key: addresses[((binascii.crc32(key.encode()) >> 16) & 0x7FFF) % len(addresses)]


def by_libmemcached(addresses: list[str]) -> Callable[[str], str]:
    assert pylibmc.Client(addresses, behaviors={"ketama_weighted": True}).set_multi(VALUES) == []
    return HashRing(addresses, hash_fn="ketama").get_node


def by_memcached_of_npm(addresses: list[str]) -> Callable[[str], str]:
    program = """
        const client = new (require('memcached'))(JSON.parse(process.argv[1]))
        Promise.all(Array.from({ length: 1000 }, (_, i) =>
          new Promise((done, failed) => client.set(`user:${i}`, `user:${i}`, 0, error => error ? failed(error) : done()))))
          .then(() => client.end())
    """
    subprocess.run(["node", "-e", program, json.dumps(addresses)], cwd=os.environ["KEYSTEAD_ADAPTERS"], check=True, timeout=60)
    return HashRing(addresses, hash_fn="ketama").get_node


@pytest.mark.parametrize("fill", [by_pymemcache, by_python_memcached, by_libmemcached, by_memcached_of_npm])
def test_a_warm_fleet_stays_warm(fill: Callable[[list[str]], Callable[[str], str]], addresses: list[str], published: Published) -> None:
    today = fill(addresses)
    ids = {address: f"cache-{index}" for index, address in enumerate(addresses)}
    stand_in, after = cluster(addresses, seed=1), cluster(addresses)
    published.publish(Transition(stand_in, after, 0, 3))
    asked: list[int] = []

    def before(key: str) -> str:
        asked.append(1)
        return ids[today(key)]

    client = ClusterClient(Placement(published.path, before=before))
    direct = {address: Client((address.split(":")[0], int(address.split(":")[1]))) for address in addresses}
    assert all(direct[today(key)].get(key) == VALUES[key] for key in KEYS)
    for part in range(4):
        published.publish(Transition(stand_in, after, part, 3))
        client.refresh()
        assert client.get_many(KEYS) == VALUES, part
    assert all(direct[after.node(after.owner(key)).address].get(key) == VALUES[key] for key in KEYS)
    published.publish(after)
    client.refresh()
    asked.clear()
    assert client.get_many(KEYS) == VALUES
    assert not asked
