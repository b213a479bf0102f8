"""Transitions: what passes when, functions as `before`, files, and transitions as Python objects."""

import copy
import gc
import hashlib
import json
import pickle
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from keystead import Cluster, KeysteadError, Node, NoNodesError, Transition
from refusals import refuses
from test_properties import keys as any_keys
from test_properties import node_lists, parameters

SECRETS = [b"\x00TOPSECRET\xff1234" + bytes([i]) for i in range(2)]
BEFORE = Cluster([Node("a", 2, ["eu", "x"]), Node("b", 1, ["eu", "y"]), Node("c", 1, ["us", "x"])], epoch=9, levels=["region", "zone"])
AFTER = BEFORE.change(add=[Node("d", 2, ["us", "y"])], drain=["b"])
PAIRS = [
    (BEFORE, AFTER),
    (AFTER, BEFORE),
    (BEFORE, BEFORE),
    (BEFORE, Cluster(["x", "y"], algorithm="ring-1", tokens_per_weight=3, hash="xxh64")),
    (Cluster(["a", "b"], algorithm="ring-1", tokens_per_weight=3), Cluster(["a", "b", "c"], algorithm="ring-1", tokens_per_weight=3)),
    (Cluster(["a", "b"], algorithm="slots-1", slots=97), Cluster(["a", "b", "c"], algorithm="slots-1", slots=97, headroom=0)),
    (Cluster(["a", "b"], algorithm="slots-1", slots=97), Cluster(["a", "b", "c"], algorithm="slots-1", slots=98)),
    (Cluster(["a", "b"], hash="sip13", secret=SECRETS[0]), Cluster(["b", "c"], hash="sip13", secret=SECRETS[1])),
    (Cluster([Node("a", 1, ["x"]), Node("b", 1, ["y"])], algorithm="hierarchy-1"), Cluster(["a"])),
]
KEYS: list[Any] = [f"user:{i}" for i in range(150)] + list(range(100)) + [("t", i) for i in range(50)] + [b"", bytearray(b"x"), memoryview(b"yz")]
PAIRS_OF = pytest.mark.parametrize(("before", "after"), PAIRS)


def old(key: Any) -> str:
    return f"old-{len(str(key)) % 3}"


def passed(before: Cluster, after: Cluster, part: int, of: int) -> list[bool]:
    step = Transition(before, after, part, of)
    return [step.passes(key) for key in KEYS]


@PAIRS_OF
def test_each_key_is_answered_by_one_side(before: Cluster, after: Cluster) -> None:
    for part, of in ((0, 1), (1, 1), (0, 7), (3, 7), (7, 7), (1, 2**32 - 1), (2**32 - 1, 2**32 - 1)):
        step = Transition(before, after, part, of)
        assert (step.before, step.after, step.part, step.of, step.epoch, step.comment) == (before, after, part, of, None, None)
        assert step.before is before and step.after is after
        for key in KEYS:
            side, other = (after, before) if step.passes(key) else (before, after)
            owner = side.owner(key)
            assert step.owner(key) is owner and step.ranking(key) == side.ranking(key) and step.ranking(key, 1) == [owner]
            assert step.replicas(key, 1) == [owner] and step.replicas(key, 0) == []
            assert step.candidates(key) == ([owner] if other.owner(key) == owner else [owner, other.owner(key)])
            why = step.explain(key)
            assert why.pop("transition") == {"part": part, "of": of, "passed": step.passes(key), "epoch": None, "fingerprint": step.fingerprint}
            assert why == side.explain(key)
        if part in (0, of):
            assert {step.passes(key) for key in KEYS} == {part == of}


@PAIRS_OF
def test_a_key_passes_once(before: Cluster, after: Cluster) -> None:
    earlier = [False] * len(KEYS)
    for part in range(14):
        now = passed(before, after, part, 13)
        assert all(then <= later for then, later in zip(earlier, now, strict=True))
        assert now == passed(before, after, 2 * part, 26)
        earlier = now
    assert all(earlier)


