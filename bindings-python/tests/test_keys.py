"""What is a key, what is not, and what is said of it."""

import array
import collections
import datetime
import decimal
import enum
import fractions
import mmap
import uuid
from typing import Any

import keystead
import numpy
import pytest
from keystead import Cluster, KeysteadError, encode_key

CLUSTER = Cluster(["a", "b", "c", "d", "e"])


class Index:
    """An integer only by its `__index__`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __index__(self) -> Any:
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value


class Colour(enum.IntEnum):
    RED = 7


class Text(str):
    pass


Pair = collections.namedtuple("Pair", "left right")


def bytes_of(text: str) -> bytes:
    return b"\x01" + len(text.encode()).to_bytes(8, "little") + text.encode()


def integer(value: int) -> bytes:
    return b"\x02" + value.to_bytes(16, "little", signed=True)


def sequence(*items: bytes) -> bytes:
    return b"\x03" + len(items).to_bytes(8, "little") + b"".join(items)


STRIDED = memoryview(b"a-b-c-")[::2]
TABLE = memoryview(bytes(range(12))).cast("B", (3, 4))

ENCODINGS: list[tuple[Any, bytes]] = [
    ("naïve 𝔘", bytes_of("naïve 𝔘")),
    ("", bytes_of("")),
    (b"abc", bytes_of("abc")),
    (Text("abc"), bytes_of("abc")),
    (numpy.str_("abc"), bytes_of("abc")),
    (numpy.bytes_(b"abc"), bytes_of("abc")),
    (bytearray(b"abc"), bytes_of("abc")),
    (memoryview(b"abc"), bytes_of("abc")),
    (STRIDED, bytes_of("abc")),
    (memoryview(b"abc")[::-1], bytes_of("cba")),
    (TABLE, b"\x01" + (12).to_bytes(8, "little") + bytes(range(12))),
    (0, integer(0)),
    (-(2**63), integer(-(2**63))),
    (2**64 - 1, integer(2**64 - 1)),
    (2**63, integer(2**63)),
    (2**32, integer(2**32)),
    (Colour.RED, integer(7)),
    (Index(7), integer(7)),
    (Index(2**64 - 1), integer(2**64 - 1)),
    (numpy.int8(-7), integer(-7)),
    (numpy.uint64(2**64 - 1), integer(2**64 - 1)),
    (numpy.int64(-(2**63)), integer(-(2**63))),
    (numpy.array(7), integer(7)),
    ((), sequence()),
    ([], sequence()),
    (("a", 1), sequence(bytes_of("a"), integer(1))),
    (["a", 1], sequence(bytes_of("a"), integer(1))),
    (Pair("a", 1), sequence(bytes_of("a"), integer(1))),
    ((b"a", bytearray(b"b"), STRIDED), sequence(bytes_of("a"), bytes_of("b"), bytes_of("abc"))),
    ((("a",), [[]]), sequence(sequence(bytes_of("a")), sequence(sequence()))),
]


@pytest.mark.parametrize(("key", "encoding"), ENCODINGS, ids=lambda value: repr(value)[:40])
def test_encodings(key: Any, encoding: bytes) -> None:
    assert encode_key(key) == encoding
    # The lookup reads keys by another path than encode_key: they must agree on what a key is.
    plain = encoding[9:] if encoding[0] == 1 else None
    if plain is not None:
        assert CLUSTER.ranking(key) == CLUSTER.ranking(plain)
    assert CLUSTER.owner_many([key]) == [CLUSTER.owner(key)] == [CLUSTER[key]] == CLUSTER.ranking(key, 1) == CLUSTER.replicas(key, 1)


def test_kinds_of_key_are_kept_apart() -> None:
    alike: list[Any] = ["42", 42, ("42",), (42,), ((42,),), ["42", ""], "a", ("a",)]
    encodings = [encode_key(key) for key in alike]
    assert len(set(encodings)) == len(alike)
    keys = [[key, i] for key in alike for i in range(50)]
    assert len({tuple(CLUSTER.ranking(key)) for key in keys}) > 50
    assert encode_key(("a",)) == encode_key([b"a"])


NO_KEYS: list[tuple[Any, str]] = [
    (True, "bool"),
    (False, "bool"),
    (numpy.bool_(True), "bool"),
    (1.0, "float"),
    (float("nan"), "float"),
    (numpy.float64(1), "float"),
    (numpy.float32(1), "float"),
    (None, "NoneType"),
    (1j, "complex"),
    (uuid.UUID(int=1), "its 16 bytes"),
    ({}, "dict"),
    ({"a": 1}, "dict"),
    ({1}, "set"),
    (frozenset(), "frozenset"),
    (range(3), "range"),
    (datetime.datetime(2026, 1, 1), "datetime"),
    (datetime.date(2026, 1, 1), "date"),
    (numpy.datetime64("2026-01-01"), "datetime64"),
    (decimal.Decimal(1), "Decimal"),
    (fractions.Fraction(1), "Fraction"),
    (numpy.array([1, 2]), "ndarray"),
    (numpy.array(True), "ndarray"),
    (numpy.array([1], dtype="u1"), "ndarray"),
    (array.array("B", b"abc"), "array"),
    (collections.deque(["a"]), "deque"),
    (collections.UserString("a"), "UserString"),
    (object(), "object"),
    (object, "type"),
    (len, "builtin_function_or_method"),
    (CLUSTER, "Cluster"),
    (keystead.Node("a"), "Node"),
    (Index("7"), "Index"),
    (Index(1.5), "Index"),
]


@pytest.mark.parametrize(("value", "said"), NO_KEYS, ids=lambda value: repr(value)[:40])
def test_what_is_no_key(value: Any, said: str) -> None:
    for key in (value, (value,), ["a", [value]]):
        for ask in (CLUSTER.owner, CLUSTER.ranking, CLUSTER.__getitem__, encode_key, lambda k: CLUSTER.owner_many([k])):
            with pytest.raises(KeysteadError, match=said) as refused:
                ask(key)
            assert refused.value.code == "invalid_key"


def test_an_anonymous_map_of_memory_is_no_key() -> None:
    with mmap.mmap(-1, 16) as memory, pytest.raises(KeysteadError) as refused:
        CLUSTER.owner(memory)
    assert refused.value.code == "invalid_key"


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, 2**127, -(2**127), 2**128, 10**100, 10**5000, -(10**5000), 1 << 100_000], ids=lambda value: f"{value.bit_length()} bits")
def test_integers_out_of_range(value: int) -> None:
    for key in (value, Index(value), (value,)):
        with pytest.raises(KeysteadError) as refused:
            CLUSTER.owner(key)
        assert refused.value.code == "invalid_key"
        message = str(refused.value)
        assert "-9223372036854775808" in message and "18446744073709551615" in message and len(message) < 200
    if abs(value) < 2**128:
        assert str(value) in message


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\ud83d", "\udc80abc", "x" * 1000 + "\udbff"])
def test_lone_surrogates(text: str) -> None:
    for key in (text, (text,), ["a", [text]], Text(text)):
        for ask in (CLUSTER.owner, encode_key, CLUSTER.ranking):
            with pytest.raises(KeysteadError, match="surrogate") as refused:
                ask(key)
            assert refused.value.code == "invalid_text"


def nested(depth: int) -> Any:
    key: Any = []
    for _ in range(depth - 1):
        key = [key]
    return key


def test_depth() -> None:
    assert encode_key(nested(32)).count(b"\x03") == 32
    for depth in (33, 34, 1000, 100_000):
        with pytest.raises(KeysteadError, match="32") as refused:
            CLUSTER.owner(nested(depth))
        assert refused.value.code == "invalid_key"


def test_a_list_that_holds_itself() -> None:
    key: list[Any] = []
    key.append(key)
    twice: list[Any] = []
    twice.extend([twice, twice])
    pair: list[Any] = []
    pair.append((pair,))
    for hostile in (key, twice, pair):
        with pytest.raises(KeysteadError, match="32") as refused:
            CLUSTER.owner(hostile)
        assert refused.value.code == "invalid_key"


def test_a_small_value_with_an_endless_encoding() -> None:
    key: Any = b"x" * 1_000_000
    for _ in range(30):
        key = (key, key)
    with pytest.raises(MemoryError):
        CLUSTER.owner(key)


def test_exceptions_of_an_index_pass_unchanged() -> None:
    for error in (ZeroDivisionError("mine"), KeyboardInterrupt("mine"), ValueError("mine"), MemoryError("mine")):
        for key in (Index(error), ("a", [Index(error)])):
            with pytest.raises(type(error), match="mine") as raised:
                CLUSTER.owner(key)
            assert raised.value is error
    # A TypeError says that the value is no integer after all, as NumPy's arrays do.
    with pytest.raises(KeysteadError) as refused:
        CLUSTER.owner(Index(TypeError("only some are")))
    assert refused.value.code == "invalid_key" and isinstance(refused.value.__cause__, TypeError)


def test_an_index_that_changes_the_list_it_is_in() -> None:
    class Hostile:
        def __index__(self) -> int:
            key.clear()
            key.extend(["new"] * 100)
            return 7

    key: list[Any] = [Hostile(), "kept", 1]
    assert encode_key(key) == sequence(integer(7), bytes_of("kept"), integer(1))
    assert key == ["new"] * 100


def test_a_released_memoryview_is_pythons_own_error() -> None:
    view = memoryview(b"abc")
    view.release()
    with pytest.raises(ValueError, match="released"):
        CLUSTER.owner(view)


def test_a_bytearray_is_read_and_let_go() -> None:
    key = bytearray(b"abc")
    assert CLUSTER.owner(key) == CLUSTER.owner("abc")
    key += b"d"  # raises BufferError where somebody still holds its memory
    assert CLUSTER.owner(key) == CLUSTER.owner("abcd")


def test_keys_may_be_large() -> None:
    big = "x" * 10_000_000
    assert CLUSTER.owner(big) == CLUSTER.owner(big.encode()) == CLUSTER.owner(bytearray(big.encode()))
    assert CLUSTER.owner(list(range(100_000))) == CLUSTER.owner(tuple(range(100_000)))
