"""Which node owns this key, and who is next in line: the same answer in Rust, Python and Node.

>>> from keystead import Cluster
>>> cluster = Cluster(["cache-a", "cache-b", "cache-c"])
>>> cluster.owner("user:42")
'cache-c'

**Keys** are ``str`` (its UTF-8 bytes, so ``"a"`` and ``b"a"`` are one key), ``bytes``, ``bytearray`` and ``memoryview`` (its ``tobytes()``), or
composite: an ``int`` from -2**63 to 2**64 - 1 (also what has ``__index__``, such as NumPy's integers), or a ``tuple`` or ``list`` of keys, at most
32 deep. ``42`` is not ``"42"``, ``("a",)`` is not ``"a"``, ``("a", 1)`` is ``["a", 1]``. All else (``bool``, ``float``, ``None``, ``UUID``, ``dict``, …)
is refused with code ``invalid_key`` and a hint.

**Columns.** Where many keys are taken, they can also be a column, which is read without an object for each row: what has the Arrow PyCapsule
interface (pyarrow, Polars, pandas, DuckDB; text, binary, integers, dictionaries of these, and tables of one column), and one-dimensional arrays of
integers or fixed-width bytes with the buffer protocol (NumPy, ``array``). A row is the key that its value is alone, so the answers are the same; of an
extension type, what it is stored as. NUL bytes at the end of a NumPy ``S`` item are padding and no part of the key, as in NumPy itself. Of 4,096 rows or
more (a stream: always) answers are found without the GIL, so several threads work at once. What is against Arrow's rules is ``invalid_key``.

**Errors.** The right type with a value that is refused is :class:`KeysteadError`, whose ``code`` is the same word in every language. A wrong type is
``TypeError``; a ``bool`` is never an ``int`` here. A text that is not well-formed (a lone surrogate) is ``invalid_text`` wherever it stands. Any
method that takes a key can raise ``invalid_key`` and ``invalid_text``; below they are not said again.

**Threads.** Clusters, nodes and transitions never change, so they can be shared freely, also without a GIL; a :class:`LiveCluster` can be shared as well.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from os import PathLike
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol, SupportsIndex, TypeAlias, TypeVar, final, overload, type_check_only

__all__ = [
    "Arc",
    "Cluster",
    "KeysteadError",
    "LiveCluster",
    "Move",
    "NoNodesError",
    "Node",
    "Transition",
    "__version__",
    "encode_key",
    "jump",
    "jump_bucket",
    "modulo",
    "plan",
    "rank_scores",
]

__version__: Final[str]

# The items of a list are left open: a list[str] is no list of the union.
_Key: TypeAlias = str | bytes | bytearray | memoryview | SupportsIndex | tuple[_Key, ...] | list[Any]
_AnyKey = TypeVar("_AnyKey", bound=_Key)

@type_check_only
class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@type_check_only
class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> object: ...

_Column: TypeAlias = _ArrowStream | _ArrowArray
_Keys: TypeAlias = Iterable[_Key] | _Column
_Algorithm: TypeAlias = Literal["rendezvous-1", "ring-1", "slots-1", "hierarchy-1"]
_Hash: TypeAlias = Literal["xxh3", "xxh64", "sip13"]
_Comparison: TypeAlias = Literal["same", "newer", "older", "conflict", "different"]
_Path: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]

class KeysteadError(ValueError):
    """What keystead refuses. The message names the offending value and the limit, and never a secret."""

    code: str
    """The stable code, such as ``invalid_key``: the same in every language, never changed, never reused."""
    line: int | None
    """The line in a cluster file, from 1; None for all other errors."""
    column: int | None
    """The column in a cluster file, from 1, in characters; None for all other errors."""

class NoNodesError(KeysteadError):
    """No node can answer: none given, all drained, or all excluded. Its code is ``no_nodes``."""

@final
class Node:
    """One node of a cluster. Frozen; equal, and of equal hash, where all its members are equal; can be pickled."""

    def __new__(
        cls,
        id: str,
        weight: SupportsIndex = 1,
        location: Iterable[str] = (),
        tokens: Iterable[SupportsIndex] | None = None,
        address: str | None = None,
        meta: Mapping[str, str] | None = None,
        comment: str | None = None,
    ) -> Node:
        """Make a node.

        id: the identity, 1 to 65,535 bytes of UTF-8 without control characters (``invalid_id``). Renaming is removing one node and adding another.
        weight: capacity relative to the other weights, 0 to 2**32 - 1 (``invalid_weight``); 0 is drained: listed, but in no answer.
        location: the path of failure domains, widest first, such as ``("eu-1", "eu-1a", "rack-7")``; at most 8 texts under the rules of an id
            (``invalid_location``).
        tokens: explicit tokens of ring-1, a non-empty set of distinct integers from 0 to 2**64 - 1 (``invalid_tokens``); None to derive them.
        address, meta, comment: any text, carried and given back; they shape no answer and no fingerprint.
        """

    @property
    def id(self) -> str:
        """The identity."""

    @property
    def weight(self) -> int:
        """Capacity relative to the other weights; 0 is drained."""

    @property
    def location(self) -> tuple[str, ...]:
        """The path of failure domains, widest first; empty where none is given."""

    @property
    def tokens(self) -> tuple[int, ...] | None:
        """Explicit ring tokens, ascending, or None."""

    @property
    def address(self) -> str | None:
        """Where to reach the node, or None."""

    @property
    def meta(self) -> MappingProxyType[str, str]:
        """Names and values, read-only, ascending by name; empty where none are given."""

    @property
    def comment(self) -> str | None:
        """Free text, or None."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Node: ...
    def __deepcopy__(self, _memo: Any, /) -> Node: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class Arc(NamedTuple):
    """One arc of a ring: the coordinates above ``start`` up to and including ``end``. One arc alone has start = end and is the whole ring."""

    start: int
    """The coordinate before the arc, not in it."""
    end: int
    """The last coordinate of the arc, where its token stands."""
    length: int
    """How many coordinates, 1 to 2**64."""
    owner: str
    """The id of the node that owns them."""