def test_a_slot_is_never_cut() -> None:
    for before, after in PAIRS:
        step = Transition(before, after, 1, 2)
        sides: dict[int, set[bool]] = {}
        for key in range(2000):
            if before.slots:
                sides.setdefault(before.slot(key), set()).add(step.passes(key))
        together = bool(before.slots) and before.slots == after.slots
        assert any(len(side) == 2 for side in sides.values()) == (bool(before.slots) and not together)
        # With a function, and between clusters without a table in common, a key's own bytes decide.
        same_keys = [Transition(old, after, 1, 2).passes(key) for key in KEYS] == [step.passes(key) for key in KEYS]
        assert same_keys == (not together)


@given(node_lists(), node_lists(), parameters, any_keys, st.integers(1, 2**32 - 1), st.data())
def test_steps_add_up(one: list[Node], two: list[Node], given: dict[str, Any], key: Any, of: int, data: Any) -> None:
    before, after = Cluster(one, **given), Cluster(two)
    parts = sorted(data.draw(st.lists(st.integers(0, of), max_size=5)) + [0, of])
    steps = [Transition(before, after, part, of) for part in parts]
    answers = [step.ranking(key) for step in steps]
    assert answers[0] == before.ranking(key) and answers[-1] == after.ranking(key)
    assert sum(left != right for left, right in zip(answers, answers[1:])) == (answers[0] != answers[-1])
    # Whatever two steps two clients are at, they name two nodes at most, and the candidates are these.
    names = {before.owner(key), after.owner(key)}
    for step in steps:
        assert set(step.candidates(key)) == names and step.candidates(key)[0] == step.owner(key)


def test_exclude_is_for_the_cluster_that_answers() -> None:
    before, after = Cluster(["a", "b"]), Cluster(["c", "d"])
    step = Transition(before, after, 1, 2)
    for key in KEYS:
        side = after if step.passes(key) else before
        assert step.owner(key, exclude=["a", "c"]) == side.owner(key, exclude=["a", "c"]) in ("b", "d")
        assert step.ranking(key, exclude=["a", "c"]) == side.ranking(key, exclude=["a", "c"])
        if side is after:
            with pytest.raises(NoNodesError):
                step.owner(key, exclude=["c", "d"])
            assert step.ranking(key, 0, exclude=["c", "d"]) == []
        else:
            assert step.owner(key, exclude=["c", "d"]) == before.owner(key)


def test_copies() -> None:
    step = Transition(BEFORE, AFTER, 1, 2)
    for key in KEYS:
        side = AFTER if step.passes(key) else BEFORE
        assert step.replicas(key, 2, spread="region", exclude=["x"]) == side.replicas(key, 2, spread=0)
        assert step.explain(key, 2, spread="zone")["picked"] == side.replicas(key, 2, spread="zone")
        assert step.replicas(key, 3, spread="region", relaxed=True) == side.replicas(key, 3, spread=0, relaxed=True)
        with refuses("not_enough_nodes"):
            step.replicas(key, 10**30)
        with refuses("not_enough_domains"):
            step.replicas(key, 3, spread="region")
        for r in (-1, -(10**30)):
            with refuses("invalid_parameter"):
                step.replicas(key, r)
    with pytest.raises(TypeError):
        step.replicas("k", True)
    with refuses("invalid_key"):
        step.replicas(1.5, 1)


# ---- a function in the place of `before`


def test_a_function_answers_for_what_has_not_passed() -> None:
    step = Transition(old, AFTER, 1, 3, epoch=7)
    assert (step.before, step.after, step.part, step.of, step.epoch, step.comment) == (old, AFTER, 1, 3, 7, None)
    assert step.before is old
    seen = set()
    for key in KEYS:
        new, former = AFTER.owner(key), old(key)
        seen.add(step.passes(key))
        assert step.owner(key) == (new if step.passes(key) else former)
        assert step.candidates(key) == ([new, former] if step.passes(key) else [former, new])
    assert seen == {True, False}
    agreeing = Transition(AFTER.owner, AFTER, 1, 3)
    assert all(agreeing.candidates(key) == [AFTER.owner(key)] for key in KEYS)


