"""Hostile Arrow capsules: what is against the interface's rules is refused, and what was handed over is released, whichever way a call ends."""

import gc
import resource
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import capsules
import pyarrow
import pytest
from capsules import Array, Chunks, Column, Producer, Schema
from keystead import Cluster, KeysteadError

CLUSTER = Cluster(["a", "b", "c"])
BATCHES: list[Callable[[Any], Any]] = [CLUSTER.owner_many, CLUSTER.owner_indices, CLUSTER.group_by_owner, lambda keys: CLUSTER.replica_indices(keys, 2)]


@pytest.fixture
def producer() -> Iterator[Producer]:
    made = Producer()
    yield made
    gc.collect()
    assert made.released == made.lent > 0


def offsets(*numbers: int, wide: bool = False) -> bytes:
    return struct.pack(f"={len(numbers)}{'q' if wide else 'i'}", *numbers)


def text(producer: Producer, keys: list[str]) -> tuple[Schema, Array]:
    encoded = [key.encode() for key in keys]
    ends = [sum(map(len, encoded[:n])) for n in range(len(keys) + 1)]
    return producer.schema(b"u"), producer.array(len(keys), [None, offsets(*ends), b"".join(encoded)])


def both(producer: Producer, schema: Schema, array: Array) -> Column:
    return Column(producer.capsule(schema), producer.capsule(array))


def refuses(keys: Any, what: str) -> None:
    with pytest.raises(KeysteadError, match=what) as refused:
        CLUSTER.owner_many(keys)
    assert refused.value.code in ("invalid_key", "invalid_text")


def test_what_is_well_formed_is_answered(producer: Producer) -> None:
    keys = ["user:1", "", "naïve 𝔘"]
    assert CLUSTER.owner_many(both(producer, *text(producer, keys))) == CLUSTER.owner_many(keys)
    schema, array = text(producer, keys)
    assert CLUSTER.owner_many(Chunks(producer.capsule(producer.stream(schema, [array])))) == CLUSTER.owner_many(keys)


@pytest.mark.parametrize("batch", BATCHES)
def test_a_column_answers_once(producer: Producer, batch: Callable[[Any], Any]) -> None:
    column = both(producer, *text(producer, ["a"]))
    batch(column)
    with pytest.raises(KeysteadError, match="released already"):
        batch(column)
    chunks = Chunks(producer.capsule(producer.stream(*[text(producer, ["a"])[0]], [text(producer, ["a"])[1]])))
    batch(chunks)
    with pytest.raises(KeysteadError, match="released already"):
        batch(chunks)


def test_rejects_what_is_no_capsule(producer: Producer) -> None:
    schema, array = text(producer, ["a"])
    lent = producer.capsule(schema)
    for pair in ((), None, "pair", (lent,), (lent, lent, lent), (lent, None), (lent, 7), (lent, lent), (None, lent), [lent, lent], (lent, producer.capsule(array, b"array"))):
        with pytest.raises((TypeError, KeysteadError)):
            CLUSTER.owner_many(Column(*pair) if isinstance(pair, tuple) else Column(pair))
    for capsule in (None, 7, lent, "arrow_array_stream", object()):
        with pytest.raises(TypeError, match="must give a PyCapsule named \"arrow_array_stream\""):
            CLUSTER.owner_many(Chunks(capsule))
    # What no consumer has taken is the producer's own to release.
    producer.lent = producer.released = 1


def test_exceptions_of_the_methods_pass_unchanged() -> None:
    for error in (ZeroDivisionError("mine"), KeyboardInterrupt("mine"), TypeError("mine"), ImportError("mine")):

        def raising(*_: Any) -> Any:
            raise error

        class Raises:
            __arrow_c_array__ = raising

        for keys in (Chunks(raising), Raises()):
            with pytest.raises(type(error), match="mine") as raised:
                CLUSTER.owner_many(keys)
            assert raised.value is error


def test_rejects_lengths_that_cannot_be(producer: Producer) -> None:
    for members in ({"length": -1}, {"offset": -1}, {"length": 2**63 - 1, "offset": 1}, {"length": 2**62}, {"offset": 2**62}):
        schema, array = text(producer, ["a", "b"])
        for member, value in members.items():
            setattr(array, member, value)
        refuses(both(producer, schema, array), "malformed Arrow data")


