"""Many keys in one call: the same answers as one by one, from anything that can be iterated over."""

import gc
import itertools
from collections import deque
from typing import Any, Callable, Iterator

import numpy
import pytest
from keystead import Cluster, KeysteadError, Node
from refusals import refuses

CLUSTER = Cluster([Node("a", 3), "b", "c", Node("drained", 0)])
SLOTS = Cluster(CLUSTER.nodes, algorithm="slots-1", slots=271)
KEYS: list[Any] = ["text", b"\xff", bytearray(b"x"), 7, -7, 2**64 - 1, ("t", 1), ["t", [2]], "", "naïve 𝔘", *map(str, range(500))]
BATCHES: list[Callable[[Any], Any]] = [
    CLUSTER.owner_many,
    CLUSTER.owner_indices,
    SLOTS.slot_indices,
    CLUSTER.group_by_owner,
    lambda keys: CLUSTER.replica_indices(keys, 2),
]


def plain(answer: Any) -> Any:
    return answer.tolist() if isinstance(answer, memoryview) else answer


def test_the_same_as_one_by_one() -> None:
    index = {id: i for i, id in enumerate(CLUSTER.ids)}
    owners = [CLUSTER.owner(key) for key in KEYS]
    assert CLUSTER.owner_many(KEYS) == owners
    assert CLUSTER.owner_indices(KEYS).tolist() == [index[owner] for owner in owners]
    assert SLOTS.slot_indices(KEYS).tolist() == [SLOTS.slot(key) for key in KEYS]
    for r in range(4):
        assert CLUSTER.replica_indices(KEYS, r).tolist() == [[index[id] for id in CLUSTER.replicas(key, r)] for key in KEYS]
    groups = CLUSTER.group_by_owner(KEYS)
    assert list(groups) == list(CLUSTER.ids) and groups["drained"] == []
    for id, keys in groups.items():
        assert [k for k, owner in zip(KEYS, owners, strict=True) if owner == id] == keys
        assert all(any(key is given for given in KEYS) for key in keys)


def test_batches_around_the_number_that_is_answered_at_once() -> None:
    # Many keys are scored 32 at a time where nodes have equal weights and the processor has wide instructions.
    even = Cluster([*(f"node-{i}" for i in range(40)), Node("drained", 0)])
    for cluster in (even, CLUSTER):
        ids = list(cluster.ids)
        for count in (0, 1, 11, 12, 13, 31, 32, 33, 63, 64, 65, 97):
            for keys in ([f"user:{i}" for i in range(count)], [i - 50 for i in range(count)], [b"%d" % i for i in range(count)]):
                owners = [cluster.owner(key) for key in keys]
                for given in (keys, tuple(keys), iter(keys)):
                    assert cluster.owner_many(given) == owners
                assert [ids[i] for i in cluster.owner_indices(keys)] == owners
                # A key that is none refuses the batch wherever it stands, also when others wait for their answers.
                with refuses("invalid_key", "float"):
                    cluster.owner_many([*keys, 1.5])
                with refuses("invalid_key", "float"):
                    cluster.owner_indices([1.5, *keys])