def test_the_function_is_given_the_key_as_it_is() -> None:
    asked: list[Any] = []

    def remember(key: Any) -> str:
        asked.append(key)
        return "old"

    step = Transition(remember, AFTER, 0, 1)
    for key in KEYS:
        step.owner(key)
        step.candidates(key)
    assert len(asked) == 2 * len(KEYS) and all(asked[2 * i] is key and asked[2 * i + 1] is key for i, key in enumerate(KEYS))
    asked.clear()
    done = step.at(1, 1)
    assert [done.owner(key) for key in KEYS] == AFTER.owner_many(KEYS) and not asked
    for refused in (1.5, None, True, {}):
        with refuses("invalid_key"):
            step.owner(refused)
        with refuses("invalid_key"):
            step.candidates(refused)
    assert not asked


def test_what_the_function_raises_comes_out() -> None:
    class Mine(BaseException):
        pass

    error = Mine("mine")

    def raising(key: Any) -> str:
        raise error

    for call in (Transition(raising, AFTER, 0, 1).owner, Transition(raising, AFTER, 1, 1).candidates):
        with pytest.raises(Mine) as raised:
            call("k")
        assert raised.value is error
    assert Transition(raising, AFTER, 1, 1).owner("k") == AFTER.owner("k")
    with pytest.raises(ZeroDivisionError):
        Transition(lambda key: str(1 / 0), AFTER, 0, 1).owner("k")
    with pytest.raises(TypeError, match="argument"):
        Transition(lambda: "a", AFTER, 0, 1).owner("k")
    # A transition can be the function of another.
    first = Transition(old, BEFORE, 1, 2)
    assert Transition(first.owner, AFTER, 0, 1).owner("k") == first.owner("k")


def test_what_the_function_returns_is_a_str() -> None:
    class Name(str):
        pass

    for wrong in (None, 1, b"a", 1.5, True, ["a"], Node("a")):
        step = Transition(lambda key, wrong=wrong: wrong, AFTER, 0, 1)
        for call in (step.owner, step.candidates):
            with pytest.raises(TypeError, match="before returns must be a str"):
                call("k")
    assert Transition(lambda key: Name("n"), AFTER, 0, 1).owner("k") == "n"
    with refuses("invalid_text"):
        Transition(lambda key: "\ud800", AFTER, 0, 1).owner("k")


def test_what_needs_two_clusters_is_unsupported() -> None:
    step = Transition(old, AFTER, 1, 2, epoch=1)
    whole = Transition(BEFORE, AFTER, 1, 2)
    calls: list[Any] = [
        lambda: step.fingerprint,
        lambda: step.ranking("k"),
        lambda: step.ranking("k", 0),
        lambda: step.replicas("k", 1),
        lambda: step.replicas("k", 0),
        lambda: step.explain("k"),
        step.to_json,
        lambda: pickle.dumps(step),
        lambda: step.compare(whole),
        lambda: step.compare(step),
        lambda: whole.compare(step),
        lambda: AFTER.compare(step),
        lambda: step.owner("k", exclude=["a"]),
    ]
    for call in calls:
        with refuses("unsupported", "before"):
            call()
    assert copy.copy(step) is step and copy.deepcopy(step) is step


# ---- making one


def test_arguments() -> None:
    for before, after in ((BEFORE, None), (BEFORE, "a"), (BEFORE, old), (BEFORE, ["a"]), (BEFORE, Transition(BEFORE, AFTER, 0, 1)), ("a", AFTER)):
        with pytest.raises(TypeError):
            Transition(before, after, 0, 1)
    for before in (None, 1, ["a"], BEFORE.ids, Transition(BEFORE, AFTER, 0, 1)):
        with pytest.raises(TypeError, match="before must be a Cluster or a function"):
            Transition(before, AFTER, 0, 1)
    for part, of in ((2, 1), (-1, 1), (0, 0), (1, 0), (0, -1), (0, 2**32), (2**32, 2**32), (1, 2**64), (10**500, 10**500), (-(10**500), 1)):
        for before in (BEFORE, old):
            with refuses("invalid_parameter"):
                Transition(before, AFTER, part, of)
        with refuses("invalid_parameter"):
            Transition(BEFORE, AFTER, 0, 1).at(part, of)
    for wrong in (True, 1.0, "1", None):
        for arguments in ((wrong, 1), (0, wrong)):
            with pytest.raises(TypeError):
                Transition(BEFORE, AFTER, *arguments)
            with pytest.raises(TypeError):
                Transition(BEFORE, AFTER, 0, 1).at(*arguments)
    for before in (BEFORE, old):
        for epoch in (-1, 2**53, 10**500):
            with refuses("invalid_parameter"):
                Transition(before, AFTER, 0, 1, epoch=epoch)
            with refuses("invalid_parameter"):
                Transition(before, AFTER, 0, 1).with_epoch(epoch)
    with pytest.raises(TypeError):
        Transition(BEFORE, AFTER, 0, 1, 7)


