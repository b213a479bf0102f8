"""A fleet that another library has filled is carried over, and no read misses: what docs/migrating.md promises, with the servers and libraries themselves."""

import binascii
import ctypes
import json
import os
import subprocess
from collections.abc import Callable, Iterator

import memcache
import pytest
import servers
from conftest import Published, cluster, stand_in
from keystead_placement import Placement
from keystead_pymemcache import ClusterClient
from pymemcache.client.base import Client
from pymemcache.client.hash import HashClient
from pymemcache.client.rendezvous import RendezvousHash
from uhashring import HashRing

from keystead import Transition

# Fills the servers by the library's own doing, and gives the function that says where.
Fill = Callable[[list[str]], Callable[[str], str]]
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


def ketama(addresses: list[str]) -> Callable[[str], str]:
    """Both name a server by its host alone where its port is memcached's own."""
    names = {address.removesuffix(":11211"): address for address in addresses}
    ring = HashRing(list(names), hash_fn="ketama")
    return lambda key: names[ring.get_node(key)]


def by_libmemcached(addresses: list[str]) -> Callable[[str], str]:
    # The C library itself, as PHP, Ruby and C++ use it; the numbers are those of its memcached_behavior_t.
    library = ctypes.CDLL("libmemcached.so.11")
    ketama_weighted, text, size, number = 16, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32
    library.memcached.restype = ctypes.c_void_p
    library.memcached.argtypes = [text, size]
    library.memcached_behavior_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64]
    library.memcached_set.argtypes = [ctypes.c_void_p, text, size, text, size, ctypes.c_long, number]
    library.memcached_free.argtypes = [ctypes.c_void_p]
    listed = " ".join(f"--SERVER={address}" for address in addresses).encode()
    client = library.memcached(listed, len(listed))
    try:
        assert library.memcached_behavior_set(client, ketama_weighted, 1) == 0
        for key, value in VALUES.items():
            assert library.memcached_set(client, key.encode(), len(key), value, len(value), 0, 0) == 0
    finally:
        library.memcached_free(client)
    return ketama(addresses)


def by_memcached_of_npm(addresses: list[str]) -> Callable[[str], str]:
    program = """
        const client = new (require('memcached'))(JSON.parse(process.argv[1]))
        Promise.all(Array.from({ length: 1000 }, (_, i) =>
          new Promise((done, failed) => client.set(`user:${i}`, `user:${i}`, 0, error => error ? failed(error) : done()))))
          .then(() => client.end())
    """
    subprocess.run(["node", "-e", program, json.dumps(addresses)], cwd=os.environ["KEYSTEAD_ADAPTERS"], check=True, timeout=60)
    return ketama(addresses)


@pytest.mark.parametrize("fill", [by_pymemcache, by_python_memcached, by_libmemcached, by_memcached_of_npm])
def test_a_warm_fleet_stays_warm(fill: Fill, addresses: list[str], published: Published) -> None:
    stays_warm(fill, addresses, published)


@pytest.mark.parametrize("fill", [by_libmemcached, by_memcached_of_npm])
def test_a_warm_fleet_at_the_usual_port_stays_warm(fill: Fill, published: Published) -> None:
    with servers.memcached_at_its_own_port(4) as addresses:
        stays_warm(fill, addresses, published)


def stays_warm(fill: Fill, addresses: list[str], published: Published) -> None:
    today = fill(addresses)
    ids = {address: f"cache-{index}" for index, address in enumerate(addresses)}
    today_as, after = stand_in(addresses), cluster(addresses)
    published.publish(Transition(today_as, after, 0, 3))
    asked: list[int] = []

    def before(key: str) -> str:
        asked.append(1)
        return ids[today(key)]

    client = ClusterClient(Placement(published.path, before=before))
    direct = {address: Client((address.split(":")[0], int(address.split(":")[1]))) for address in addresses}
    assert all(direct[today(key)].get(key) == VALUES[key] for key in KEYS)
    for part in range(4):
        published.publish(Transition(today_as, after, part, 3))
        client.refresh()
        assert client.get_many(KEYS) == VALUES, part
    assert all(direct[after.node(after.owner(key)).address].get(key) == VALUES[key] for key in KEYS)
    published.publish(after)
    client.refresh()
    asked.clear()
    assert client.get_many(KEYS) == VALUES
    assert not asked