def test_rejects_buffers_that_are_not_there(producer: Producer) -> None:
    some = offsets(0, 1, 2)
    for buffers in ([], [None], [None, some], [None, None, b"ab"], [None, some, None]):
        refuses(both(producer, producer.schema(b"u"), producer.array(2, buffers)), "malformed Arrow data")
    for buffers in ([], [None], [None, None]):
        refuses(both(producer, producer.schema(b"l"), producer.array(2, buffers)), "malformed Arrow data")
    for n in (-1, -(2**63)):
        refuses(both(producer, producer.schema(b"u"), producer.array(2, [None, some, b"ab"], n_buffers=n)), "malformed Arrow data")
    refuses(both(producer, producer.schema(b"u"), producer.array(2, [None, some, b"ab"], null_count=1)), "does not say where")
    none = producer.array(2, [None, some, b"ab"])
    none.buffers = type(none.buffers)()
    refuses(both(producer, producer.schema(b"u"), none), "malformed Arrow data")
    assert CLUSTER.owner_many(both(producer, producer.schema(b"u"), producer.array(0, [None, None, None]))) == []
    assert CLUSTER.owner_many(both(producer, producer.schema(b"u"), producer.array(2, [None, offsets(0, 0, 0), None]))) == [CLUSTER.owner("")] * 2


@pytest.mark.parametrize("wide", [False, True])
def test_rejects_offsets_that_go_back_or_below(producer: Producer, wide: bool) -> None:
    for numbers in ((0, -1, 2), (-1, 1, 2), (0, 2, 1), (0, 1, -1), (2, 1, 0), (-2, -1, 0), (0, 3, 2)):
        schema = producer.schema(b"Z" if wide else b"z")
        refuses(both(producer, schema, producer.array(2, [None, offsets(*numbers, wide=wide), b"abc"])), "malformed Arrow data: offsets go from")


def test_rejects_text_that_is_none(producer: Producer) -> None:
    # The second splits a character between two keys: all of it is UTF-8, neither key is.
    for numbers, data, row in (((0, 1, 2), b"a\xff", 1), ((0, 1, 2), "é".encode(), 0), ((0, 3, 3), b"\xed\xa0\x80", 0)):
        array = producer.array(2, [None, offsets(*numbers), data])
        refuses(both(producer, producer.schema(b"u"), array), f"the key of row {row} is declared to be text")
        array = producer.array(2, [None, offsets(*numbers), data])
        keys = [data[start:end] for start, end in zip(numbers, numbers[1:], strict=False)]
        assert CLUSTER.owner_many(both(producer, producer.schema(b"z"), array)) == CLUSTER.owner_many(keys)
    # Nobody looks at what lies behind a null.
    array = producer.array(2, [b"\1", offsets(0, 1, 2), b"a\xff"], null_count=-1)
    assert CLUSTER.owner_many(both(producer, producer.schema(b"u"), array)) == [CLUSTER.owner("a"), None]


def view(length: int, *rest: int) -> bytes:
    return struct.pack("=iiii", length, 0, *rest)


def test_rejects_views_beyond_their_buffers(producer: Producer) -> None:
    data = b"0123456789abcdefghij"
    sizes = struct.pack("=q", len(data))
    for bad in (view(-1, 0, 0), view(13, 1, 0), view(13, -1, 0), view(13, 0, -1), view(13, 0, 8), view(2**31 - 1, 0, 2**31 - 1), view(21, 0, 0)):
        refuses(both(producer, producer.schema(b"vz"), producer.array(1, [None, bad, data, sizes])), "the view of row 0 points beyond its buffer")
    for buffers in ([None, view(13, 0, 0)], [None, view(13, 0, 0), None], [None, view(13, 0, 0), data, struct.pack("=q", -1)], [None, view(13, 0, 0), data, None]):
        refuses(both(producer, producer.schema(b"vz"), producer.array(1, buffers)), "malformed Arrow data")
    good = producer.array(2, [None, view(20, 0, 0) + struct.pack("=i12s", 12, b"inline bytes"), data, sizes])
    assert CLUSTER.owner_many(both(producer, producer.schema(b"vz"), good)) == CLUSTER.owner_many([data, b"inline bytes"])


def test_rejects_dictionaries_that_are_not_there(producer: Producer) -> None:
    def dictionary(indices: bytes, length: int = 1, inner: bytes = b"u", index: bytes = b"c", given: bool = True) -> Column:
        words_schema, words = text(producer, ["a", "b"])
        words_schema.format = inner
        array = producer.array(length, [None, indices], dictionary=words if given else None)
        return both(producer, producer.schema(index, dictionary=words_schema), array)

    assert CLUSTER.owner_many(dictionary(b"\1\0", 2)) == CLUSTER.owner_many(["b", "a"])
    refuses(dictionary(b"\2"), "points beyond its dictionary of 2")
    refuses(dictionary(b"\xff"), "points beyond its dictionary of 2")
    refuses(dictionary(b"\0", given=False), "without its dictionary")
    refuses(dictionary(b"\0", index=b"u"), "indices are of format \"u\"")
    refuses(dictionary(b"\0", inner=b"g"), "a column of floats")
    refuses(dictionary(b"\0", inner=b"+s"), "a column of nested values")