def test_at_and_with_epoch() -> None:
    for before in (BEFORE, old):
        step = Transition(before, AFTER, 1, 4, epoch=44)
        later = step.at(2, 4)
        assert (later.part, later.of, later.epoch, later.before, later.after) == (2, 4, None, before, AFTER)
        assert later.before is before and later.after is AFTER
        numbered = later.with_epoch(2**53 - 1)
        assert (numbered.part, numbered.epoch, later.epoch, numbered.with_epoch(None).epoch) == (2, 2**53 - 1, None, None)
        assert numbered == later and step != later and step.at(1, 4) == step
        assert [later.owner(key) for key in KEYS] == [Transition(before, AFTER, 2, 4).owner(key) for key in KEYS]
        for name in ("part", "of", "epoch", "before", "after", "comment", "colour"):
            with pytest.raises(AttributeError):
                setattr(step, name, 1)


# ---- agreement


def test_the_fingerprint_is_of_both_clusters_and_the_fraction() -> None:
    step = Transition(BEFORE, AFTER, 1, 2)
    described = b"KSTT\x01" + bytes.fromhex(BEFORE.fingerprint) + bytes.fromhex(AFTER.fingerprint) + (1).to_bytes(4, "little") + (2).to_bytes(4, "little")
    assert step.fingerprint == hashlib.sha256(described).hexdigest()[:32]
    assert step.fingerprint == Transition(BEFORE.with_epoch(1), AFTER, 1, 2, epoch=3).fingerprint
    others = [step.at(2, 4), step.at(0, 2), Transition(AFTER, BEFORE, 1, 2), Transition(BEFORE, BEFORE, 1, 2)]
    assert len({step.fingerprint, BEFORE.fingerprint, AFTER.fingerprint, *(other.fingerprint for other in others)}) == 7


def test_compare_goes_by_the_outer_epoch() -> None:
    step = Transition(BEFORE.with_epoch(99), AFTER.with_epoch(100), 1, 4, epoch=5)
    pairs: list[tuple[Any, Any, str]] = [
        (step, step, "same"),
        (step, step.with_epoch(None), "same"),
        (step, step.at(2, 4).with_epoch(6), "older"),
        (step.at(2, 4).with_epoch(6), step, "newer"),
        (step, step.at(0, 4).with_epoch(5), "conflict"),
        (step, step.at(2, 4), "different"),
        (step, BEFORE.with_epoch(4), "newer"),
        (BEFORE.with_epoch(4), step, "older"),
        (AFTER.with_epoch(6), step, "newer"),
        (step.at(4, 4).with_epoch(5), AFTER.with_epoch(5), "conflict"),
        (AFTER.with_epoch(None), step, "different"),
    ]
    assert [left.compare(right) for left, right, _ in pairs] == [wanted for _, _, wanted in pairs]
    for wrong in (None, "a", step.fingerprint, 1):
        for described in (step, BEFORE):
            with pytest.raises(TypeError, match="a Cluster or a Transition"):
                described.compare(wrong)


def test_equality_and_hash() -> None:
    step = Transition(BEFORE, AFTER, 1, 2)
    again = Transition(BEFORE.with_epoch(3), AFTER, 1, 2, epoch=8)
    assert step == again and hash(step) == hash(again) and not step != again
    assert len({step, again, step.at(2, 4), Transition(AFTER, BEFORE, 1, 2)}) == 3
    assert step != BEFORE and step != "a" and step != None and BEFORE != step  # noqa: E711

    class Unhashable(list[str]):
        def __call__(self, key: Any) -> str:
            return self[0]

    made = [Transition(Unhashable(["a"]), AFTER, 1, 2, epoch=i) for i in range(2)]
    assert made[0] == made[1] and len(set(made)) == 1
    assert Transition(old, AFTER, 1, 2) != Transition(lambda key: "a", AFTER, 1, 2)
    assert Transition(old, AFTER, 1, 2) != Transition(old, AFTER, 2, 4) and Transition(old, AFTER, 1, 2) != Transition(old, BEFORE, 1, 2)
    assert Transition(old, AFTER, 1, 2) != Transition(AFTER, AFTER, 1, 2)
    with pytest.raises(TypeError):
        step < again


