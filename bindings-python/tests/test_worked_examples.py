"""Examples whose answers are known by hand (tests/cases/worked-examples.json)."""

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import keystead
import pytest
from conftest import PROJECT
from keystead import Cluster, KeysteadError, Node

EXAMPLES: dict[str, Any] = json.loads((PROJECT / "tests/cases/worked-examples.json").read_text("utf-8"))


def ring(tokens: dict[str, list[int]]) -> Cluster:
    nodes = (Node(id, tokens=own) for id, own in tokens.items())
    return Cluster(nodes, algorithm="ring-1", space=EXAMPLES["ring"]["space"])


def owners(c: Cluster) -> list[str]:
    """One key on every coordinate."""
    return [c.owner_at(coordinate) for coordinate in range(EXAMPLES["ring"]["space"])]


def moves(before: Cluster, after: Cluster) -> dict[str, list[str]]:
    pairs = enumerate(zip(owners(before), owners(after), strict=True))
    return {str(coordinate): list(pair) for coordinate, pair in pairs if pair[0] != pair[1]}


def ranked(key: str, nodes: str) -> list[str]:
    scores = EXAMPLES["scores"]["keys"][key]
    return keystead.rank_scores((node, scores[node]) for node in nodes)


def test_scores() -> None:
    examples = EXAMPLES["scores"]
    moved = {}
    for key, scores in examples["keys"].items():
        before, after = ranked(key, "ABCD"), ranked(key, "ABCDE")
        assert (before[0], after[0]) == (scores["owner"], scores["owner_with_E"])
        assert [node for node in after if node != "E"] == before
        if before[0] != after[0]:
            moved[key] = [before[0], after[0]]
    assert moved == examples["add_E"]["moved"]
    assert (len(moved), len(examples["keys"])) == (examples["add_E"]["moved_count"], examples["add_E"]["of"])


def test_scores_without_a_node() -> None:
    example = EXAMPLES["scores"]["remove_C"]
    pairs = {key: [ranked(key, "ABCD")[0], ranked(key, "ABD")[0]] for key in EXAMPLES["scores"]["keys"]}
    assert {key: pair for key, pair in pairs.items() if pair[0] != pair[1]} == example["moved"]
    for key, wanted in example["candidates_only"].items():
        assert ranked(key, "ABCD")[:2] == wanted["top2_before"]
        assert ranked(key, "ABD")[:2] == wanted["top2_after"]
        assert set(pairs[key]) == {wanted["owner_unchanged"]}
    disagreement = EXAMPLES["scores"]["membership_disagreement"]
    assert ranked(disagreement["key"], "ABD")[0] == disagreement["view_ABD"]
    assert ranked(disagreement["key"], "BD")[0] == disagreement["view_BD"]


def test_framing() -> None:
    for left, right in EXAMPLES["framing"]["pairs"]:
        assert "".join(left) == "".join(right)
        assert keystead.encode_key(left) != keystead.encode_key(right)


def test_naive_weight() -> None:
    # Two scores uniform on (0, 1), one of them doubled: it is the larger with probability 1 - 1/4. Proportional is 2 of 3.
    assert Fraction(EXAMPLES["naive_weight"]["multiplied_score_share"]) == 1 - Fraction(1, 4)
    c = Cluster([Node("two", 2), "one"])
    assert c.shares()["two"] == Fraction(EXAMPLES["naive_weight"]["proportional_share"])
    counts = Counter(c.owner_many(range(200_000)))
    assert abs(counts["two"] / 200_000 - 2 / 3) < 5 * (2 / 9 / 200_000) ** 0.5


def test_ring() -> None:
    example = EXAMPLES["ring"]
    four = ring(example["tokens"])
    for id, coordinates in example["owned"].items():
        assert {at for at, owner in enumerate(owners(four)) if owner == id} == set(coordinates)
    five = four.with_node(Node("E", tokens=[12]))
    assert moves(four, five) == example["add_E_at_12"]["moved"]
    assert Counter(owners(five)) == example["add_E_at_12"]["counts"]
    assert five.shares()["E"] == Fraction(example["add_E_at_12"]["moved_share"])
    rest = five.without_node("B")
    assert moves(five, rest) == {str(at): example["then_remove_B"]["from_to"] for at in example["then_remove_B"]["moved"]}
    assert Counter(owners(rest)) == example["then_remove_B"]["counts"]
    with pytest.raises(KeysteadError) as refused:
        ring(example["duplicate_token"]["tokens"])
    assert refused.value.code == example["duplicate_token"]["error"]
    assert Counter(owners(ring(example["one_token"]["tokens"]))) == example["one_token"]["counts"]


def test_arcs_are_half_open_and_exact() -> None:
    four = ring(EXAMPLES["ring"]["tokens"])
    assert four.arcs() == [(24, 1, 9, "A"), (1, 8, 7, "B"), (8, 16, 8, "C"), (16, 24, 8, "D")]
    start, end, length, owner = four.arcs()[0]
    assert (four.owner_at(start), four.owner_at(end)) == ("D", owner) and length == (end - start) % 32
    (only,) = ring({"A": [5]}).arcs()
    assert only == keystead.Arc(start=5, end=5, length=32, owner="A")


def test_virtual_nodes() -> None:
    example = EXAMPLES["virtual_nodes"]
    assert example["space"] == EXAMPLES["ring"]["space"]
    c = ring(example["tokens"])
    assert Counter(owners(c)) == example["counts"]
    for key in range(200):
        assert len(set(c.replicas(key, example["distinct_replicas"]["replicas"]))) == example["distinct_replicas"]["distinct_owners"]
    with pytest.raises(KeysteadError) as refused:
        c.replicas("key", example["too_many"]["replicas"])
    assert refused.value.code == example["too_many"]["error"]


def test_modulo_contrast() -> None:
    n, keys = 9, range(50_000)
    before, after = Cluster(map(str, range(n))), Cluster(map(str, range(n + 1)))
    stable = sum(a != b for a, b in zip(before.owner_many(keys), after.owner_many(keys), strict=True)) / len(keys)
    modulo = sum(keystead.modulo(key, n) != keystead.modulo(key, n + 1) for key in keys) / len(keys)
    assert EXAMPLES["modulo_contrast"]["add_one_to_n"] == {"modulo": "n/(n+1)", "stable": "1/(n+1)"}
    assert abs(modulo - n / (n + 1)) < 0.01 and abs(stable - 1 / (n + 1)) < 0.01
    r = 3
    changed = sum(before.replicas(key, r) != after.replicas(key, r) for key in keys) / len(keys)
    assert EXAMPLES["modulo_contrast"]["top_r_changed_on_add"] == "r/(n+1)" and abs(changed - r / (n + 1)) < 0.012


def test_mapping_is_not_data() -> None:
    example = EXAMPLES["mapping_is_not_data"]
    before = ring(EXAMPLES["ring"]["tokens"])
    after = before.with_node(Node("E", tokens=[12]))
    at = example["key_coordinate"]
    assert (before.owner_at(at), after.owner_at(at)) == (example["before"], example["after"])


def test_jump() -> None:
    assert [keystead.jump(int(key), n) for key, n in EXAMPLES["jump"]["pairs"]] == EXAMPLES["jump"]["buckets"]