@pytest.mark.parametrize("batch", BATCHES)
def test_any_iterable(batch: Callable[[Any], Any]) -> None:
    keys = [str(i) for i in range(9000)]
    wanted = plain(batch(keys))
    for same in (tuple(keys), iter(keys), (key for key in keys), deque(keys), dict.fromkeys(keys), numpy.array(keys), map(str, range(9000))):
        assert plain(batch(same)) == wanted
    numbers = plain(batch([1, 2, 3]))
    for same in (range(1, 4), numpy.array([1, 2, 3]), numpy.array([1, 2, 3], dtype="u8"), memoryview(numpy.array([1, 2, 3]))):
        assert plain(batch(same)) == numbers

    class Listed(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            return iter(["from", "iter"])

    assert plain(batch(Listed(["stored"]))) == plain(batch(["from", "iter"]))
    assert plain(batch(Cluster(["x", "y"]))) == plain(batch(["x", "y"]))


@pytest.mark.parametrize("batch", BATCHES)
def test_a_bare_text_is_no_batch(batch: Callable[[Any], Any]) -> None:
    for bare in ("keys", b"keys", bytearray(b"keys"), memoryview(b"keys"), "", b"", 7, None, 1.5, object(), numpy.str_("keys")):
        with pytest.raises(TypeError) as refused:
            batch(bare)
        assert not isinstance(refused.value, KeysteadError)


@pytest.mark.parametrize("batch", BATCHES)
def test_exceptions_while_iterating_pass_unchanged(batch: Callable[[Any], Any]) -> None:
    for error in (ZeroDivisionError("mine"), ValueError("mine"), KeyboardInterrupt("mine"), TypeError("mine")):

        def raising() -> Iterator[str]:
            yield "a"
            raise error

        class NoIterator:
            def __iter__(self) -> Iterator[str]:
                raise error

        class BadIndex:
            def __index__(self) -> int:
                raise error

        hostile: list[Any] = [raising(), NoIterator()]
        if not isinstance(error, TypeError):
            hostile.append(["a", BadIndex()])
        for keys in hostile:
            with pytest.raises(type(error), match="mine") as raised:
                batch(keys)
            assert raised.value is error


@pytest.mark.parametrize("batch", BATCHES)
def test_a_bad_key_refuses_the_batch(batch: Callable[[Any], Any]) -> None:
    for bad, code in ((1.5, "invalid_key"), (None, "invalid_key"), ("\ud800", "invalid_text")):
        for keys in (["a", bad], ("a", bad), iter(["a", bad])):
            with refuses(code):
                batch(keys)


@pytest.mark.parametrize("batch", BATCHES)
def test_empty_batches(batch: Callable[[Any], Any]) -> None:
    for keys in ([], (), iter(()), numpy.array([])):
        answer = plain(batch(keys))
        assert answer in ([], {id: [] for id in CLUSTER.ids})


def test_a_list_that_changes_meanwhile() -> None:
    class Clears:
        def __index__(self) -> int:
            keys.clear()
            return 1

    class Grows:
        def __index__(self) -> int:
            if len(keys) < 9:
                keys.append(self)
            return 1

    class Replaces:
        def __index__(self) -> int:
            keys[:] = [f"in the place of {i}" for i in range(4)]
            return 1

    for batch in (CLUSTER.owner_indices, CLUSTER.owner_many):
        for hostile, answered in ((Clears(), 2), (Grows(), 4), (Replaces(), 4)):
            # Texts that nothing but the list keeps.
            keys: list[Any] = [str(1000), hostile, str(1001), str(1002)]
            answer = list(batch(keys))
            assert len(answer) == answered
            # What follows is read from the list as it is by then.
            assert answer[2:] == list(batch(keys[2:answered]))[: answered - 2]


def test_a_list_that_the_collector_changes_while_a_text_is_refused() -> None:
    """To refuse a text makes an exception, and that may collect garbage: other code runs while an item is looked at."""
    outcomes = set()
    for trial in range(60):
        # A text that nothing but the list keeps.
        keys = ["x" * (trial % 50), "\ud800" + str(trial)]

        def replace(phase: str, info: dict[str, int], keys: list[str] = keys) -> None:
            keys[:] = ["a", "b"]

        gc.collect()
        gc.callbacks.append(replace)
        thresholds = gc.get_threshold()
        gc.set_threshold(1 + trial % 12)
        try:
            outcomes.add(len(CLUSTER.owner_many(keys)))
        except KeysteadError as error:
            outcomes.add(error.code)
        finally:
            gc.set_threshold(*thresholds)
            gc.callbacks.remove(replace)
    # Which of them is a matter of when the collector comes.
    assert "invalid_text" in outcomes and outcomes <= {2, "invalid_text"}


def test_memoryviews_go_into_numpy_without_copying() -> None:
    for view, shape in ((CLUSTER.owner_indices(KEYS), (len(KEYS),)), (CLUSTER.replica_indices(KEYS, 3), (len(KEYS), 3)), (SLOTS.slot_indices(KEYS), (len(KEYS),))):
        assert (view.format, view.itemsize, view.shape, view.readonly, view.c_contiguous) == ("I", 4, shape, True, True)
        array = numpy.asarray(view)
        assert array.dtype == numpy.uint32 and array.shape == shape and array.tolist() == view.tolist()
        assert not array.flags.owndata and not array.flags.writeable
        again = numpy.asarray(view)
        assert numpy.shares_memory(array, again)
        kept = array.tolist()
        del view, again
        assert array.tolist() == kept
    with pytest.raises(TypeError):
        CLUSTER.owner_indices(["a"])[0] = 1


def test_shapes_of_nothing() -> None:
    assert CLUSTER.replica_indices([], 3).shape == (0, 3) and CLUSTER.replica_indices(["a", "b"], 0).shape == (2, 0)
    assert numpy.asarray(CLUSTER.replica_indices([], 3)).shape == (0, 3)
    assert CLUSTER.owner_indices([]).shape == (0,) and CLUSTER.owner_indices([]).tobytes() == b""
    assert CLUSTER.replica_indices(["a", "b"], 0).tolist() == [[], []]


def test_views_of_every_kind() -> None:
    view = CLUSTER.replica_indices(["a", "b"], 2)
    assert view.cast("B").tolist() == list(view.tobytes()) and bytes(view) == view.tobytes()
    assert memoryview(view).tolist() == view.tolist()
    with pytest.raises((BufferError, TypeError, ValueError)):
        numpy.frombuffer(view, dtype="u4").setflags(write=True)
    view.release()
    with pytest.raises(ValueError):
        view.tolist()


def test_large_batches() -> None:
    keys = [f"user:{i}" for i in range(200_000)]
    indices = numpy.asarray(CLUSTER.owner_indices(keys))
    assert [CLUSTER.ids[i] for i in indices[:1000]] == CLUSTER.owner_many(itertools.islice(keys, 1000))
    assert len(indices) == 200_000 and set(indices.tolist()) == {0, 1, 2}
