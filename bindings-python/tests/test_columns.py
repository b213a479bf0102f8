"""Columns: what NumPy and Arrow hold answers as its keys do one by one."""

import array
import json
import threading
import time
from typing import Any, Callable, Iterator

import duckdb
import front
import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import PROJECT
from keystead import Cluster, Node
from refusals import refuses

CLUSTERS = [
    Cluster([Node("a", 3), "b", "c", Node("drained", 0)]),
    Cluster([f"n{i}" for i in range(20)], hash="sip13", secret=b"sixteen bytes!!!"),
    Cluster(["a", "b", "c"], algorithm="ring-1", hash="xxh64", seed=7),
    Cluster(["a", "b", "c"], algorithm="slots-1", slots=271),
    Cluster([Node("a", 3, ["x"]), Node("b", 1, ["x"]), Node("c", 1, ["y"])], algorithm="hierarchy-1"),
]
CLUSTER, SLOTS = CLUSTERS[0], CLUSTERS[3]
NO_KEY = 0xFFFFFFFF


def vector_keys() -> Iterator[Any]:
    """Every key of the vectors that is text, bytes or an integer, and can be a key."""

    def tagged(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            for item in value:
                yield from tagged(item)
        elif isinstance(value, dict):
            if len(value) == 1 and next(iter(value)) in ("text", "hex", "int"):
                yield front.key(value)
            for item in value.values():
                yield from tagged(item)

    for name in ("rendezvous", "ring", "slots", "hierarchy", "replicas", "functions"):
        yield from tagged(json.loads((PROJECT / "tests" / "vectors" / f"{name}.json").read_text("utf-8")))


def unlike(keys: Iterator[Any]) -> list[Any]:
    return list(dict.fromkeys(key for key in keys if key != "\ud800"))


KEYS = unlike(vector_keys())
TEXTS = [key for key in KEYS if isinstance(key, str)] + ["x" * 12, "y" * 13, "naïve 𝔘", "\0a\0"]
BYTES = [key for key in KEYS if isinstance(key, bytes)] + [text.encode() for text in TEXTS] + [b"", b"\xff" * 12, b"\0" * 13]
INTEGERS = [key for key in KEYS if isinstance(key, int)]
SIGNED = [key for key in INTEGERS if -(2**63) <= key < 2**63] + [-(2**63), -1, 0, 2**63 - 1]
UNSIGNED = [key for key in INTEGERS if 0 <= key < 2**64] + [0, 2**63, 2**64 - 1]
# NumPy's padding: what ends in NUL bytes cannot be told from what does not.
PADDED = [key for key in BYTES if not key.endswith(b"\0") and len(key) < 100]
CATEGORIES = (TEXTS[:100] * 3)[7:]


def narrow(keys: list[int], low: int, high: int) -> list[int]:
    return [key for key in [*keys, *range(200), low, high] if low <= key <= high]


def test_there_are_vectors_of_each_kind() -> None:
    assert min(len(TEXTS), len(BYTES), len(SIGNED), len(UNSIGNED), len(PADDED)) > 20


def relation(texts: list[str]) -> Any:
    """A DuckDB relation: a result that has not been asked for yet."""
    table = pyarrow.table({"key": texts})
    return duckdb.connect().from_arrow(table).select("key")


def spaced(keys: list[Any], dtype: str) -> Any:
    """Every third item of an array, backwards."""
    return numpy.repeat(numpy.array(keys[::-1], dtype=dtype), 3)[::-3]


ARROW_TEXTS = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()]
ARROW_BYTES = [pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view()]

