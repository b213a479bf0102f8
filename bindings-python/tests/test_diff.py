"""diff and diff_keys: what moves from one description to another, counted, expected, and key by key."""

import gc
import json
import math
import pickle
import sys
from collections import Counter
from fractions import Fraction
from typing import Any, Iterator

import pytest
from conftest import PROJECT
from keystead import Cluster, KeysteadError, Move, Node, NoNodesError, Transition
from refusals import refuses

EXAMPLES = json.loads((PROJECT / "tests/cases/worked-examples.json").read_text("utf-8"))
NODES = [Node(f"n{i}", i % 4, [f"z{i % 3}", f"h{i}"]) for i in range(9)]
KINDS: dict[str, dict[str, Any]] = {
    "rendezvous-1": {},
    "ring-1": {"tokens_per_weight": 16},
    "slots-1": {"slots": 271},
    "hierarchy-1": {},
}
KEYS: list[Any] = [f"user:{i}" for i in range(700)] + [("t", i) for i in range(100)] + [b"bytes", 7, ""]
SIZES = [100 * (i % 7) for i in range(len(KEYS))]


def changed(algorithm: str) -> tuple[Cluster, Cluster]:
    before = Cluster(NODES, algorithm=algorithm, epoch=1, **KINDS[algorithm])
    after = before.change(add=[Node("n9", 3, ["z1", "h9"])], remove=["n1"], weight={"n2": 3, "n7": 1}, drain=["n6"])
    return before, after.with_epoch(2)


def count(summary: dict[str, Any]) -> tuple[int, int]:
    return int(summary["keys"]), int(summary["bytes"])


@pytest.mark.parametrize("algorithm", KINDS)
def test_counts_are_those_of_the_keys(algorithm: str) -> None:
    before, after = changed(algorithm)
    owners = list(zip(before.owner_many(KEYS), after.owner_many(KEYS), strict=True))
    moves = Counter(pair for pair in owners if pair[0] != pair[1])
    told = before.diff(after, KEYS, SIZES)
    counted = told["counted"]
    assert count(counted["total"]) == (len(KEYS), sum(SIZES))
    moved = [size for (left, right), size in zip(owners, SIZES, strict=True) if left != right]
    assert count(counted["moved"]) == (len(moved), sum(moved))
    assert {(move["from"], move["to"]): int(move["keys"]) for move in counted["moves"]} == moves
    assert sum(int(move["bytes"]) for move in counted["moves"]) == sum(moved)
    assert sum(count(each)[0] for each in counted["reasons"].values()) == len(KEYS)
    assert [node["id"] for node in counted["nodes"]] == sorted({*before.ids, *after.ids}, key=str.encode)
    for node in counted["nodes"]:
        held = [sum(size for pair, size in zip(owners, SIZES, strict=True) if pair[side] == node["id"]) for side in (0, 1)]
        assert [count(node["before"])[1], count(node["after"])[1]] == held
        assert held[0] + count(node["moved_in"])[1] - count(node["moved_out"])[1] == held[1]
    for side, given in (("before", before), ("after", after)):
        assert {name: told[side][name] for name in ("fingerprint", "epoch", "algorithm")} == {
            "fingerprint": given.fingerprint,
            "epoch": given.epoch,
            "algorithm": algorithm,
        }
    assert (told["r"], told["spread"], told["relaxed"], told["identical"]) == (1, None, False, False)
    assert json.loads(json.dumps(told)) == told


@pytest.mark.parametrize("algorithm", KINDS)
def test_reasons_key_by_key(algorithm: str) -> None:
    before, after = changed(algorithm)
    moves = list(before.diff_keys(after, KEYS))
    assert [move.key for move in moves] == KEYS and all(move.key is key for move, key in zip(moves, KEYS, strict=True))
    assert [(move.source, move.target) for move in moves] == list(zip(before.owner_many(KEYS), after.owner_many(KEYS), strict=True))
    counted = before.diff(after, KEYS)["counted"]
    assert Counter(move.reason for move in moves) == Counter({reason: count(each)[0] for reason, each in counted["reasons"].items() if count(each)[0]})
    gainers, losers = {"n9", "n2"}, {"n1", "n6", "n7"}
    for move in moves:
        assert (move.reason == "unchanged") == (move.source == move.target)
        if algorithm in ("rendezvous-1", "ring-1") and move.reason != "unchanged":
            wanted = {(True, False): "gained", (False, True): "lost", (True, True): "both"}
            assert move.reason == wanted[move.target in gainers, move.source in losers]


