"""The hasher and the client for pymemcache, against real servers."""

from collections.abc import Iterator

import pytest
import servers
from conftest import Published, cluster, stand_in
from keystead_placement import Placement
from keystead_pymemcache import ClusterClient, ClusterHasher
from pymemcache.client.base import Client
from pymemcache.client.hash import HashClient
from pymemcache.serde import pickle_serde

from keystead import Cluster, KeysteadError, Node, Transition

KEYS = [f"user:{i}" for i in range(500)]


def direct(address: str, **options: object) -> Client:
    host, port = address.split(":")
    return Client((host, int(port)), default_noreply=False, **options)


@pytest.fixture
def addresses(four_memcached: list[str]) -> Iterator[list[str]]:
    for address in four_memcached:
        direct(address).flush_all()
    yield four_memcached


def where(addresses: list[str], keys: list[str]) -> dict[str, list[str]]:
    """At which servers each key is, as they say themselves."""
    found: dict[str, list[str]] = {}
    for address in addresses:
        for key in direct(address).get_many(keys):
            found.setdefault(key, []).append(address)
    return found


def test_the_hasher_places_every_key_of_a_hash_client_where_the_cluster_says(addresses: list[str], published: Published) -> None:
    placed = cluster(addresses)
    published.publish(placed)
    placement = Placement(published.path)
    client = HashClient(list(placement.addresses.values()), hasher=lambda: ClusterHasher(placement), default_noreply=False)
    client.set_many({key: key for key in KEYS})
    assert client.get_many(KEYS) == {key: key.encode() for key in KEYS}
    assert where(addresses, KEYS) == {key: [placed.node(placed.owner(key)).address] for key in KEYS}


def test_keys_of_a_dead_server_go_to_the_next_in_their_ranking_and_no_others_move(addresses: list[str], published: Published) -> None:
    placed = cluster(addresses)
    published.publish(placed)
    placement = Placement(published.path)
    hasher = ClusterHasher(placement)
    for address in addresses:
        hasher.add_node(address)
    hasher.remove_node(addresses[1])
    for key in KEYS:
        assert hasher.get_node(key) == placed.node(placed.owner(key, exclude=["cache-1"])).address
    hasher.add_node(addresses[1])
    assert [hasher.get_node(key) for key in KEYS] == [placed.node(placed.owner(key)).address for key in KEYS]
    for address in addresses:
        hasher.remove_node(address)
    assert hasher.get_node("user:1") is None


def test_with_a_function_the_keys_of_a_dead_server_go_where_they_will_be(addresses: list[str], published: Published) -> None:
    after = cluster(addresses)
    published.publish(Transition(stand_in(addresses), after, 0, 2))
    hasher = ClusterHasher(Placement(published.path, before=lambda key: "cache-1"))
    for address in addresses:
        hasher.add_node(address)
    assert {hasher.get_node(key) for key in KEYS} == {addresses[1]}
    hasher.remove_node(addresses[1])
    assert [hasher.get_node(key) for key in KEYS] == [after.node(after.owner(key, exclude=["cache-1"])).address for key in KEYS]


def test_every_hit_survives_every_step_of_a_transition(addresses: list[str], published: Published) -> None:
    before, after = cluster(addresses[:3]), cluster(addresses)
    published.publish(before)
    client = ClusterClient(Placement(published.path))
    for key in KEYS:
        assert client.set(key, key.encode())
    for part in range(5):
        published.publish(Transition(before, after, part, 4))
        assert client.refresh() == "newer"
        assert client.get_many(KEYS) == {key: key.encode() for key in KEYS}, part
    published.publish(after)
    client.refresh()
    assert client.get_many(KEYS) == {key: key.encode() for key in KEYS}
    # A key that has moved is at the new server, and its old copy where it was.
    for key, places in where(addresses, KEYS).items():
        assert places == sorted({before.node(before.owner(key)).address, after.node(after.owner(key)).address}, key=addresses.index)


def test_a_client_a_step_behind_loses_nothing_and_finds_nothing_old(addresses: list[str], published: Published) -> None:
    before, after = cluster(addresses[:3]), cluster(addresses)
    published.publish(Transition(before, after, 0, 4))
    behind, ahead = ClusterClient(Placement(published.path)), ClusterClient(Placement(published.path))
    key = next(key for key in KEYS if after.owner(key) == "cache-3" and Transition(before, after, 2, 4).passes(key))
    published.publish(Transition(before, after, 2, 4))
    ahead.refresh()
    for writer, reader in ((behind, ahead), (ahead, behind)):
        writer.set(key, b"first")
        assert reader.get(key) == b"first"
        writer.set(key, b"second")
        assert (reader.get(key), writer.get(key)) == (b"second", b"second")
        assert reader.delete(key)
        assert (writer.get(key), reader.get(key), where(addresses, [key])) == (None, None, {})
        assert not writer.delete(key)


def test_a_write_between_reading_the_old_place_and_filling_the_new_one_is_not_hidden(addresses: list[str], published: Published) -> None:
    before, after = cluster(addresses[:3]), cluster(addresses)
    published.publish(Transition(before, after, 0, 4))
    behind, ahead = ClusterClient(Placement(published.path)), ClusterClient(Placement(published.path))
    published.publish(Transition(before, after, 4, 4))
    ahead.refresh()
    key = next(key for key in KEYS if after.owner(key) == "cache-3")
    behind.set(key, b"old")
    second = ahead._second
    read = second.get_many

    def slow(keys: list[str]) -> object:
        found = read(keys)
        second.get_many = read
        behind.set(key, b"new")
        return found

    second.get_many = slow
    ahead.get(key)
    assert (ahead.get(key), behind.get(key)) == (b"new", b"new")