def test_repr() -> None:
    step = Transition(Cluster(["a"]), AFTER, 2, 6, epoch=44)
    assert repr(step) == str(step) == f"<keystead.Transition 2/6, epoch 44: rendezvous-1 of 1 node to rendezvous-1 of 4 nodes, {step.fingerprint}>"
    assert repr(Transition(old, AFTER, 0, 1)) == "<keystead.Transition 0/1: a function to rendezvous-1 of 4 nodes>"


# ---- files and pickling

FILE = """{
  "keystead": 1,
  "epoch": 44,
  "comment": "naïve \\u0000 𝔘",
  "transition": {"part": 2, "of": 6,
    "before": {"keystead": 1, "epoch": 3, "comment": "old", "nodes": ["a", {"id": "b", "address": "10.7.0.2:11211"}]},
    "after": {"keystead": 1, "hash": "xxh64", "nodes": ["a", "c"]}}
}
"""


def test_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "naïve step.json"
    path.write_text(FILE, "utf-8")
    for step in (Transition.load(path), Transition.load(str(path)), Transition.from_json(FILE), Transition.from_json(FILE.encode())):
        assert (step.part, step.of, step.epoch, step.comment) == (2, 6, 44, "naïve \0 𝔘")
        assert isinstance(step.before, Cluster)
        assert (step.before.epoch, step.before.comment, step.before.node("b").address, step.after.ids) == (3, "old", "10.7.0.2:11211", ("a", "c"))
        again = Transition.from_json(step.to_json())
        assert again == step and (again.epoch, again.comment) == (step.epoch, step.comment)
        assert isinstance(again.before, Cluster) and again.before.comment == "old"
        assert step.at(3, 6).comment == step.with_epoch(45).comment == step.comment
    with pytest.raises(FileNotFoundError) as none:
        Transition.load(tmp_path / "missing")
    assert none.value.filename == str(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        Transition.load(tmp_path)
    for wrong in (None, 1, bytearray(b"{}"), {}):
        with pytest.raises(TypeError):
            Transition.from_json(wrong)
        with pytest.raises(TypeError) if not isinstance(wrong, bytearray) else pytest.raises((TypeError, OSError)):
            Transition.load(wrong)


def test_bad_files_have_their_place() -> None:
    with pytest.raises(KeysteadError, match="line 5") as refused:
        Transition.from_json(FILE.replace('"of": 6', '"of": "6"'))
    assert (refused.value.code, refused.value.line, refused.value.column) == ("invalid_file", 5, 35)
    cases = {
        '{"keystead": 1, "nodes": ["a"]}': "invalid_file",
        FILE.replace('"part": 2', '"part": 7'): "invalid_parameter",
        FILE.replace('"keystead": 1,\n  "epoch"', '"keystead": 2,\n  "epoch"'): "unsupported_version",
        FILE.replace('["a", "c"]', "[]"): "no_nodes",
        FILE + "\ud800": "invalid_text",
        "": "invalid_file",
    }
    for text, code in cases.items():
        with refuses(code):
            Transition.from_json(text)
    # A cluster file is no transition file, and the other way round.
    with refuses("invalid_file"):
        Cluster.from_json(FILE)


def sip(number: int | None) -> Cluster:
    return Cluster(["a", "b"], seed=7) if number is None else Cluster(["a", "b"], hash="sip13", secret=SECRETS[number])


def test_secrets_are_handed_over_beside() -> None:
    one, two = SECRETS
    cases: list[tuple[int | None, int | None, dict[str, Any], str | None]] = [
        (0, 0, {"secret": one}, None),
        (0, None, {"secret": one}, None),
        (None, 0, {"secret": one}, None),
        (0, 1, {"before_secret": one, "after_secret": two}, None),
        (0, None, {"before_secret": one}, None),
        (None, 1, {"after_secret": two}, None),
        (None, None, {}, None),
        (0, 0, {"secret": one, "before_secret": None, "after_secret": None}, None),
        (0, 0, {}, "missing_secret"),
        (0, 1, {"before_secret": one}, "missing_secret"),
        (0, 1, {"after_secret": two}, "missing_secret"),
        (None, None, {"secret": one}, "unexpected_secret"),
        (None, None, {"before_secret": one}, "unexpected_secret"),
        (None, None, {"after_secret": one}, "unexpected_secret"),
        (0, 0, {"secret": one, "before_secret": one}, "unexpected_secret"),
        (0, 0, {"secret": one, "after_secret": one}, "unexpected_secret"),
        (0, 0, {"secret": one[:15]}, "invalid_parameter"),
    ]
    for before, after, given, code in cases:
        step = Transition(sip(before), sip(after), 1, 2)
        if code is None:
            assert Transition.from_json(step.to_json(), **given) == step
        else:
            with refuses(code):
                Transition.from_json(step.to_json(), **given)
    assert Transition.from_json(Transition(sip(0), sip(1), 1, 2).to_json(), secret=one) != Transition(sip(0), sip(1), 1, 2)
    for name in ("secret", "before_secret", "after_secret"):
        for wrong in ("TOPSECRET-abcdef", bytearray(one), 1):
            with pytest.raises(TypeError, match=f"{name} must be bytes") as refused:
                Transition.from_json(FILE, **{name: wrong})
            assert "TOPSECRET" not in str(refused.value)


@PAIRS_OF
def test_pickle_and_copy(before: Cluster, after: Cluster) -> None:
    step = Transition(before, after, 3, 8, epoch=5)
    assert copy.copy(step) is step and copy.deepcopy([step])[0] is step
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        if before.has_secret or after.has_secret:
            with refuses("unsupported", "secret"):
                pickle.dumps(step, protocol)
            continue
        again = pickle.loads(pickle.dumps(step, protocol))
        assert again == step and (again.epoch, again.part, again.of) == (5, 3, 8)
        assert [again.ranking(key) for key in KEYS] == [step.ranking(key) for key in KEYS]


def test_the_secret_is_nowhere_to_be_seen() -> None:
    step = Transition(sip(0), sip(1), 1, 2)
    seen = repr(step) + step.to_json() + json.dumps(step.explain("k")) + step.fingerprint
    assert all(form not in seen for secret in SECRETS for form in ("TOPSECRET", secret.hex(), repr(secret)))


# ---- memory and threads


def test_a_cycle_through_the_function_is_collected() -> None:
    class Placement:
        step: Transition

        def owner(self, key: Any) -> str:
            return self.step.after.owner(key)

    placement = Placement()
    placement.step = Transition(placement.owner, AFTER, 1, 2)
    alive = weakref.ref(placement), weakref.ref(placement.step)
    assert placement.step.owner("k") == AFTER.owner("k")
    del placement
    gc.collect()
    assert alive[0]() is None and alive[1]() is None

    def holding() -> None:
        step: Transition = Transition(lambda key: step.after.ids[0], AFTER, 1, 2)
        alive_too.append(weakref.ref(step))

    alive_too: list[Any] = []
    holding()
    gc.collect()
    assert alive_too[0]() is None


def test_reference_counts_come_back() -> None:
    before, after, function = Cluster(["a", "b"]), Cluster(["b", "c"]), lambda key: "old"
    counts = [sys.getrefcount(each) for each in (before, after, function)]
    for i in range(500):
        for side in (before, function):
            step = Transition(side, after, i, 500)
            step.owner("k"), step.candidates(("k", i)), step.at(0, 1), step.with_epoch(i), step.before, step.after, hash(step), repr(step), step == step.at(1, 2)
        Transition.from_json(Transition(before, after, i, 500).to_json()).candidates("k")
    del step, side
    gc.collect()
    assert [sys.getrefcount(each) for each in (before, after, function)] == counts


def test_threads_agree() -> None:
    steps = [Transition(before, after, 1, 2) for before, after in PAIRS] + [Transition(old, AFTER, 1, 2)]
    wanted = [[step.candidates(key) for key in KEYS] for step in steps]
    found: list[bool] = []
    start = threading.Barrier(4)

    def ask() -> None:
        start.wait()
        found.append([[step.candidates(key) for key in KEYS] for step in steps] == wanted)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4