def test_rejects_tables_that_do_not_hold_together(producer: Producer) -> None:
    def table(children: list[Any], arrays: list[Any], length: int = 1, **members: Any) -> Column:
        return both(producer, producer.schema(b"+s", children), producer.array(length, [None], arrays, **members))

    schema, array = text(producer, ["a", "b"])
    assert CLUSTER.owner_many(table([schema], [array], offset=1)) == [CLUSTER.owner("b")]
    refuses(table([schema], [text(producer, ["a"])[1]], length=2), "a table of 2 rows over a column of 1")
    refuses(table([schema], []), "a table of 0 columns")
    refuses(table([schema], [array], n_children=2), "a table of 2 columns")
    refuses(table([schema], [None]), "where there is to be one")
    refuses(table([], []), "a table of 0 columns")
    refuses(table([schema, schema], [array, array]), "a table of 2 columns")
    refuses(table([producer.schema(b"+s", [schema])], [array]), "a table within a table")


def test_rejects_types_that_are_none(producer: Producer) -> None:
    for format, what in ((None, "without a format"), (b"", "another type"), (b"\xff", "is not text"), (b"w:-1", "fixed-width"), (b"w:", "fixed-width"), (b"w:99999999999999999999", "fixed-width"), (b"uu", "another type"), (b"+r", "nested")):
        refuses(both(producer, producer.schema(format), producer.array(1, [None, offsets(0, 1), b"a"])), what)
    assert CLUSTER.owner_many(both(producer, producer.schema(b"w:0"), producer.array(2, [None, None]))) == [CLUSTER.owner(b"")] * 2
    refuses(both(producer, producer.schema(b"w:9223372036854775807"), producer.array(1, [None, b"a"])), "malformed")


def test_streams_that_fail(producer: Producer) -> None:
    for fails, says, raised in ((5, b"disk on fire", RuntimeError), (12, b"too big", MemoryError), (-1, None, RuntimeError)):
        schema, array = text(producer, ["a"])
        stream = producer.capsule(producer.stream(schema, [array], fails, says))
        with pytest.raises(raised, match=(says or b"does not say why").decode()):
            CLUSTER.owner_many(Chunks(stream))
    for missing in ("get_schema", "get_next"):
        schema, array = text(producer, ["a"])
        stream = producer.stream(schema, [array])
        setattr(stream, missing, type(getattr(stream, missing))())
        refuses(Chunks(producer.capsule(stream)), f"without {missing}")
    schema, array = text(producer, ["a"])
    stream = producer.stream(schema, [array], 5, get_last_error=capsules.GetError())
    with pytest.raises(RuntimeError, match="does not say why"):
        CLUSTER.owner_many(Chunks(producer.capsule(stream)))


def test_a_bad_chunk_refuses_the_batch(producer: Producer) -> None:
    schema, good = text(producer, ["a", "b"])
    bad = producer.array(1, [None, offsets(0, -1), b"a"])
    refuses(Chunks(producer.capsule(producer.stream(schema, [good, bad, text(producer, ["never"])[1]]))), "offsets go")


def test_no_memory_for_the_answers(producer: Producer) -> None:
    with pytest.raises(MemoryError):
        CLUSTER.owner_indices(both(producer, producer.schema(b"n"), producer.array(2**61, [])))


def churn(n: int) -> None:
    """Columns of every kind, good and bad."""
    texts = [f"user:{i}" for i in range(50)]
    good = [pyarrow.array(texts), pyarrow.array(texts).dictionary_encode(), pyarrow.table({"key": texts}), pyarrow.array(texts, pyarrow.string_view())]
    for i in range(n):
        for batch in BATCHES:
            batch(good[i % 4])
        try:
            CLUSTER.owner_many(pyarrow.array([1.5]))
        except KeysteadError:
            pass
        try:
            CLUSTER.owner_many(pyarrow.array([b"\xff"]).view(pyarrow.string()))
        except KeysteadError:
            pass


def peak() -> int:
    """The most memory that this process has ever had, in KiB (bytes on macOS)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_20_000_columns_leave_memory_flat() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import test_capsules as t\n"
        "t.churn(1_000); before = t.peak()\n"
        "t.churn(20_000)\n"
        "print(before, t.peak())\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    before, after = map(int, told)
    assert after - before < before // 50, told