# name: (keys, the column that holds them)
COLUMNS: dict[str, tuple[list[Any], Callable[[list[Any]], Any]]] = {
    **{f"pyarrow {kind}": (TEXTS, lambda keys, kind=kind: pyarrow.array(keys, kind)) for kind in ARROW_TEXTS},
    **{f"pyarrow {kind}": (BYTES, lambda keys, kind=kind: pyarrow.array(keys, kind)) for kind in ARROW_BYTES},
    "pyarrow fixed-size binary": ([b"\0\0", b"a\0", b"\xff\xfe"], lambda keys: pyarrow.array(keys, pyarrow.binary(2))),
    "pyarrow int64": (SIGNED, lambda keys: pyarrow.array(keys, pyarrow.int64())),
    "pyarrow uint64": (UNSIGNED, lambda keys: pyarrow.array(keys, pyarrow.uint64())),
    **{
        f"pyarrow {kind}": (narrow(SIGNED, low, high), lambda keys, kind=kind: pyarrow.array(keys, kind))
        for kind, low, high in (
            *[(pyarrow.int32(), -(2**31), 2**31 - 1), (pyarrow.int16(), -(2**15), 2**15 - 1), (pyarrow.int8(), -128, 127)],
            *[(pyarrow.uint32(), 0, 2**32 - 1), (pyarrow.uint16(), 0, 2**16 - 1), (pyarrow.uint8(), 0, 255)],
        )
    },
    "pyarrow dictionary": (CATEGORIES, lambda keys: pyarrow.array(keys).dictionary_encode()),
    "pyarrow dictionary, uint8": (CATEGORIES, lambda keys: pyarrow.array(keys).dictionary_encode().cast(pyarrow.dictionary(pyarrow.uint8(), pyarrow.large_string()))),
    "pyarrow chunks": (TEXTS, lambda keys: pyarrow.chunked_array([keys[:1], [], keys[1:30], keys[30:]], pyarrow.string())),
    "pyarrow batch": (TEXTS, lambda keys: pyarrow.record_batch({"key": keys})),
    "pyarrow table": (SIGNED, lambda keys: pyarrow.table({"key": pyarrow.chunked_array([keys[:9], keys[9:]], pyarrow.int64())})),
    "pyarrow reader": (TEXTS, lambda keys: pyarrow.table({"key": keys}).to_reader(max_chunksize=7)),
    "Polars": (TEXTS, polars.Series),
    "Polars binary": (BYTES, polars.Series),
    "Polars Int64": (SIGNED, lambda keys: polars.Series(keys, dtype=polars.Int64)),
    "Polars UInt64": (UNSIGNED, lambda keys: polars.Series(keys, dtype=polars.UInt64)),
    "Polars categories": (CATEGORIES, lambda keys: polars.Series(keys, dtype=polars.Categorical)),
    "Polars frame of chunks": (TEXTS, lambda keys: polars.concat([polars.DataFrame({"key": keys[:50]}), polars.DataFrame({"key": keys[50:]})], rechunk=False)),
    "pandas": (TEXTS, pandas.Series),
    "pandas objects": (TEXTS, lambda keys: pandas.Series(keys, dtype=object)),
    "pandas bytes": (BYTES, pandas.Series),
    "pandas int64": (SIGNED, lambda keys: pandas.Series(keys, dtype="int64")),
    "pandas UInt64": (UNSIGNED, lambda keys: pandas.Series(keys, dtype="UInt64")),
    "pandas categories": (CATEGORIES, lambda keys: pandas.Series(keys, dtype="category")),
    "pandas frame": (TEXTS, lambda keys: pandas.DataFrame({"key": keys})),
    "pandas of several types": (["text", b"bytes", 7, ("t", 1)], lambda keys: pandas.Series(keys, dtype=object)),
    "DuckDB": (TEXTS, relation),
    "NumPy S": (PADDED, lambda keys: numpy.array(keys, dtype="S")),
    "NumPy S, every third backwards": (PADDED, lambda keys: spaced(keys, "S")),
    "NumPy S0": ([b"", b""], lambda keys: numpy.zeros(len(keys), "S0")),
    "NumPy U": ([text for text in TEXTS if not text.endswith("\0")], numpy.array),
    "NumPy objects": (["text", b"bytes", 7], lambda keys: numpy.array(keys, dtype=object)),
    **{f"NumPy {kind}": (UNSIGNED, lambda keys, kind=kind: numpy.array(keys, dtype=kind)) for kind in ("<u8", ">u8")},
    **{f"NumPy {kind}": (SIGNED, lambda keys, kind=kind: numpy.array(keys, dtype=kind)) for kind in ("<i8", ">i8")},
    **{f"NumPy {kind}": (list(range(100)), lambda keys, kind=kind: numpy.array(keys, dtype=kind)) for kind in ("i1", "u1", "<i2", ">u2", "<i4", ">u4")},
    "NumPy u8, every third backwards": (UNSIGNED, lambda keys: spaced(keys, "u8")),
    "NumPy i8, misaligned": (SIGNED, lambda keys: numpy.frombuffer(b"\0" + numpy.array(keys, "i8").tobytes(), dtype=[("", "u1"), ("key", f"({len(keys)},)i8")])["key"][0]),
    "array": (SIGNED, lambda keys: array.array("q", keys)),
    "memoryview": (UNSIGNED, lambda keys: memoryview(numpy.array(keys, "u8"))[::2] if not keys else memoryview(array.array("Q", keys))),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_the_same_as_one_by_one(name: str) -> None:
    keys, column = COLUMNS[name]
    for cluster in CLUSTERS:
        index = {id: i for i, id in enumerate(cluster.ids)}
        owners = [cluster.owner(key) for key in keys]
        assert cluster.owner_many(column(keys)) == owners
        assert cluster.owner_indices(column(keys)).tolist() == [index[owner] for owner in owners]
        groups = cluster.group_by_owner(column(keys))
        assert groups == {id: [key for key, owner in zip(keys, owners, strict=True) if owner == id] for id in cluster.ids}
        if cluster.algorithm != "hierarchy-1":
            for r in (0, 1, 3):
                wanted = [[index[id] for id in cluster.replicas(key, r)] for key in keys]
                assert cluster.replica_indices(column(keys), r).tolist() == wanted
    assert SLOTS.slot_indices(column(keys)).tolist() == [SLOTS.slot(key) for key in keys]
    after = CLUSTER.without_node("a")
    assert list(CLUSTER.diff_keys(after, column(keys))) == list(CLUSTER.diff_keys(after, keys))
    assert CLUSTER.diff(after, column(keys)) == CLUSTER.diff(after, keys)


@pytest.mark.parametrize("name", COLUMNS)
def test_empty_columns(name: str) -> None:
    _, column = COLUMNS[name]
    assert CLUSTER.owner_many(column([])) == [] and CLUSTER.owner_indices(column([])).shape == (0,)
    assert CLUSTER.replica_indices(column([]), 2).shape == (0, 2)


def test_empty_columns_of_any_type() -> None:
    for empty in (pyarrow.array([]), pyarrow.array([], pyarrow.float64()), polars.Series([]), pandas.Series([]), pandas.Series([], dtype=float), pandas.DataFrame({"key": []}), numpy.array([])):
        assert CLUSTER.owner_many(empty) == []


@pytest.mark.parametrize("kind", [*ARROW_TEXTS, pyarrow.binary(), pyarrow.binary_view()], ids=str)
def test_slices_and_nulls(kind: Any) -> None:
    keys = [None if i % 3 == 0 else f"user:{i}" * (i % 5) for i in range(100)]
    whole = pyarrow.array(keys, kind)
    for start, stop in ((0, 100), (1, 100), (7, 9), (8, 90), (63, 66), (50, 50), (99, 100)):
        some, wanted = whole[start:stop], [None if key is None else CLUSTER.owner(key) for key in keys[start:stop]]
        assert CLUSTER.owner_many(some) == wanted
        assert CLUSTER.owner_many(pyarrow.record_batch({"key": whole}).slice(start, stop - start)) == wanted
        assert CLUSTER.owner_many(some.dictionary_encode() if "view" not in str(kind) else some) == wanted


def test_nulls_around_the_number_that_is_answered_at_once() -> None:
    even = Cluster([f"node-{i}" for i in range(40)])
    for count in (1, 12, 31, 32, 33, 64, 65, 200):
        for every in (1, 2, 3, 31, 32, 33):
            keys = [None if i % every == 0 else i for i in range(count)]
            wanted = [None if key is None else even.owner(key) for key in keys]
            indices = [NO_KEY if id is None else list(even.ids).index(id) for id in wanted]
            # In one piece and in many, between which no key may be lost.
            for column in (pyarrow.array(keys), pyarrow.chunked_array([[key] for key in keys], pyarrow.int64())):
                assert even.owner_many(column) == wanted
                assert even.owner_indices(column).tolist() == indices


def test_a_null_has_no_answer() -> None:
    for column in (
        pyarrow.array(["k", None]),
        pyarrow.chunked_array([["k"], [None]], pyarrow.string()),
        pyarrow.array(["k", None]).dictionary_encode(),
        pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1]), pyarrow.array(["k", None])),
        pyarrow.StructArray.from_arrays([pyarrow.array(["k", "hidden"])], ["key"], mask=pyarrow.array([False, True])),
        polars.Series(["k", None]),
        pandas.Series(["k", None]),
        pandas.Series(["k", float("nan")], dtype=object),
        pandas.Series(["k", pandas.NA], dtype="string"),
        pandas.Series(["k", None], dtype="category"),
    ):
        assert CLUSTER.owner_many(column) == [CLUSTER.owner("k"), None]
        assert CLUSTER.owner_indices(column).tolist() == [CLUSTER.ids.index(CLUSTER.owner("k")), NO_KEY]
        assert CLUSTER.replica_indices(column, 2).tolist()[1] == [NO_KEY, NO_KEY]
        assert CLUSTER.replica_indices(column, 0).shape == (2, 0)
        assert SLOTS.slot_indices(column).tolist() == [SLOTS.slot("k"), NO_KEY]
        assert [key for keys in CLUSTER.group_by_owner(column).values() for key in keys] == ["k"]
        with refuses("invalid_key", "a missing key has no owner"):
            CLUSTER.diff(CLUSTER, column)
    assert CLUSTER.owner_many(pyarrow.nulls(3)) == [None] * 3 and CLUSTER.owner_many(pandas.Series([1, None], dtype="Int64"))[1] is None


