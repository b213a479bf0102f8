"""plan: a change in steps that keep a limit, put to the test with the transitions that the steps stand for."""

import json
from collections import Counter
from typing import Any

import pytest
from keystead import Cluster, Node, Transition, plan
from refusals import refuses

NODES = [Node(f"n{i}", 1 + i % 3, [f"z{i % 3}"]) for i in range(8)]
KINDS: dict[str, dict[str, Any]] = {"rendezvous-1": {}, "ring-1": {"tokens_per_weight": 16}, "slots-1": {"slots": 271}, "hierarchy-1": {}}
KEYS: list[Any] = [f"user:{i}" for i in range(2000)] + [("t", i) for i in range(200)]
SIZES = [10 + i % 90 for i in range(len(KEYS))]


def changed(algorithm: str) -> tuple[Cluster, Cluster]:
    before = Cluster(NODES, algorithm=algorithm, **KINDS[algorithm])
    return before, before.change(add=[Node("n8", 3, ["z1"]), Node("n9", 1, ["z2"])], remove=["n1"], weight={"n2": 1}, drain=["n6"])


def number(text: str | None) -> int:
    assert text is not None
    return int(text)


@pytest.mark.parametrize(("limit", "most_keys", "most_bytes"), [("300keys", 300, None), ("20kB", None, 20_000), ("7.5%", 165, None), ("250keys,15KiB", 250, 15 * 1024)])
@pytest.mark.parametrize("algorithm", KINDS)
def test_steps_keep_the_limit_and_add_up(algorithm: str, limit: str, most_keys: int | None, most_bytes: int | None) -> None:
    before, after = changed(algorithm)
    planned = plan(before, after, KEYS, SIZES, limit=limit)
    assert planned["figures"] == "counted" and json.loads(json.dumps(planned)) == planned
    assert planned["difference"] == before.diff(after, KEYS, SIZES)
    owners = before.owner_many(KEYS)
    moves = Counter[int]()
    for at, step in enumerate(planned["steps"], 1):
        transition = Transition(before, after, step["part"], step["of"], epoch=at)
        assert (step["step"], step["fingerprint"]) == (at, transition.fingerprint)
        now = [transition.owner(key) for key in KEYS]
        moved = [i for i, (left, right) in enumerate(zip(owners, now, strict=True)) if left != right]
        keys, size = len(moved), sum(SIZES[i] for i in moved)
        assert (number(step["moved"]["keys"]), number(step["moved"]["bytes"])) == (keys, size)
        into = Counter(now[i] for i in moved)
        assert {node["id"]: number(node["moved_in"]["keys"]) for node in step["nodes"] if node["moved_in"]["keys"] != "0"} == into
        if step["oversize"] is None:
            assert (most_keys is None or keys <= most_keys) and (most_bytes is None or size <= most_bytes)
        moves.update(moved)
        owners = now
    assert owners == after.owner_many(KEYS) and set(moves.values()) == {1}
    assert planned["last"]["fingerprint"] == after.fingerprint
    checks = planned["checks"]
    assert (number(checks["moved_twice"]), checks["sum_is_difference"], checks["followed"]) == (0, True, "keys")
    # Nothing is left to plan.
    assert plan(Transition(before, after, 1, 1), after, KEYS, SIZES, limit=limit)["steps"] == []


def test_a_limit_for_each_node() -> None:
    before, after = changed("rendezvous-1")
    planned = plan(before, after, KEYS, limit="60keys/node")
    assert planned["limits"] == ["60keys/node"] and len(planned["steps"]) > 1
    assert all(number(node[way]["keys"]) <= 60 for step in planned["steps"] for node in step["nodes"] for way in ("moved_in", "moved_out"))


def test_without_keys_the_limit_is_a_share() -> None:
    before = Cluster(["a", "b", "c"])
    planned = plan(before, before.with_node("d"), limit="5%")
    assert (planned["figures"], planned["even"]) == ("expected", True)
    assert [(step["part"], step["of"]) for step in planned["steps"]] == [(part, 5) for part in range(1, 6)]
    slots = Cluster(["a", "b"], algorithm="slots-1", slots=97)
    planned = plan(slots, slots.with_node("c"), limit="10%")
    assert planned["figures"] == "slots" and planned["checks"]["count"] == str(len(slots.diff(slots.with_node("c"))["slots"]))
    for limit in ("5keys", "5MB", "5%,5keys/node"):
        with refuses("invalid_parameter", "keys"):
            plan(before, before.with_node("d"), limit=limit)
    with refuses("invalid_parameter"):
        plan(before, before.with_node("d"), KEYS, limit="5MB")