class Move(NamedTuple):
    """What becomes of a key. The mapping is not the data: a new owner starts empty, so a move names source and target."""

    key: Any
    """The key, the very object."""
    source: str
    """The id of its owner before."""
    target: str
    """The id of its owner after."""
    reason: Literal["gained", "lost", "both", "reshuffled", "candidates", "unchanged"]
    """Why it moves, or does not.

    ``gained``: the new owner was added, made heavier, or has tokens that it lacked. ``lost``: the old owner was removed, drained, made lighter, or lost
    tokens. ``both``. ``reshuffled``: neither, where the algorithm allows it or the two sides differ in algorithm, hash or parameters. ``candidates``: the
    owner stays, the list of the first r nodes is another. ``unchanged``: the same answer.
    """

@final
class Cluster:
    """Nodes, an algorithm and a hash. Frozen: a change gives a new cluster, readers keep theirs.

    ``len(cluster)`` is the number of nodes, iteration gives their ids, ``"cache-a" in cluster`` asks for an id, and ``cluster[key]`` is
    ``cluster.owner(key)``. Clusters are equal, and of equal hash, where their fingerprints are. Pickling keeps every answer and carried member; with
    a secret it is refused (``unsupported``).
    """

    def __new__(
        cls,
        nodes: Iterable[str | Node],
        *,
        algorithm: str | None = None,
        hash: str | None = None,
        seed: SupportsIndex | None = None,
        secret: bytes | None = None,
        epoch: SupportsIndex | None = None,
        levels: Iterable[str] | None = None,
        tokens_per_weight: SupportsIndex | None = None,
        space: SupportsIndex | None = None,
        slots: SupportsIndex | None = None,
        headroom: SupportsIndex | None = None,
    ) -> Cluster:
        """Make a cluster. The order of the nodes never matters.

        nodes: 1 to 2**20 ids and Nodes, at least one of weight above 0 (``no_nodes``), ids distinct (``duplicate_node``). No dict: its weights would be lost.
        algorithm: ``rendezvous-1`` (default), ``ring-1``, ``slots-1`` or ``hierarchy-1``.
        hash: ``xxh3`` (default), ``xxh64``, or ``sip13`` where strangers choose the keys.
        seed: 0 (default) to 2**64 - 1, for the xxh hashes.
        secret: exactly 16 random bytes, for sip13 (``missing_secret``, ``unexpected_secret``). It can never be read back.
        epoch: 0 to 2**53 - 1, the number under which this description is published; not in the fingerprint.
        levels: 1 to 8 distinct names of the location's levels, widest first, for ``spread`` by name.
        tokens_per_weight: ring-1, 1 to 65,536 (default 256): tokens for each unit of weight.
        space: ring-1 with explicit tokens, 2 to 2**64 - 1: the number of coordinates (default 2**64).
        slots: slots-1, 1 to 2**22 (default 16,384), fixed for the life of the data.
        headroom: slots-1, 0 to 1,000 percent above a node's share that its slots may reach; None for no cap.

        What is out of range, unknown, or another algorithm's is ``invalid_parameter``.
        """

    @staticmethod
    def load(path: _Path, *, secret: bytes | None = None) -> Cluster:
        """Read a cluster file. What cannot be read raises Python's own OSError, such as FileNotFoundError; then as :meth:`from_json`."""

    @staticmethod
    def from_json(text: str | bytes, *, secret: bytes | None = None) -> Cluster:
        """Read the text of a cluster file, as strictly in every language.

        Raises ``invalid_file`` with line and column, ``unsupported_version``, or the code of the value that is out of range, ``missing_secret``
        and ``unexpected_secret`` included: a secret is never in the file.
        """

    def to_json(self) -> str:
        """The text of a cluster file that reads back with the same fingerprint, epoch and carried members. A secret is never in it."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Every node's id, drained ones included, ascending by UTF-8 bytes. A node's index is its position here, in every language."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Every node, in the order of ``ids``."""

    @property
    def algorithm(self) -> _Algorithm:
        """The algorithm's name; it ends in its version, and no release changes an answer of a published name."""

    @property
    def hash(self) -> _Hash:
        """The hash's name."""

    @property
    def seed(self) -> int | None:
        """The hash's seed; None with sip13."""

    @property
    def has_secret(self) -> bool:
        """Whether a secret is in use."""

    @property
    def epoch(self) -> int | None:
        """The number under which this description was published, or None. A changed cluster has none."""

    @property
    def levels(self) -> tuple[str, ...] | None:
        """The names of the location's levels, widest first, or None."""

    @property
    def tokens_per_weight(self) -> int | None:
        """Tokens for each unit of weight in a ring with derived tokens, else None."""

    @property
    def space(self) -> int | None:
        """The number of coordinates where it was set, else None (2**64 in a ring)."""

    @property
    def slots(self) -> int | None:
        """The number of slots in slots-1, else None."""

    @property
    def headroom(self) -> int | None:
        """The percentage above its share that a node's slots may reach, or None for no cap."""

    @property
    def comment(self) -> str | None:
        """The cluster file's free text, or None."""

    @property
    def fingerprint(self) -> str:
        """32 hex digits, equal where the descriptions are equal, in every language; then every answer is equal."""

    def owner(self, key: _Key, *, exclude: Iterable[str] | None = None) -> str:
        """The id of the node that owns the key.

        exclude: ids to leave out, such as unhealthy nodes; their keys go to the next in each key's ranking. Ids that are not in the cluster are ignored.

        Raises NoNodesError where every node is drained or excluded; never without ``exclude``.
        """

    def ranking(self, key: _Key, limit: SupportsIndex | None = None, *, exclude: Iterable[str] | None = None) -> list[str]:
        """Up to ``limit`` ids (all without one), best first; short lists are no error, 0 is the empty list.

        limit: 0 or more, however large: what is above the number of nodes is all of them.

        Raises ``invalid_parameter`` for a negative limit, NoNodesError as :meth:`owner`.
        """

    def replicas(
        self,
        key: _Key,
        r: SupportsIndex,
        *,
        spread: SupportsIndex | str | None = None,
        relaxed: bool = False,
        exclude: Iterable[str] | None = None,
    ) -> list[str]:
        """Exactly r distinct ids, best first; 0 is the empty list.

        r: 0 or more. For 0 no key is needed, so any object passes for one, and of spread, relaxed and exclude only what is wrong whatever is asked is
            refused: a wrong type (TypeError), and an ill-formed text in exclude (``invalid_text``).
        spread: no two of them in one failure domain at this level of the location: its number (0 the widest, at most 7) or its name in ``levels``.
        relaxed: allow a second node in a domain, then a third, only once every domain has one.
        exclude: as in :meth:`owner`.

        Raises ``not_enough_nodes`` and ``not_enough_domains`` with both numbers, NoNodesError, ``invalid_parameter`` for a negative r, an unknown
        level, or r above 1 in hierarchy-1 without spread, ``uneven_locations`` where a location is shorter than the level. ``replicas(key, r)`` is
        always the beginning of ``replicas(key, r + 1)``.
        """

    def explain(
        self,
        key: _Key,
        r: SupportsIndex = 1,
        *,
        spread: SupportsIndex | str | None = None,
        relaxed: bool = False,
        exclude: Iterable[str] | None = None,
    ) -> dict[str, Any]:
        """Why: the key's digest, each node's score and cost, what was picked and what was skipped for which reason.

        The arguments and errors of :meth:`replicas`, but for r = 0: that explains the ranking of the key, from which nothing is picked, so the key is
        judged all the same (``invalid_key``, ``invalid_text``); of spread still the type alone. One structure, the same JSON in every language; 64-bit
        values are text.
        """

    def slot(self, key: _Key) -> int:
        """The key's slot, 0 to slots - 1. Raises ``unsupported`` unless slots-1."""

    @overload
    def owner_many(self, keys: _Column) -> list[str | None]: ...
    @overload
    def owner_many(self, keys: Iterable[_Key]) -> list[str]:
        """The owner of each key, in the order of the keys; None for a null of a column. A bare str, bytes or bytearray is a TypeError."""

    def owner_indices(self, keys: _Keys) -> memoryview:
        """The owner of each key as its position in ``ids``: read-only, format ``'I'`` (u32), shape (n,); ``numpy.asarray`` takes it without copying.
        A null of a column is 0xFFFFFFFF."""

    def replica_indices(self, keys: _Keys, r: SupportsIndex) -> memoryview:
        """The first r of each key's ranking as positions in ``ids``: read-only, format ``'I'``, shape (n, r); all 0xFFFFFFFF for a null of a column.
        Raises as :meth:`replicas`; every key is judged, for r = 0 too."""

    def slot_indices(self, keys: _Keys) -> memoryview:
        """The slot of each key: read-only, format ``'I'``, shape (n,); 0xFFFFFFFF for a null of a column. Raises ``unsupported`` unless slots-1."""

    @overload
    def group_by_owner(self, keys: _Column) -> dict[str, list[Any]]: ...
    @overload
    def group_by_owner(self, keys: Iterable[_AnyKey]) -> dict[str, list[_AnyKey]]:
        """The keys of each node, the very objects in their order: every id is there, in the order of ``ids``, drained nodes with an empty list. The keys
        of a column are made ``str``, ``bytes`` or ``int``; its nulls are in no list."""

    def node(self, id: str) -> Node:
        """The node with this id. Raises ``unknown_node``."""

    def shares(self) -> dict[str, Fraction]:
        """Each node's exact share of the key space, in the order of ``ids``; they sum to 1. In slots-1 and ring-1 of this very table or ring."""

    def slot_owners(self) -> list[str]:
        """The owner of each slot, by slot number. Raises ``unsupported`` unless slots-1."""

    def slots_of(self, id: str) -> list[int]:
        """The slots that a node owns, ascending. Raises ``unknown_node``, and ``unsupported`` unless slots-1."""

    def slot_ranking(self, slot: SupportsIndex, limit: SupportsIndex | None = None) -> list[str]:
        """Up to ``limit`` ids for a slot (0 to slots - 1), best first; limit as in :meth:`ranking`. Raises ``invalid_parameter``, and ``unsupported`` unless
        slots-1."""

    def owner_at(self, coordinate: SupportsIndex) -> str:
        """The owner of a coordinate of a ring (0 to its space - 1), or in slots-1 of a digest (0 to 2**64 - 1). Nothing is hashed.

        Raises ``invalid_parameter`` out of range, ``unsupported`` for other algorithms.
        """

    def arcs(self) -> list[Arc]:
        """The arcs of a ring, ascending by end, one for each distinct coordinate of a token. Raises ``unsupported`` unless ring-1."""

    def with_node(self, node: str | Node) -> Cluster:
        """A cluster with one node more. Raises ``duplicate_node``, and as the constructor."""

    def without_node(self, id: str) -> Cluster:
        """A cluster without this node. Raises ``unknown_node``, and NoNodesError for the last one."""

    def with_weight(self, id: str, weight: SupportsIndex) -> Cluster:
        """A cluster in which this node has another weight; 0 drains it. Raises ``unknown_node``, ``invalid_weight``, NoNodesError."""

    def change(
        self,
        *,
        add: Iterable[str | Node] = (),
        remove: Iterable[str] = (),
        weight: Mapping[str, SupportsIndex] | None = None,
        drain: Iterable[str] = (),
    ) -> Cluster:
        """A cluster changed in one go: remove, then add, then weight (new weights by id), then drain. Raises as each of them alone.

        Untouched nodes keep their address, meta and comment. The result has no epoch: only who publishes numbers.
        """

    def with_epoch(self, epoch: SupportsIndex | None) -> Cluster:
        """The same cluster under this number (0 to 2**53 - 1), or under none. Raises ``invalid_parameter``."""

    def compare(self, other: Cluster | Transition) -> _Comparison:
        """What this cluster is to the other cluster or transition.

        ``same``: equal fingerprints. Else, where both have an epoch: ``newer``, ``older``, or ``conflict`` for equal epochs. Else ``different``.
        Raises ``unsupported`` for a transition whose ``before`` is a function.
        """

    def diff(
        self,
        after: Cluster | Transition,
        keys: _Keys | None = None,
        sizes: Iterable[SupportsIndex] | None = None,
        *,
        r: SupportsIndex = 1,
        spread: SupportsIndex | str | None = None,
        relaxed: bool = False,
        exclude: Iterable[str] | None = None,
    ) -> dict[str, Any]:
        """What moves from this cluster to the other cluster or transition: one structure, the same JSON in every language; 64-bit values are text.

        keys: of any number, one by one and not kept; ``"counted"`` says what moves of them: in total, by reason, from where to where, into and out of each
            node. None: only what is expected of all keys.
        sizes: each key's size in bytes (0 to 2**64 - 1), as many as keys.
        r, spread, relaxed, exclude: as in :meth:`replicas`; with r above 1 the lists of r nodes are compared as well.

        ``"identical"`` is True where no key can get another answer; ``"least"`` is the least movement that any placement with the same shares needs;
        ``"expected"`` the shares that move, exact where its ``"method"`` says so; ``"arcs"`` and ``"slots"`` are what a store has to copy, between rings and
        slot tables. Raises as :meth:`replicas` on either side, ``invalid_parameter`` for r = 0, a size out of range, and not one size for each key.
        """

    def diff_keys(
        self,
        after: Cluster | Transition,
        keys: _Keys,
        *,
        r: SupportsIndex = 1,
        spread: SupportsIndex | str | None = None,
        relaxed: bool = False,
        exclude: Iterable[str] | None = None,
    ) -> Iterator[Move]:
        """What becomes of each key, and why: an iterator that takes the keys one by one (a column at once). The arguments and errors of :meth:`diff`."""

    def description(self) -> bytes:
        """The canonical bytes that the fingerprint is taken of."""

    def __len__(self) -> int: ...
    def __contains__(self, id: str, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __getitem__(self, key: _Key, /) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Cluster: ...
    def __deepcopy__(self, _memo: Any, /) -> Cluster: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Transition:
    """A change from one cluster to another that is put into force key by key, and how far it has gone. Frozen.

    A key that has *passed* is answered by ``after``, any other by ``before``. A fraction of part / of has passed, the same keys in every program, and as
    part / of grows a key passes once at most, whatever the algorithms and weights: the steps add up to exactly the difference of the two clusters. Between
    two slots-1 clusters of equal hash, seed or secret, and number of slots, whole slots pass.

    ``before`` may be any function from a key to a node's id, to come from another placement with a warm cache. It is given the key as it was passed in, and
    what it raises comes out unchanged; what it returns must be a ``str`` (TypeError). Such a transition has ``owner``, ``candidates`` and ``passes``; what
    needs a cluster on both sides is ``unsupported``: the fingerprint and comparing, diff, files and pickling, ranking, replicas, explain, and ``exclude``.

    Transitions are equal where their fingerprints are; with a function, where all of before, after, part and of are equal. Pickling keeps every answer; with
    a secret, or a function, it is refused (``unsupported``).
    """

    def __new__(
        cls,
        before: Cluster | Callable[[Any], str],
        after: Cluster,
        part: SupportsIndex,
        of: SupportsIndex,
        *,
        epoch: SupportsIndex | None = None,
    ) -> Transition:
        """Make a transition that is part / of of the way from before to after.

        part, of: 0 <= part <= of, 1 <= of <= 2**32 - 1. At 0 every key is answered by before, at part = of by after. They are not reduced: 1/2 and 2/4
            answer alike under different fingerprints.
        epoch: 0 to 2**53 - 1, the number under which this step is published; those of the two clusters play no part.

        What is out of range is ``invalid_parameter``.
        """

    @staticmethod
    def load(
        path: _Path, *, secret: bytes | None = None, before_secret: bytes | None = None, after_secret: bytes | None = None
    ) -> Transition:
        """Read a transition file. What cannot be read raises Python's own OSError, such as FileNotFoundError; then as :meth:`from_json`."""

    @staticmethod
    def from_json(
        text: str | bytes, *, secret: bytes | None = None, before_secret: bytes | None = None, after_secret: bytes | None = None
    ) -> Transition:
        """Read the text of a transition file, as strictly in every language.

        secret: for each of the two clusters that has hash sip13.
        before_secret, after_secret: in its place, where the two have secrets of their own.

        Raises as :meth:`Cluster.from_json`, ``invalid_file`` for a cluster file too; ``unexpected_secret`` where neither cluster uses one, and for ``secret``
        beside one of the others.
        """

    def to_json(self) -> str:
        """The text of a transition file that reads back with the same fingerprint, epoch and carried members. A secret is never in it."""

    @property
    def before(self) -> Cluster | Callable[[Any], str]:
        """The cluster that is left, or the function that answers in its place: the very object."""

    @property
    def after(self) -> Cluster:
        """The cluster that is entered: the very object."""

    @property
    def part(self) -> int:
        """How many parts have passed."""

    @property
    def of(self) -> int:
        """Of how many."""

    @property
    def epoch(self) -> int | None:
        """The number under which this step was published, or None."""

    @property
    def comment(self) -> str | None:
        """The transition file's free text, or None."""

    @property
    def fingerprint(self) -> str:
        """32 hex digits, equal where both clusters, part and of are equal, in every language; then every answer is equal."""

    def passes(self, key: _Key) -> bool:
        """Whether the key has passed, and so is answered by ``after``."""

    def owner(self, key: _Key, *, exclude: Iterable[str] | None = None) -> str:
        """The id of the node that owns the key.

        exclude: as in :meth:`Cluster.owner`, for the cluster that answers; there is no falling back to the other one (NoNodesError).
        """

    def candidates(self, key: _Key) -> list[str]:
        """Where the key can be while clients are at different steps: its owner, then the other side's, or one id where both agree.

        A reader tries them in order; a cache fills the first from the second, and sends deletes to both.
        """

    def ranking(self, key: _Key, limit: SupportsIndex | None = None, *, exclude: Iterable[str] | None = None) -> list[str]:
        """As :meth:`Cluster.ranking`, of the cluster that answers for the key."""

    def replicas(
        self,
        key: _Key,
        r: SupportsIndex,
        *,
        spread: SupportsIndex | str | None = None,
        relaxed: bool = False,
        exclude: Iterable[str] | None = None,
    ) -> list[str]:
        """As :meth:`Cluster.replicas`, of the cluster that answers for the key.

        Which one that is depends on the key: for r above 0 an error of the key comes before what a cluster has to say of spread and r, which can be
        raised for some keys and not for others.
        """

    def explain(
        self,
        key: _Key,
        r: SupportsIndex = 1,
        *,
        spread: SupportsIndex | str | None = None,
        relaxed: bool = False,
        exclude: Iterable[str] | None = None,
    ) -> dict[str, Any]:
        """As :meth:`Cluster.explain`, of the cluster that answers; ``"transition"`` says part, of, whether the key has passed, epoch and fingerprint.

        The order of errors is that of :meth:`replicas`.
        """

    def at(self, part: SupportsIndex, of: SupportsIndex) -> Transition:
        """The same transition further on, or back. It has no epoch: only who publishes numbers. Raises ``invalid_parameter``."""

    def with_epoch(self, epoch: SupportsIndex | None) -> Transition:
        """The same step under this number (0 to 2**53 - 1), or under none. Raises ``invalid_parameter``."""

    def compare(self, other: Cluster | Transition) -> _Comparison:
        """What this transition is to the other transition or cluster, as :meth:`Cluster.compare`."""

    def diff(
        self,
        after: Cluster | Transition,
        keys: _Keys | None = None,
        sizes: Iterable[SupportsIndex] | None = None,
        *,
        r: SupportsIndex = 1,
        spread: SupportsIndex | str | None = None,
        relaxed: bool = False,
        exclude: Iterable[str] | None = None,
    ) -> dict[str, Any]:
        """What moves from this step to another, or to a cluster, as :meth:`Cluster.diff`."""

    def diff_keys(
        self,
        after: Cluster | Transition,
        keys: _Keys,
        *,
        r: SupportsIndex = 1,
        spread: SupportsIndex | str | None = None,
        relaxed: bool = False,
        exclude: Iterable[str] | None = None,
    ) -> Iterator[Move]:
        """What becomes of each key, and why, as :meth:`Cluster.diff_keys`."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Transition: ...
    def __deepcopy__(self, _memo: Any, /) -> Transition: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class LiveCluster:
    """The last good cluster or transition of a file that is replaced while a service runs.

    Nothing happens by itself, there is no thread and no timer: a service calls :meth:`refresh` when it likes. Readers in other threads are never held up,
    and see the old description or the new one, never an error or a mixture; questions that belong together are put to one :attr:`current`.
    """

    def __new__(
        cls, path: _Path, *, secret: bytes | None = None, before_secret: bytes | None = None, after_secret: bytes | None = None
    ) -> LiveCluster:
        """Read the file, which holds a cluster or a transition.

        secret, before_secret, after_secret: as in :meth:`Transition.from_json`, for this file and all that follow it under its name.

        Raises OSError, such as FileNotFoundError, and as :meth:`Cluster.from_json` and :meth:`Transition.from_json`.
        """

    def refresh(self) -> Literal["same", "newer"]:
        """Look whether the file's content has changed (not its time, and through links), and take over what it holds now.

        ``newer``: another fingerprint, under a larger epoch, or where there was none. ``same``: the same fingerprint, hence the same answers; what is only
        carried, such as addresses, and the epoch may be new. All else raises, and **the last good one is kept**: OSError, whatever is wrong with the file,
        ``stale_epoch`` for a smaller epoch or one that has disappeared, ``epoch_conflict`` for another fingerprint under the same epoch.
        """

    @property
    def path(self) -> str | bytes:
        """The path of the file."""

    @property
    def current(self) -> Cluster | Transition:
        """The cluster or transition in use. It never changes; after a refresh there is another one here."""

    def owner(self, key: _Key, *, exclude: Iterable[str] | None = None) -> str:
        """As :meth:`Cluster.owner`, or :meth:`Transition.owner`, of the current one; so are the others."""

    def candidates(self, key: _Key) -> list[str]:
        """As :meth:`Transition.candidates`; of a cluster its owner alone."""

    def ranking(self, key: _Key, limit: SupportsIndex | None = None, *, exclude: Iterable[str] | None = None) -> list[str]:
        """As :meth:`Cluster.ranking`."""

    def replicas(
        self,
        key: _Key,
        r: SupportsIndex,
        *,
        spread: SupportsIndex | str | None = None,
        relaxed: bool = False,
        exclude: Iterable[str] | None = None,
    ) -> list[str]:
        """As :meth:`Cluster.replicas`."""

    def explain(
        self,
        key: _Key,
        r: SupportsIndex = 1,
        *,
        spread: SupportsIndex | str | None = None,
        relaxed: bool = False,
        exclude: Iterable[str] | None = None,
    ) -> dict[str, Any]:
        """As :meth:`Cluster.explain`."""

def encode_key(key: _Key) -> bytes:
    """The canonical bytes of a key: no two keys share them, and none are the beginning of another's.

    Text or bytes: 01, the length as u64, the bytes. An integer: 02, 16 bytes of two's complement. A sequence: 03, the item count as u64, the items.
    All little-endian. A composite key is digested from these bytes, a plain one from its own.
    """

def jump(key: SupportsIndex, n: SupportsIndex) -> int:
    """The bucket 0 to n - 1 of a 64-bit number by jump consistent hashing (Lamping and Veach, 2014).

    key: 0 to 2**64 - 1. n: 1 to 2**31 - 1. Raises ``invalid_parameter``. Only the last bucket can be taken away.
    """

def jump_bucket(
    key: _Key, n: SupportsIndex, *, hash: str | None = None, seed: SupportsIndex | None = None, secret: bytes | None = None
) -> int:
    """The bucket 0 to n - 1 of a key: :func:`jump` of its digest. hash, seed and secret as in :class:`Cluster`. Raises ``invalid_parameter``."""

def modulo(
    key: _Key, n: SupportsIndex, *, hash: str | None = None, seed: SupportsIndex | None = None, secret: bytes | None = None
) -> int:
    """The key's digest modulo n (1 to 2**31 - 1): a baseline, which moves nearly every key when n changes. Raises ``invalid_parameter``."""

def plan(
    before: Cluster | Transition,
    after: Cluster | Transition,
    keys: _Keys | None = None,
    sizes: Iterable[SupportsIndex] | None = None,
    *,
    limit: str,
) -> dict[str, Any]:
    """A change in the smallest number of steps that keep a limit: one structure, the same JSON in every language; 64-bit values are text.

    before, after: clusters; or a transition on either side, between the same two clusters, to go on from there, to end there, or to go back.
    keys, sizes: as in :meth:`Cluster.diff`. With keys the figures are exact; without them they are expected (``"figures"``), and the limit has to be a share.
    limit: what a step may move: ``"50000keys"``, ``"80MB"`` (also B, kB, GB, TB, KiB, MiB, GiB, TiB; it needs sizes), or ``"3%"`` of all keys; with ``/node``
        behind it what may move into or out of any one node, such as ``"20MB/node"``; several with commas between them.

    Each of ``"steps"`` has ``part`` and ``of``: between two clusters, ``Transition(before, after, part, of, epoch=…)`` is what to publish for it, and has the
    step's ``fingerprint``. Copy what moves or let reads fill it, publish, wait until every service shows that fingerprint, and until no reader needs the old
    place; then the next, and after all of them ``"last"``. To go back, publish an earlier fraction under a *higher* epoch. ``"checks"`` were counted, not
    assumed: no key moves twice, the steps add up to the difference, and only those are above the limit that have one thing alone (``"oversize"``).

    Raises ``invalid_parameter`` for a limit that is not understood, that needs keys or sizes where none are given, or that takes more than 10,000 steps;
    ``unsupported`` for a transition that does not belong to the other side.
    """

def rank_scores(candidates: Iterable[tuple[str, SupportsIndex] | tuple[str, SupportsIndex, SupportsIndex]]) -> list[str]:
    """The ids of (id, score) or (id, score, weight), best first, in the order that rendezvous-1 gives its own scores.

    score: 0 to 2**64 - 1 (``invalid_parameter``). weight: 0 to 2**32 - 1, 1 where none is given (``invalid_weight``); 0 is left out.
    Equal weights: the larger score first, equal scores by id. A repeated id is ``duplicate_node``.
    """
