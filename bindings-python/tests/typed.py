"""A program that uses all of the package, for `mypy --strict`; run, it asserts that the types are true."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Literal, assert_type

import keystead
import numpy
import polars
from keystead import Arc, Cluster, KeysteadError, LiveCluster, Move, Node, NoNodesError, Transition, encode_key, jump, jump_bucket, modulo, plan, rank_scores


def build(algorithm: str | None = None) -> Cluster:
    nodes: list[str | Node] = ["a", Node("b", weight=2, location=("eu", "eu-1"), meta={"rack": "r7"}), Node("c", 1, ["eu"], None, "10.7.0.1:80")]
    return Cluster(nodes, algorithm=algorithm, hash="xxh64", seed=7, epoch=1, levels=["region", "zone"])


def ask(cluster: Cluster) -> None:
    names: list[str] = ["user:1", "user:2"]
    mixed: list[str | bytes | int | tuple[str, int]] = ["a", b"b", 3, ("t", 4)]
    column = polars.Series(["user:1", None])
    assert_type(cluster.owner("user:42"), str)
    assert_type(cluster.owner(b"user:42", exclude={"a"}), str)
    assert_type(cluster.owner(("tenant-7", 42)), str)
    assert_type(cluster.owner(["tenant-7", [42, b"x"]]), str)
    assert_type(cluster.owner(names), str)
    assert_type(cluster[memoryview(b"k")], str)
    assert_type(cluster.ranking(42, limit=2), list[str])
    assert_type(cluster.replicas("k", 1, spread=0 if len(cluster) == 0 else None, relaxed=True), list[str])
    assert_type(cluster.explain("k", 2), dict[str, Any])
    assert_type(cluster.owner_many(names), list[str])
    assert_type(cluster.owner_many(mixed), list[str])
    assert_type(cluster.owner_many(name for name in names), list[str])
    assert_type(cluster.owner_many(range(3)), list[str])
    assert_type(cluster.owner_many(column), list[str | None])
    assert_type(cluster.owner_many(numpy.array([1, 2])), list[str])
    assert isinstance(cluster.owner_indices(column), memoryview)
    assert isinstance(cluster.owner_indices(names), memoryview)
    assert isinstance(cluster.replica_indices(names, 2), memoryview)
    groups = cluster.group_by_owner(names)
    assert_type(groups, dict[str, list[str]])
    assert_type(cluster.shares(), dict[str, Fraction])
    assert_type(cluster.ids, tuple[str, ...])
    assert_type(cluster.nodes, tuple[Node, ...])
    assert_type(cluster.node("b").location, tuple[str, ...])
    assert_type(cluster.node("b").tokens, tuple[int, ...] | None)
    assert_type(cluster.node("b").meta, MappingProxyType[str, str])
    assert_type(cluster.seed, int | None)
    assert_type(cluster.levels, tuple[str, ...] | None)
    assert_type(cluster.fingerprint, str)
    assert_type(cluster.description(), bytes)
    assert_type(iter(cluster), Iterator[str])
    assert_type("a" in cluster, bool)
    weights: Mapping[str, int] = {"a": 3}
    changed = cluster.change(add=["d", Node("e")], remove=["c"], weight=weights, drain=("b",)).with_epoch(2).with_epoch(None)
    assert_type(changed, Cluster)
    comparison: Literal["same", "newer", "older", "conflict", "different"] = changed.compare(cluster)
    assert comparison == "different"
    assert_type(cluster.with_node("z").with_weight("z", 3).without_node("z") == cluster, bool)
    assert Cluster.from_json(cluster.to_json()) == cluster


def change_step_by_step(before: Cluster) -> None:
    step = Transition(before, before.with_node("z"), 1, 4, epoch=5)
    assert_type(step.before, Cluster | Callable[[Any], str])
    assert_type(step.after, Cluster)
    assert_type((step.part, step.of, step.epoch, step.comment), tuple[int, int, int | None, str | None])
    assert_type(step.fingerprint, str)
    assert_type(step.owner(("t", 1), exclude=["a"]), str)
    assert_type(step.candidates(b"k"), list[str])
    assert_type(step.passes(7), bool)
    assert_type(step.ranking("k", 2), list[str])
    assert_type(step.replicas("k", 1, spread=None, relaxed=True), list[str])
    assert_type(step.explain("k", 1), dict[str, Any])
    assert_type(step.at(2, 4).with_epoch(6), Transition)
    comparison: list[Literal["same", "newer", "older", "conflict", "different"]] = [step.compare(before), before.compare(step), step.compare(step)]
    assert comparison == ["newer", "older", "same"]
    assert_type(Transition.from_json(step.to_json(), before_secret=None) == step, bool)

    names: list[str] = ["user:1", "user:2"]
    assert_type(before.diff(step, names, [1, 2], r=1), dict[str, Any])
    assert_type(step.diff(before), dict[str, Any])
    assert_type(plan(before, step.after, names, [1, 2], limit="1keys"), dict[str, Any])
    assert_type(plan(before, step, limit="5%"), dict[str, Any])
    for move in step.diff_keys(before, names, spread=None):
        assert_type(move, Move)
        assert_type(move.source, str)

    def old(key: str | int) -> str:
        return f"old-{key}"

    assert_type(Transition(old, before, 0, 1).owner("k"), str)


def follow_a_file(cluster: Cluster) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "live.json"
        path.write_text(cluster.to_json(), "utf-8")
        live = LiveCluster(path, secret=None)
        told: Literal["same", "newer"] = live.refresh()
        assert told == "same"
        assert_type(live.current, Cluster | Transition)
        assert_type(live.owner("k", exclude=["a"]), str)
        assert_type(live.candidates("k"), list[str])
        assert_type(live.ranking("k", 1), list[str])
        assert_type(live.replicas("k", 2), list[str])
        assert_type(live.explain("k"), dict[str, Any])


def look_inside() -> None:
    ring = Cluster([Node("a", tokens=[1, 5])], algorithm="ring-1", space=32)
    for start, end, length, owner in ring.arcs():
        assert_type((start, end, length, owner), tuple[int, int, int, str])
    assert_type(ring.arcs()[0], Arc)
    assert_type(ring.owner_at(3), str)
    slots = build("slots-1")
    assert_type(slots.slot("k"), int)
    assert_type(slots.slot_owners(), list[str])
    assert_type(slots.slots_of("a"), list[int])
    assert_type(slots.slot_ranking(0, 1), list[str])
    assert isinstance(slots.slot_indices(["k"]), memoryview)


def functions() -> None:
    assert_type(encode_key(("a", 1)), bytes)
    assert_type(jump(7, 10), int)
    assert_type(jump_bucket("k", 10, hash="sip13", secret=bytes(16)), int)
    assert_type(modulo("k", 10, seed=3), int)
    assert_type(rank_scores([("a", 1), ("b", 2, 3)]), list[str])
    assert_type(keystead.__version__, str)


def refuse() -> None:
    try:
        Cluster([])
    except NoNodesError as none:
        assert_type(none.code, str)
    try:
        Cluster.load(Path("missing") / "cluster.json")
    except FileNotFoundError:
        pass
    try:
        Cluster.from_json("{")
    except KeysteadError as error:
        assert_type(error.line, int | None)
        assert (error.code, error.line, error.column) == ("invalid_file", 1, 2)
    else:
        raise AssertionError
    # What is no key, or no argument, is an error to the type checker too: `warn_unused_ignores` says if it is not.
    for wrong in (
        lambda: build().owner(1.5),  # type: ignore[arg-type]
        lambda: build().owner(None),  # type: ignore[arg-type]
        lambda: build().owner({}),  # type: ignore[arg-type]
        lambda: Cluster([1]),  # type: ignore[list-item]
        lambda: Cluster(["a"], "ring-1"),  # type: ignore[call-arg]
        lambda: Node("a", 1.5),  # type: ignore[arg-type]
        lambda: setattr(build(), "epoch", 7),
        lambda: build().owner_many(7),  # type: ignore[call-overload]
        lambda: Transition("a", build(), 0, 1),  # type: ignore[arg-type]
        lambda: Transition(build(), lambda key: "a", 0, 1),  # type: ignore[arg-type]
        lambda: build().compare("a"),  # type: ignore[arg-type]
        lambda: plan(build(), build(), limit=3),  # type: ignore[arg-type]
    ):
        try:
            wrong()
        except (TypeError, AttributeError, KeysteadError):
            continue
        raise AssertionError


def main() -> None:
    ask(build())
    change_step_by_step(build())
    follow_a_file(build())
    look_inside()
    functions()
    refuse()


if __name__ == "__main__":
    main()