def test_a_key_above_the_limit_is_named() -> None:
    before, after = changed("rendezvous-1")
    mover = next(move.key for move in before.diff_keys(after, KEYS) if move.source != move.target)
    sizes = [5_000_000 if key == mover else 10 for key in KEYS]
    planned = plan(before, after, KEYS, sizes, limit="1MB")
    (alone,) = [step for step in planned["steps"] if step["oversize"]]
    assert alone["oversize"]["key"]["text"] == mover and alone["moved"]["keys"] == "1"
    assert planned["checks"]["above_limit"] == 1


def test_from_and_to_a_transition() -> None:
    before, after = changed("rendezvous-1")
    half = Transition(before, after, 1, 2)
    on, back = plan(half, after, KEYS, limit="100keys"), plan(half, before, KEYS, limit="100keys")
    for planned, start, goal in ((on, half, after), (back, half, before)):
        owners = [start.owner(key) for key in KEYS]
        for step in planned["steps"]:
            now = [Transition(before, after, step["part"], step["of"]).owner(key) for key in KEYS]
            assert sum(left != right for left, right in zip(owners, now, strict=True)) == number(step["moved"]["keys"]) <= 100
            owners = now
        assert owners == goal.owner_many(KEYS)
    with refuses("unsupported"):
        plan(half, before.with_node("other"), limit="5%")
    for sides in ((Transition(before.owner, after, 0, 1), after), (before, Transition(before.owner, after, 1, 1))):
        with refuses("unsupported", "before"):
            plan(*sides, limit="5%")


def test_arguments() -> None:
    before, after = changed("rendezvous-1")
    assert plan(before, before, limit="1%")["steps"] == []
    assert plan(before, after, iter(KEYS), iter(SIZES), limit="1kB") == plan(before, after, tuple(KEYS), tuple(SIZES), limit="1kB")
    for wrong in (None, "a", 1, before.ids):
        with pytest.raises(TypeError, match="before must be a Cluster or a Transition"):
            plan(wrong, after, limit="5%")
        with pytest.raises(TypeError, match="after must be a Cluster or a Transition"):
            plan(before, wrong, limit="5%")
    for limit in (None, 5, 0.05, b"5%", ["5%"], True):
        with pytest.raises(TypeError, match="limit must be a str"):
            plan(before, after, limit=limit)
    for call in (lambda: plan(before, after), lambda: plan(before, after, KEYS, SIZES, "5%"), lambda: plan(before, limit="5%")):
        with pytest.raises(TypeError):
            call()
    for limit in ("", "5", "5 apples", "-5keys", "0keys", "0%", "101%", "1e3keys", "5%/zone", "5%,", "\u0665%", "9" * 5000 + "keys"):
        with refuses("invalid_parameter", "limit"):
            plan(before, after, limit=limit)
    with refuses("invalid_text"):
        plan(before, after, limit="5\ud800")
    with pytest.raises(TypeError, match="sizes"):
        plan(before, after, None, [1], limit="5%")
    with refuses("invalid_parameter", "size"):
        plan(before, after, ["a", "b"], [1], limit="5keys")
    with refuses("invalid_key"):
        plan(before, after, ["a", None], limit="5keys")
    with pytest.raises(TypeError):
        plan(before, after, "abc", limit="5keys")


def test_sizes_of_0_are_sizes_and_no_keys_are_keys() -> None:
    before, after = changed("rendezvous-1")
    (step,) = plan(before, after, KEYS, [0] * len(KEYS), limit="10B")["steps"]
    assert step["moved"]["bytes"] == "0" and step["moved"]["keys"] != "0"
    with refuses("invalid_parameter", "needs the sizes"):
        plan(before, after, KEYS, limit="10B")
    for limit in ("10B", "10keys", "5%"):
        planned = plan(before, after, iter(()), [], limit=limit)
        assert planned["steps"] == [] and planned["figures"] == "counted" and planned["last"]["fingerprint"] == after.fingerprint
    with refuses("invalid_parameter", "needs keys"):
        plan(before, after, limit="10keys")


def test_a_key_above_the_limit_by_repetition_is_named() -> None:
    before, after = Cluster(["x"]), Cluster(["y"])
    for keys, sizes, limit in ((["hot"] * 2, [50, 50], "60B"), (["a", "hot", "b", "hot", "hot"], None, "2keys")):
        (named,) = [step["oversize"]["key"]["text"] for step in plan(before, after, keys, sizes, limit=limit)["steps"] if step["oversize"]]
        assert named == "hot"
