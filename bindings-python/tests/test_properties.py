"""Properties that hold for every cluster and key (section 4 of the specification), on examples that hypothesis looks for."""

from typing import Any

import keystead
from hypothesis import given
from hypothesis import strategies as st
from keystead import Cluster, Node

texts = st.text(st.characters(codec="utf-8", exclude_characters=[*map(chr, range(32)), "\x7f"]), min_size=1, max_size=6)
weights = st.sampled_from([0, 1, 1, 1, 2, 3, 7, 100_000, 2**32 - 1])
plain_keys = st.text(st.characters(codec="utf-8")) | st.binary() | st.integers(-(2**63), 2**64 - 1)
keys = st.recursive(plain_keys, lambda inner: st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple), max_leaves=12)
zones = st.sampled_from(["x", "y", "z"])


@st.composite
def node_lists(draw: Any, smallest: int = 1) -> list[Node]:
    ids = draw(st.lists(texts, min_size=smallest, max_size=12, unique=True))
    nodes = [Node(id, draw(weights), [draw(zones), draw(texts)]) for id in ids]
    nodes[0] = Node(nodes[0].id, 1, nodes[0].location)
    return nodes


parameters = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"hash": st.sampled_from(["xxh3", "xxh64"]), "seed": st.integers(0, 2**64 - 1)}),
    st.binary(min_size=16, max_size=16).map(lambda secret: {"hash": "sip13", "secret": secret}),
)


def built(nodes: list[Node], given: dict[str, Any]) -> Cluster:
    return Cluster(nodes, **given)


def light(nodes: list[Node]) -> list[Node]:
    """The same with weights that a ring can have tokens for."""
    return [Node(node.id, node.weight % 8 if node.weight % 8 or node.weight == 0 else 1, node.location) for node in nodes]


@given(node_lists(), parameters, keys, st.randoms())
def test_the_order_of_nodes_never_matters(nodes: list[Node], given: dict[str, Any], key: Any, random: Any) -> None:
    c = built(nodes, given)
    shuffled = random.sample(nodes, len(nodes))
    other = built(shuffled, given)
    assert other == c and other.ids == c.ids and other.ranking(key) == c.ranking(key)
    assert c.ids == tuple(sorted((node.id for node in nodes), key=str.encode))


@given(node_lists(), parameters, keys, st.integers(1, 1000))
def test_scaling_all_weights_changes_nothing(nodes: list[Node], given: dict[str, Any], key: Any, factor: int) -> None:
    nodes = [Node(node.id, node.weight % 4_000_000, node.location) for node in nodes]
    scaled = [Node(node.id, node.weight * factor, node.location) for node in nodes]
    assert built(scaled, given).ranking(key) == built(nodes, given).ranking(key)


@given(node_lists(smallest=2), parameters, keys, st.data())
def test_excluding_is_removing(nodes: list[Node], given: dict[str, Any], key: Any, data: Any) -> None:
    gone = data.draw(st.sets(st.sampled_from([node.id for node in nodes[1:]]) | texts))
    gone -= {nodes[0].id}
    for c in (built(nodes, given), built(light(nodes), given | {"algorithm": "ring-1", "tokens_per_weight": 3})):
        removed = c.change(remove=gone & set(c.ids))
        assert c.ranking(key, exclude=gone) == removed.ranking(key)
        assert c.owner(key, exclude=gone) == removed.owner(key)


@given(node_lists(smallest=2), parameters, keys)
def test_a_change_moves_keys_to_or_from_the_changed_node_alone(nodes: list[Node], given: dict[str, Any], key: Any) -> None:
    for own in ({}, {"algorithm": "ring-1", "tokens_per_weight": 3}, {"algorithm": "slots-1", "slots": 97}):
        large = built(light(nodes), given | own)
        changed = large.nodes[-1] if large.nodes[-1].id != nodes[0].id else large.nodes[0]
        small = large.without_node(changed.id)
        assert large.owner(key) in (small.owner(key), changed.id)
        assert [id for id in large.ranking(key) if id != changed.id] == small.ranking(key)
        again = small.with_node(changed)
        assert again == large and again.ranking(key) == large.ranking(key)
        heavier = large.with_weight(changed.id, changed.weight + 1)
        assert heavier.owner(key) in (large.owner(key), changed.id)