@pytest.mark.parametrize(
    "column",
    [
        *[pyarrow.array([1.5]), pyarrow.array([True]), pyarrow.array([[1]]), pyarrow.array([1], pyarrow.timestamp("s")), pyarrow.array([1], pyarrow.decimal128(5))],
        *[polars.Series([1.5]), pandas.Series([1.5]), pandas.Series([True]), pandas.Series(["a", 1.5], dtype=object), pyarrow.table({"a": ["x"], "b": ["y"]})],
        *[pandas.DataFrame({"a": ["x"], "b": ["y"]}), polars.DataFrame({"a": ["x"], "b": ["y"]}), pyarrow.table({"a": [{"b": "x"}]})],
        *[numpy.array([1.5]), numpy.array([True]), numpy.array([[1, 2]]), numpy.array([["a"]], dtype="S"), numpy.array(["2020-01-01"], dtype="M8[D]")],
        *[numpy.zeros(1, "V5"), numpy.zeros(1, [("a", "i8")]), numpy.array([None]), numpy.array([1 + 2j])],
    ],
    ids=lambda column: f"{type(column).__module__} {str(column)[:20]!r}",
)
def test_rejects_what_holds_no_keys(column: Any) -> None:
    for batch in (CLUSTER.owner_many, CLUSTER.owner_indices, CLUSTER.group_by_owner, SLOTS.slot_indices, lambda keys: CLUSTER.replica_indices(keys, 2)):
        with refuses("invalid_key"):
            batch(column)