def test_values_are_carried_with_their_flags(addresses: list[str], published: Published) -> None:
    before, after = cluster(addresses[:3]), cluster(addresses)
    published.publish(before)
    client = ClusterClient(Placement(published.path), serde=pickle_serde)
    values = {key: {"of": key, "n": index} for index, key in enumerate(KEYS)}
    for key, value in values.items():
        client.set(key, value)
    published.publish(Transition(before, after, 1, 1))
    client.refresh()
    assert client.get_many(KEYS) == values
    moved = [key for key in KEYS if after.owner(key) == "cache-3"]
    assert direct(addresses[3], serde=pickle_serde).get_many(moved) == {key: values[key] for key in moved}


def test_a_server_that_leaves_is_forgotten_and_one_that_comes_is_used(addresses: list[str], published: Published) -> None:
    published.publish(cluster(addresses[:2]))
    client = ClusterClient(Placement(published.path))
    client.set("a", b"1")
    published.publish(cluster(addresses[1:]))
    client.refresh()
    assert set(client._first.clients) == set(client._second.clients) == set(addresses[1:])
    for key in KEYS:
        client.set(key, b"x")
    assert set(where(addresses, KEYS)) == set(KEYS)
    assert all(direct(addresses[3]).get(key) is None or places == [addresses[3]] for key, places in where(addresses, KEYS).items())


def test_two_names_of_one_server_are_one_place(addresses: list[str], published: Published) -> None:
    # As when the library of today calls a server by its address: to delete at the other place would delete what was just written.
    today = Cluster([Node(addresses[0], address=addresses[0])])
    published.publish(Transition(today, cluster(addresses[:1]), 1, 2))
    client = ClusterClient(Placement(published.path))
    for key in KEYS[:50]:
        assert client.set(key, b"x")
        assert client.get(key) == b"x"


def test_a_file_that_cannot_be_used_leaves_the_client_as_it_was(addresses: list[str], published: Published) -> None:
    published.publish(cluster(addresses))
    client = ClusterClient(Placement(published.path))
    client.set("a", b"1")
    published.publish(cluster(addresses).with_node("without-address"))
    with pytest.raises(ValueError, match="node 'without-address' has no address"):
        client.refresh()
    assert client.get("a") == b"1"
    published.epoch = 0
    published.publish(cluster(addresses[:1]))
    with pytest.raises(KeysteadError) as caught:
        client.refresh()
    assert caught.value.code == "stale_epoch"
    assert client.get("a") == b"1"


def test_a_function_that_answers_no_node_of_the_file_is_named(addresses: list[str], published: Published) -> None:
    published.publish(Transition(stand_in(addresses), cluster(addresses), 0, 1))
    client = ClusterClient(Placement(published.path, before=lambda key: "cache-9"))
    with pytest.raises(LookupError, match="'cache-9', which the function answers"):
        client.get("a")


def test_a_stand_in_is_never_taken_for_the_function(addresses: list[str], published: Published) -> None:
    after = cluster(addresses)
    published.publish(after)
    client = ClusterClient(Placement(published.path))
    client.set("a", b"1")
    published.publish(Transition(stand_in(addresses), after, 0, 2))
    for use in (client.refresh, lambda: Placement(published.path)):
        with pytest.raises(ValueError, match="only stands for uhashring"):
            use()
    assert client.get("a") == b"1"
    assert set(Placement(published.path, before=lambda key: "cache-2").places("a")) == {addresses[2], after.node(after.owner("a")).address}


def test_a_stand_in_alone_is_no_cluster_and_a_function_that_is_left_over_no_part_of_another_transition(addresses: list[str], published: Published) -> None:
    published.publish(stand_in(addresses))
    for function in (None, lambda key: "cache-2"):
        with pytest.raises(ValueError, match="only stands for uhashring, and places no key"):
            Placement(published.path, before=function)
    published.publish(Transition(cluster(addresses[:3]), cluster(addresses), 1, 2))
    left_over, without = Placement(published.path, before=lambda key: "cache-2"), Placement(published.path)
    assert [left_over.places(key) for key in KEYS] == [without.places(key) for key in KEYS]


def test_what_is_written_while_a_server_is_down_in_a_transition_is_there(addresses: list[str], published: Published) -> None:
    # The node in line behind the dead one is often the key's second place: what was just written there must stay.
    with servers.memcached(1) as dead:
        pass
    fleet = [*addresses[:3], *dead]
    before = cluster(fleet)
    for part in (0, 1, 2):
        published.publish(Transition(before, before.with_weight("cache-3", 0), part, 2))
        client = ClusterClient(Placement(published.path), ignore_exc=True, retry_attempts=0, dead_timeout=600)
        for key in KEYS:
            client.set(key, b"first")  # the first that go to the dead server fail, and take it out
        written = [key for key in KEYS if client.set(key, b"x")]
        assert set(written) == set(KEYS)
        assert [key for key in written if client.get(key) != b"x"] == []
        assert all(client.delete(key) and client.get(key) is None for key in KEYS[:50])