@given(node_lists(), parameters, keys, st.booleans())
def test_fewer_replicas_are_the_beginning_of_more(nodes: list[Node], given: dict[str, Any], key: Any, relaxed: bool) -> None:
    c = built(nodes, given)
    ranking = c.ranking(key)
    assert len(ranking) == len(set(ranking)) == sum(node.weight > 0 for node in nodes)
    for r in range(len(ranking) + 1):
        assert c.replicas(key, r) == ranking[:r] == c.ranking(key, r)
    before: list[str] = []
    domains = {node.location[0] for node in nodes if node.weight}
    for r in range(len(ranking) + 1 if relaxed else len(domains) + 1):
        picked = c.replicas(key, r, spread=0, relaxed=relaxed)
        assert picked[: len(before)] == before and len(picked) == r
        in_zones = [c.node(id).location[0] for id in picked]
        if r <= len(domains):
            assert len(set(in_zones)) == r
        before = picked


@given(keys, keys)
def test_no_two_keys_share_an_encoding(left: Any, right: Any) -> None:
    def normal(key: Any) -> Any:
        if isinstance(key, str):
            return key.encode()
        return tuple(map(normal, key)) if isinstance(key, list | tuple) else key

    encodings = keystead.encode_key(left), keystead.encode_key(right)
    assert (encodings[0] == encodings[1]) == (normal(left) == normal(right))
    if encodings[0] != encodings[1]:
        assert not encodings[0].startswith(encodings[1]) and not encodings[1].startswith(encodings[0])
    assert keystead.encode_key(normal(left)) == encodings[0]


@given(node_lists(), parameters, st.lists(keys, max_size=20))
def test_batches_agree_with_single_calls(nodes: list[Node], given: dict[str, Any], batch: list[Any]) -> None:
    c = built(nodes, given)
    owners = [c.owner(key) for key in batch]
    assert c.owner_many(batch) == owners == [c.ids[i] for i in c.owner_indices(batch)]
    assert [[c.ids[i] for i in row] for row in c.replica_indices(batch, 1).tolist()] == [[owner] for owner in owners]


@given(node_lists(), st.integers(0, 100) | st.none(), st.integers(1, 300))
def test_slots_of_every_node(nodes: list[Node], headroom: int | None, slots: int) -> None:
    c = Cluster(nodes, algorithm="slots-1", slots=slots, headroom=headroom)
    owners = c.slot_owners()
    assert len(owners) == slots and {id: c.slots_of(id) for id in c.ids} == {id: [s for s, o in enumerate(owners) if o == id] for id in c.ids}
    assert all(c.slot_ranking(slot)[0] == owner for slot, owner in enumerate(owners))
    for key in range(20):
        assert c.owner(key) == owners[c.slot(key)] == c.slot_ranking(c.slot(key), 1)[0]
    total = sum(node.weight for node in nodes)
    if headroom:
        for node in c.nodes:
            assert len(c.slots_of(node.id)) <= -(-slots * node.weight * (100 + headroom) // (100 * total))


@given(st.lists(st.tuples(texts, st.integers(0, 2**64 - 1), weights), max_size=10, unique_by=lambda candidate: candidate[0]))
def test_rank_scores_orders_whatever_the_order_given(candidates: list[tuple[str, int, int]]) -> None:
    ranked = keystead.rank_scores(candidates)
    assert ranked == keystead.rank_scores(reversed(candidates)) == keystead.rank_scores(list(map(list, candidates)))
    assert sorted(ranked) == sorted(id for id, _, weight in candidates if weight)
    equal = [(id, score) for id, score, _ in candidates]
    assert keystead.rank_scores(equal) == [id for id, _ in sorted(equal, key=lambda pair: (-pair[1], pair[0].encode()))]