def test_rejects_what_is_no_batch() -> None:
    for none in (numpy.array(5), numpy.array("a"), numpy.bytes_(b"keys"), pyarrow.scalar("a"), pyarrow.array, pyarrow.string()):
        with pytest.raises(TypeError):
            CLUSTER.owner_many(none)


def test_columns_without_the_package_that_exports_them() -> None:
    class Series(list[Any]):
        ndim = 1

        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            raise ImportError("no pyarrow here")

    class Frame(Series):
        ndim = 2

    assert CLUSTER.owner_many(Series(["a", 7])) == CLUSTER.owner_many(["a", 7])
    with pytest.raises(ImportError, match="no pyarrow"):
        CLUSTER.owner_many(Frame(["names", "of", "columns"]))


def test_what_answers_to_every_name_is_no_column() -> None:
    class Everything:
        def __getattr__(self, name: str) -> Any:
            return lambda *_: self

        def __iter__(self) -> Iterator[str]:
            return iter(["a", "b"])

    assert CLUSTER.owner_many(Everything()) == CLUSTER.owner_many(["a", "b"])


def test_indices_of_columns_go_into_numpy_without_copying() -> None:
    view = CLUSTER.owner_indices(pyarrow.array([f"user:{i}" for i in range(100_000)]))
    found = numpy.asarray(view)
    assert found.dtype == numpy.uint32 and not found.flags.owndata and numpy.shares_memory(found, numpy.asarray(view))
    names = numpy.array(CLUSTER.ids, dtype=object)[found]
    assert names[:50].tolist() == [CLUSTER.owner(f"user:{i}") for i in range(50)]


def test_large_columns_let_other_threads_run() -> None:
    # One call, so a thread that counted meanwhile counted without its lock.
    column = numpy.arange(3_000_000, dtype="u8")
    slow = Cluster([f"n{i}" for i in range(100)])
    stop, counted = threading.Event(), 0

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0)

    counter = threading.Thread(target=count)
    counter.start()
    before = counted
    slow.owner_indices(column)
    during = counted - before
    stop.set()
    counter.join()
    assert during > 100


def test_threads_share_a_column() -> None:
    columns = [pyarrow.array(TEXTS * 50), numpy.arange(20_000, dtype="u8"), polars.Series(TEXTS * 50)]
    wanted = [CLUSTER.owner_indices(column).tolist() for column in columns]
    found: list[bool] = []

    def ask() -> None:
        found.append([CLUSTER.owner_indices(column).tolist() for column in columns] == wanted)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def test_an_array_that_is_written_to_meanwhile() -> None:
    column = numpy.full(500_000, b"a" * 8, dtype="S8")
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            column[:] = b"b" * 8
            column[:] = b"a" * 8

    writer = threading.Thread(target=write)
    writer.start()
    try:
        # Any mixture of the two is an answer; what must not happen is worse.
        assert all(len(CLUSTER.owner_indices(column)) == len(column) for _ in range(20))
    finally:
        stop.set()
        writer.join()
