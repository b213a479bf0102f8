"""The client for redis-py, against real servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import servers
from conftest import Published, cluster
from keystead_placement import Placement
from keystead_redis import ClusterRedis
from redis import Redis

from keystead import Transition

KEYS = [f"user:{i}" for i in range(300)]


def direct(address: str) -> Redis:
    host, port = address.split(":")
    return Redis(host=host, port=int(port))


@pytest.fixture
def addresses(three_redis: list[str]) -> Iterator[list[str]]:
    for address in three_redis:
        direct(address).flushall()
    yield three_redis


def where(addresses: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for address in addresses:
        for key in direct(address).keys():
            found.setdefault(key.decode(), []).append(address)
    return found


def test_every_hit_survives_every_step_of_a_transition(addresses: list[str], published: Published) -> None:
    before, after = cluster(addresses[:2]), cluster(addresses)
    published.publish(before)
    redis = ClusterRedis(Placement(published.path))
    for key in KEYS:
        assert redis.set(key, key)
    assert where(addresses) == {key: [before.node(before.owner(key)).address] for key in KEYS}
    for part in range(4):
        published.publish(Transition(before, after, part, 3))
        assert redis.refresh() == "newer"
        assert all(redis.get(key) == key.encode() for key in KEYS[::2]), part
        assert redis.get_many(KEYS) == {key: key.encode() for key in KEYS}, part
    published.publish(after)
    redis.refresh()
    assert redis.get_many(KEYS) == {key: key.encode() for key in KEYS}


def test_a_value_is_carried_with_its_type_and_the_time_it_has_left(addresses: list[str], published: Published) -> None:
    before, after = cluster(addresses[:2]), cluster(addresses)
    published.publish(before)
    redis = ClusterRedis(Placement(published.path))
    moved = [key for key in KEYS if after.owner(key) == "cache-2"]
    redis.set(moved[0], "soon", ex=100)
    redis.on(moved[1]).hset(moved[1], "apples", 3)
    published.publish(Transition(before, after, 1, 1))
    redis.refresh()
    assert redis.get(moved[0]) == b"soon"
    assert 90 < direct(addresses[2]).ttl(moved[0]) <= 100
    assert redis.on(moved[1]).hincrby(moved[1], "apples", 1) == 4
    # What may be changed at its new place has left no copy behind.
    assert where(addresses)[moved[1]] == [addresses[2]]
    assert direct(addresses[2]).ttl(moved[1]) == -1


def test_a_client_a_step_behind_loses_nothing_and_finds_nothing_old(addresses: list[str], published: Published) -> None:
    before, after = cluster(addresses[:2]), cluster(addresses)
    published.publish(Transition(before, after, 0, 1))
    behind, ahead = ClusterRedis(Placement(published.path)), ClusterRedis(Placement(published.path))
    published.publish(Transition(before, after, 1, 1))
    ahead.refresh()
    key = next(key for key in KEYS if after.owner(key) == "cache-2")
    for writer, reader in ((behind, ahead), (ahead, behind)):
        writer.set(key, "first")
        assert reader.get(key) == b"first"
        writer.set(key, "second")
        assert (reader.get(key), writer.get(key)) == (b"second", b"second")
        assert writer.on(key).incr("count:" + key) > 0
        assert reader.delete(key)
        assert (writer.get(key), reader.get(key)) == (None, None)
        assert key not in where(addresses)
        assert not writer.delete(key)


@pytest.mark.parametrize("on", [False, True])
def test_a_write_while_a_value_is_carried_is_not_hidden(addresses: list[str], published: Published, on: bool) -> None:
    before, after = cluster(addresses[:2]), cluster(addresses)
    published.publish(Transition(before, after, 0, 1))
    behind, ahead = ClusterRedis(Placement(published.path)), ClusterRedis(Placement(published.path))
    published.publish(Transition(before, after, 1, 1))
    ahead.refresh()
    key = next(key for key in KEYS if after.owner(key) == "cache-2")
    behind.set(key, "old")

    new = ahead._at(addresses[2])
    restore = new.restore

    def slow(*arguments: object) -> object:
        new.restore = restore
        behind.set(key, "new")
        return restore(*arguments)

    new.restore = slow
    if on:
        assert ahead.on(key).get(key) == b"new"
    else:
        assert ahead.get(key) == b"new"
    assert behind.get(key) == b"new"


TAGGED = ["foo", "{user1000}.following", "foo{}{bar}", "foo{{bar}}zap", "foo{bar}{zap}", "{}", "{", "a}{b}", "a{b", "{a}}", "", "{ü}x", "日{本}", b"\xff{\x00}\xfe"]


def test_the_guide_has_the_hash_tags_of_the_server() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "migrating.md").read_text()
    program = next(block for block in guide.split("```python\n")[1:] if "def hash_slot(" in block).split("```")[0]
    names: dict[str, object] = {}
    exec(program, names)
    with servers.redis(1, "--cluster-enabled", "yes") as (address,):
        server = direct(address)
        for key in TAGGED:
            data = key.encode() if isinstance(key, str) else key
            assert names["hash_slot"](data) == server.execute_command("CLUSTER", "KEYSLOT", data), key