def test_copies() -> None:
    before, after = changed("rendezvous-1")
    given: dict[str, Any] = {"r": 3, "spread": 0, "exclude": ["n5"]}
    told = before.diff(after, KEYS, **given)
    lists = [[c.replicas(key, 3, spread=0, exclude=["n5"]) for key in KEYS] for c in (before, after)]
    reasons = Counter(move.reason for move in before.diff_keys(after, KEYS, **given))
    assert reasons["candidates"] == sum(left != right and left[0] == right[0] for left, right in zip(*lists, strict=True)) > 0
    assert reasons["unchanged"] == sum(left == right for left, right in zip(*lists, strict=True)) > 0
    copies = told["counted"]["copies"]
    assert count(copies["moved"])[0] == sum(len({*right} - {*left}) for left, right in zip(*lists, strict=True))
    for node in copies["nodes"]:
        assert [count(node[side])[0] for side in ("before", "after")] == [sum(node["id"] in held for held in side) for side in lists]
    assert (told["r"], told["spread"], told["relaxed"], told["excluded"]) == (3, 0, False, ["n5"])
    assert before.diff(after, r=2, spread=1, relaxed=True)["relaxed"] is True
    with refuses("not_enough_domains"):
        before.diff(after, r=4, spread=0)
    with refuses("not_enough_nodes"):
        before.diff_keys(after, [], r=10**30)
    with refuses("invalid_parameter"):
        before.diff(after, r=0)
    with pytest.raises(NoNodesError):
        before.diff(after, exclude=[*before.ids, *after.ids])


def test_expectations_without_keys() -> None:
    before = Cluster([Node("a", 3), Node("b", 1)])
    told = before.diff(before.with_node(Node("c", 4)))
    assert told["counted"] is None and told["arcs"] is None and told["slots"] is None
    assert Fraction(*map(int, told["least"]["fraction"])) == Fraction(1, 2)
    expected = told["expected"]
    assert (expected["method"], expected["standard_error"]) == ("exact", 0) and math.isclose(expected["moved"], 0.5)
    assert [(move["from"], move["to"]) for move in expected["moves"]] == [("a", "c"), ("b", "c")]
    assert all(math.isclose(move["share"], share) for move, share in zip(expected["moves"], (3 / 8, 1 / 8), strict=True))
    # Counts agree with it.
    counted = before.diff(before.with_node(Node("c", 4)), range(20_000))["counted"]
    assert abs(count(counted["moved"])[0] - 10_000) < 5 * math.sqrt(20_000 / 4)
    # Nodes that are equal in all but the hash: another method says so.
    other = before.diff(Cluster([Node("a", 3), Node("b", 1)], seed=1))["expected"]
    assert other["method"] != "exact" or other["moved"] == 0 or math.isclose(other["moved"], 3 / 8)


def test_what_can_differ_in_nothing() -> None:
    before = Cluster([Node("a", 1), Node("b", 2)])
    for after in (before, before.with_epoch(7), Cluster([Node("a", 2), Node("b", 4)]), before.with_node(Node("c", 0))):
        told = before.diff(after, KEYS)
        assert told["identical"] is True and told["expected"]["moved"] == 0 and count(told["counted"]["moved"]) == (0, 0)
        assert {move.reason for move in before.diff_keys(after, KEYS)} == {"unchanged"}


def test_the_ring_of_the_worked_example() -> None:
    example = EXAMPLES["ring"]
    ring = Cluster([Node(id, tokens=tokens) for id, tokens in example["tokens"].items()], algorithm="ring-1", space=example["space"])
    grown = ring.with_node(Node("E", tokens=[12]))
    told = ring.diff(grown)
    assert told["arcs"] == [{"start": "8", "end": "12", "length": "4", "from": "C", "to": "E", "share": 1}]
    assert Fraction(example["add_E_at_12"]["moved_share"]) == Fraction(*map(int, told["least"]["fraction"])) == Fraction(told["expected"]["moved"])
    (arc,) = grown.diff(grown.without_node("B"))["arcs"]
    assert list(range(int(arc["start"]) + 1, int(arc["end"]) + 1)) == example["then_remove_B"]["moved"]
    assert [arc["from"], arc["to"]] == example["then_remove_B"]["from_to"]
    # Mapping is not data: the move names where the value is, and where it has to be.
    mapping = EXAMPLES["mapping_is_not_data"]
    assert (ring.owner_at(mapping["key_coordinate"]), grown.owner_at(mapping["key_coordinate"])) == (mapping["before"], mapping["after"])
    moved = [move for move in ring.diff_keys(grown, KEYS) if move.reason != "unchanged"]
    assert moved and {(move.source, move.target) for move in moved} == {(mapping["before"], mapping["after"])}


def test_slots_that_move() -> None:
    before, after = changed("slots-1")
    owners = list(zip(before.slot_owners(), after.slot_owners(), strict=True))
    assert before.diff(after)["slots"] == [{"slot": slot, "from": left, "to": right} for slot, (left, right) in enumerate(owners) if left != right]


def test_between_transitions() -> None:
    before, after = changed("rendezvous-1")
    steps = [Transition(before, after, part, 3, epoch=part) for part in range(4)]
    path = [before, *steps[1:], after]
    moved = [count(left.diff(right, KEYS)["counted"]["moved"])[0] for left, right in zip(path, path[1:])]
    assert sum(moved) == count(before.diff(after, KEYS)["counted"]["moved"])[0] and moved[-1] == 0 and all(moved[:-1])
    told = steps[1].diff(steps[2], KEYS, SIZES)
    assert [told[side]["fingerprint"] for side in ("before", "after")] == [step.fingerprint for step in steps[1:3]]
    assert [told[side]["epoch"] for side in ("before", "after")] == [1, 2]
    for move in steps[1].diff_keys(steps[2], KEYS):
        assert (move.source, move.target) == (steps[1].owner(move.key), steps[2].owner(move.key))
    assert after.diff(steps[3])["expected"]["moved"] == 0
    for left, right in ((Transition(before.owner, after, 1, 3), after), (after, Transition(before.owner, after, 1, 3))):
        for call in (left.diff, lambda after, left=left: left.diff_keys(after, [])):
            with refuses("unsupported", "before"):
                call(right)


# ---- arguments


def test_keys_and_sizes_come_from_anywhere() -> None:
    before, after = changed("rendezvous-1")
    wanted = before.diff(after, KEYS, SIZES)
    numpy = pytest.importorskip("numpy")
    for keys, sizes in ((tuple(KEYS), iter(SIZES)), (iter(KEYS), tuple(SIZES)), ((key for key in KEYS), numpy.array(SIZES)), (dict.fromkeys(KEYS), SIZES)):
        assert before.diff(after, keys, sizes) == wanted
    assert count(before.diff(after, ["k"], [2**64 - 1])["counted"]["total"]) == (1, 2**64 - 1)
    assert count(before.diff(after, ["k"] * 3, [2**64 - 1] * 3)["counted"]["total"]) == (3, 3 * (2**64 - 1))
    # No keys are keys too: their counts are 0, and not absent.
    for none in (before.diff(after, [], []), before.diff(after, iter(()))):
        assert count(none["counted"]["total"]) == (0, 0) == count(none["counted"]["moved"])
    assert before.diff(after)["counted"] is None


def test_wrong_arguments() -> None:
    before, after = changed("rendezvous-1")
    for wrong in (None, "a", before.fingerprint, ["a"], 1):
        with pytest.raises(TypeError, match="a Cluster or a Transition"):
            before.diff(wrong)
        with pytest.raises(TypeError, match="a Cluster or a Transition"):
            before.diff_keys(wrong, [])
    for keys in ("abc", b"abc", bytearray(b"abc"), memoryview(b"abc"), 7):
        with pytest.raises(TypeError):
            before.diff(after, keys)
        with pytest.raises(TypeError):
            before.diff_keys(after, keys)
    with pytest.raises(TypeError, match="sizes"):
        before.diff(after, None, [1])
    with pytest.raises(TypeError):
        before.diff_keys(after)
    for sizes in (b"\x01\x02", "12", 7, [1, True], [1, 1.5], [1, "1"], [1, None]):
        with pytest.raises(TypeError):
            before.diff(after, ["a", "b"], sizes)
    for sizes in ([], [1], [1, 2, 3], [1, -1], [1, 2**64], [1, 10**500], iter([1])):
        with refuses("invalid_parameter", "size"):
            before.diff(after, ["a", "b"], sizes)
    for keys in (["a", 1.5], ["a", None]):
        with refuses("invalid_key"):
            before.diff(after, keys)
        moves = before.diff_keys(after, keys)
        assert next(moves).key == "a"
        with refuses("invalid_key"):
            next(moves)
        with pytest.raises(StopIteration):
            next(moves)
    for given in ({"r": True}, {"r": 1.5}, {"r": None}, {"spread": 1.5}, {"exclude": "n1"}, {"r": 2, "limit": 3}):
        with pytest.raises(TypeError):
            before.diff(after, **given)
    for given in ({"r": -1}, {"r": 2, "spread": 8}, {"r": 2, "spread": "nowhere"}):
        with refuses("invalid_parameter"):
            before.diff(after, **given)


def test_what_iterators_raise_comes_out() -> None:
    before, after = changed("rendezvous-1")

    def raising() -> Iterator[Any]:
        yield "k"
        raise ZeroDivisionError

    for keys, sizes in ((raising(), None), (["k", "l"], (i for i in raising() if i != "k" or 1 / 0)), (raising(), [1, 2])):
        with pytest.raises(ZeroDivisionError):
            before.diff(after, keys, sizes)
    moves = before.diff_keys(after, raising())
    next(moves)
    with pytest.raises(ZeroDivisionError):
        next(moves)


def test_diff_keys_is_lazy() -> None:
    before, after = changed("rendezvous-1")
    taken: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            taken.append(len(taken))
            yield taken[-1]

    moves = before.diff_keys(after, endless())
    assert iter(moves) is moves and not taken
    assert [next(moves).key for _ in range(3)] == taken == [0, 1, 2]
    # An iterator of keys that asks for more moves.
    asks: list[Any] = []
    inner = before.diff_keys(after, (asks.append(next(inner, None)) or key if key == "b" else key for key in ["a", "b", "c"]))
    assert next(inner).key == "a"
    with pytest.raises(ValueError, match="already executing"):
        next(inner)


def test_moves_are_named_tuples() -> None:
    before, after = changed("rendezvous-1")
    (move,) = before.diff_keys(after, ["user:0"])
    key, source, target, reason = move
    assert type(move) is Move and move == (key, source, target, reason) == (move.key, move.source, move.target, move.reason)
    assert pickle.loads(pickle.dumps(move)) == move and repr(move).startswith("Move(key='user:0', source=")
    with pytest.raises(TypeError):
        type(before.diff_keys(after, []))()


def test_nothing_is_left_behind() -> None:
    before, after = changed("rendezvous-1")
    keys = [object.__str__(object()) for _ in range(5)]
    counts = [sys.getrefcount(each) for each in (before, after, keys, keys[0])]
    for _ in range(200):
        before.diff(after, keys, range(5))
        list(before.diff_keys(after, keys))
        next(before.diff_keys(after, iter(keys)))
        try:
            before.diff(after, [*keys, None])
        except KeysteadError:
            pass
    gc.collect()
    assert [sys.getrefcount(each) for each in (before, after, keys, keys[0])] == counts

    class Keys:
        """An iterator that holds the moves that hold it."""

        moves: Any

        def __iter__(self) -> Any:
            return self

        def __next__(self) -> str:
            return "k"

    gc.collect()
    alive = len(gc.get_objects())
    for _ in range(20):
        cycle = Keys()
        cycle.moves = before.diff_keys(after, cycle)
        next(cycle.moves)
    del cycle
    gc.collect()
    assert len(gc.get_objects()) - alive < 20
