"""Arguments other than keys: a wrong type is TypeError, the right type with a wrong value is KeysteadError with its code."""

import itertools
from typing import Any, Callable

import keystead
import numpy
import pytest
from keystead import Cluster, KeysteadError, Node, NoNodesError
from refusals import refuses

ABC = ["a", "b", "c"]
CLUSTER = Cluster(ABC)
PLACES = Cluster([Node(id, location=[zone, id]) for id, zone in zip("abcdef", "xxyyzz")], levels=["zone", "host"])
RING = Cluster(ABC, algorithm="ring-1", tokens_per_weight=4)
EXPLICIT = Cluster([Node("a", tokens=[1, 9]), Node("b", tokens=[5])], algorithm="ring-1", space=32)
SLOTS = Cluster(ABC, algorithm="slots-1", slots=64)
LIVE_STEP = keystead.Transition(PLACES, PLACES.with_weight("a", 2), 1, 2)
HIERARCHY = Cluster(PLACES.nodes, algorithm="hierarchy-1")
SURROGATE = "\ud800"
NOT_INTS: list[Any] = [1.0, True, False, "1", b"1", [1], object(), numpy.float64(1), numpy.bool_(True), float("nan")]
NOT_TEXTS: list[Any] = [1, b"a", True, ["a"], object(), 1.5]


def refuses_type(call: Callable[[], Any], match: str | None = None) -> None:
    with pytest.raises(TypeError, match=match) as refused:
        call()
    assert not isinstance(refused.value, KeysteadError)


# ---- integers

INTEGERS: list[tuple[str, str, int | None, int | None, Callable[[Any], Any]]] = [
    # name, code, lowest, highest, call
    ("weight", "invalid_weight", 0, 2**32 - 1, lambda v: Node("a", v)),
    ("weight", "invalid_weight", 0, 2**32 - 1, lambda v: CLUSTER.with_weight("a", v)),
    ("weight", "invalid_weight", 0, 2**32 - 1, lambda v: CLUSTER.change(weight={"a": v})),
    ("token", "invalid_tokens", 0, 2**64 - 1, lambda v: Node("a", tokens=[v])),
    ("seed", "invalid_parameter", 0, 2**64 - 1, lambda v: Cluster(ABC, seed=v)),
    ("epoch", "invalid_parameter", 0, 2**53 - 1, lambda v: Cluster(ABC, epoch=v)),
    ("epoch", "invalid_parameter", 0, 2**53 - 1, lambda v: CLUSTER.with_epoch(v)),
    ("tokens_per_weight", "invalid_parameter", 1, 65_536, lambda v: Cluster(["a"], algorithm="ring-1", tokens_per_weight=v)),
    ("space", "invalid_parameter", 2, 2**64 - 1, lambda v: Cluster([Node("a", tokens=[0])], algorithm="ring-1", space=v)),
    ("slots", "invalid_parameter", 1, 2**22, lambda v: Cluster(["a"], algorithm="slots-1", slots=v)),
    ("headroom", "invalid_parameter", 0, 1_000, lambda v: Cluster(ABC, algorithm="slots-1", slots=64, headroom=v)),
    ("r", "invalid_parameter", 0, None, lambda v: CLUSTER.replicas("k", v)),
    ("r", "invalid_parameter", 0, None, lambda v: CLUSTER.explain("k", v)),
    ("r", "invalid_parameter", 0, None, lambda v: CLUSTER.replica_indices(["k"], v)),
    ("limit", "invalid_parameter", 0, None, lambda v: CLUSTER.ranking("k", v)),
    ("limit", "invalid_parameter", 0, None, lambda v: SLOTS.slot_ranking(0, v)),
    ("slot", "invalid_parameter", 0, 63, lambda v: SLOTS.slot_ranking(v)),
    ("coordinate", "invalid_parameter", 0, 2**64 - 1, lambda v: RING.owner_at(v)),
    ("coordinate", "invalid_parameter", 0, 31, lambda v: EXPLICIT.owner_at(v)),
    ("coordinate", "invalid_parameter", 0, 2**64 - 1, lambda v: SLOTS.owner_at(v)),
    ("key", "invalid_parameter", 0, 2**64 - 1, lambda v: keystead.jump(v, 10)),
    ("n", "invalid_parameter", 1, 2**31 - 1, lambda v: keystead.jump(7, v)),
    ("n", "invalid_parameter", 1, 2**31 - 1, lambda v: keystead.jump_bucket("k", v)),
    ("n", "invalid_parameter", 1, 2**31 - 1, lambda v: keystead.modulo("k", v)),
    ("seed", "invalid_parameter", 0, 2**64 - 1, lambda v: keystead.modulo("k", 7, seed=v)),
    ("score", "invalid_parameter", 0, 2**64 - 1, lambda v: keystead.rank_scores([("a", v)])),
    ("weight", "invalid_weight", 0, 2**32 - 1, lambda v: keystead.rank_scores([("a", 1, v)])),
]


@pytest.mark.parametrize(("name", "code", "low", "high", "call"), INTEGERS, ids=lambda value: value if isinstance(value, str) else "")
def test_integers(name: str, code: str, low: int | None, high: int | None, call: Callable[[Any], Any]) -> None:
    for value in NOT_INTS:
        refuses_type(lambda: call(value), "must be an int")
    wrong = [-1, -(2**63) - 1, -(2**64), -(10**5000)]
    if high is not None:
        wrong += [high + 1, 2**64, 2**65, 10**5000]
    if low:
        wrong.append(low - 1)
    for value in wrong:
        with refuses(code, name):
            call(value)
    for value in {low, high} - {None}:
        if code != "invalid_weight" or value:  # the only weight of 0 is no_nodes
            call(value)


def test_integers_by_index() -> None:
    assert Node("a", numpy.uint8(3)).weight == 3
    assert Cluster(ABC, seed=numpy.uint64(2**64 - 1)).seed == 2**64 - 1
    assert CLUSTER.replicas("k", numpy.int32(2)) == CLUSTER.replicas("k", 2)
    assert CLUSTER.ranking("k", numpy.int64(1)) == [CLUSTER.owner("k")]

    class Raises:
        def __index__(self) -> int:
            raise ZeroDivisionError("mine")

    for call in (lambda: Node("a", Raises()), lambda: CLUSTER.replicas("k", Raises()), lambda: Cluster(ABC, epoch=Raises())):
        with pytest.raises(ZeroDivisionError, match="mine"):
            call()


def test_counts_beyond_64_bits() -> None:
    for limit in (4, 2**64 - 1, 2**64, 10**30, 10**5000):
        assert CLUSTER.ranking("k", limit) == CLUSTER.ranking("k")
        assert SLOTS.slot_ranking(0, limit) == SLOTS.slot_ranking(0)
    for r, named in ((2**64 - 1, str(2**64 - 1)), (2**64, str(2**64)), (2**70, str(2**70)), (10**5000, r"\(16610 bits\)")):
        for call in (
            lambda: CLUSTER.replicas("k", r),
            lambda: CLUSTER.explain("k", r),
            lambda: CLUSTER.replica_indices(["k"], r),
            lambda: CLUSTER.diff(SLOTS, ["k"], r=r),
            lambda: list(CLUSTER.diff_keys(SLOTS, ["k"], r=r)),
            lambda: LIVE_STEP.replicas("k", r),
        ):
            with refuses("not_enough_nodes", f"^{named} replicas are asked for, and [36] nodes can answer$"):
                call()
        for call in (lambda: HIERARCHY.replicas("k", r), lambda: HIERARCHY.replica_indices([], r), lambda: HIERARCHY.explain("k", r)):
            with refuses("invalid_parameter", f"^{named} replicas of hierarchy-1 need a spread"):
                call()


def test_messages_name_the_real_limits() -> None:
    three = Cluster(ABC, algorithm="slots-1", slots=3)
    for slot in (-1, 3, 2**22, 2**64, 2**80):
        with refuses("invalid_parameter", f"^slot {slot} is out of range: .*from 0 to 2$"):
            three.slot_ranking(slot)
    for coordinate in (-1, 2**64, 2**80):
        with refuses("invalid_parameter", f"^coordinate {coordinate} is out of range: an integer from 0 to 31$"):
            EXPLICIT.owner_at(coordinate)
        for cluster in (RING, SLOTS):
            with refuses("invalid_parameter", f"^coordinate {coordinate} is out of range: an integer from 0 to {2**64 - 1}$"):
                cluster.owner_at(coordinate)
        # What the algorithm cannot do comes first, whatever the value.
        for call in (CLUSTER.owner_at, CLUSTER.slot_ranking, HIERARCHY.owner_at, RING.slot_ranking):
            with refuses("unsupported", "rendezvous-1|hierarchy-1|ring-1"):
                call(coordinate)
    for part in (-1, 11, 2**64):
        with refuses("invalid_parameter", f"^part {part} is out of range: an integer from 0 to 10"):
            keystead.Transition(CLUSTER, SLOTS, part, 10)
        with refuses("invalid_parameter", f"^part {part} is out of range: an integer from 0 to 10"):
            LIVE_STEP.at(part, 10)
        for of in (0, 2**32, 2**64):
            with refuses("invalid_parameter", f"^of {of} is out of range: an integer from 1 to {2**32 - 1}$"):
                LIVE_STEP.at(part, of)
    with refuses("invalid_parameter", "^r -1 is out of range: an integer of at least 0$"):
        CLUSTER.replicas("k", -1)
    with refuses("invalid_parameter", "^limit -1 is out of range: an integer of at least 0$"):
        CLUSTER.ranking("k", -1)


# ---- texts

TEXTS: list[Callable[[Any], Any]] = [
    lambda v: Node(v),
    lambda v: Node("a", location=[v]),
    lambda v: Node("a", address=v),
    lambda v: Node("a", comment=v),
    lambda v: Node("a", meta={v: "x"}),
    lambda v: Node("a", meta={"x": v}),
    lambda v: Cluster([v]),
    lambda v: Cluster(ABC, algorithm=v),
    lambda v: Cluster(ABC, hash=v),
    lambda v: Cluster(ABC, levels=[v]),
    lambda v: CLUSTER.owner("k", exclude=[v]),
    lambda v: CLUSTER.ranking("k", exclude=[v]),
    lambda v: CLUSTER.replicas("k", 1, exclude=[v]),
    lambda v: CLUSTER.explain("k", exclude=[v]),
    lambda v: CLUSTER.node(v),
    lambda v: v in CLUSTER,
    lambda v: CLUSTER.with_node(v),
    lambda v: CLUSTER.without_node(v),
    lambda v: CLUSTER.with_weight(v, 1),
    lambda v: CLUSTER.change(add=[v]),
    lambda v: CLUSTER.change(remove=[v]),
    lambda v: CLUSTER.change(drain=[v]),
    lambda v: CLUSTER.change(weight={v: 1}),
    lambda v: SLOTS.slots_of(v),
    lambda v: keystead.rank_scores([(v, 1)]),
    lambda v: keystead.jump_bucket("k", 1, hash=v),
]


@pytest.mark.parametrize("call", TEXTS)
def test_texts(call: Callable[[Any], Any]) -> None:
    for value in NOT_TEXTS:
        if not isinstance(value, list):  # no list can be in a dict
            refuses_type(lambda: call(value), "must be a")
    for value in (SURROGATE, "a\udfffb", "x" * 70_000 + SURROGATE):
        with refuses("invalid_text", "surrogate"):
            call(value)


def test_spread_is_a_number_or_a_name() -> None:
    for value in (1.0, True, b"zone", ["zone"], object()):
        refuses_type(lambda: PLACES.replicas("k", 2, spread=value), "^spread must be an int or a str, not ")
    for level in (-1, 8, 2**64, -(10**5000)):
        with refuses("invalid_parameter", "level"):
            PLACES.replicas("k", 2, spread=level)
    with refuses("invalid_text", "surrogate"):
        PLACES.replicas("k", 2, spread=SURROGATE)
    assert PLACES.replicas("k", 3, spread="zone") == PLACES.replicas("k", 3, spread=0)
    with refuses("invalid_parameter", "rack"):
        PLACES.replicas("k", 2, spread="rack")
    with refuses("invalid_parameter"):
        PLACES.replicas("k", 2, spread="0")
    with refuses("invalid_parameter"):
        CLUSTER.replicas("k", 2, spread="zone")


def test_relaxed_is_a_bool() -> None:
    for value in (1, 0, None, "yes"):
        for call in (PLACES.replicas, PLACES.explain, LIVE_STEP.replicas, LIVE_STEP.explain):
            refuses_type(lambda: call("k", 2, spread=0, relaxed=value), f"^relaxed must be a bool, not {type(value).__name__}$")
        refuses_type(lambda: PLACES.diff(PLACES, relaxed=value), "^relaxed must be a bool")
        refuses_type(lambda: PLACES.diff_keys(PLACES, [], relaxed=value), "^relaxed must be a bool")
    assert PLACES.replicas("k", 4, spread=0, relaxed=numpy.bool_(True)) == PLACES.replicas("k", 4, spread=0, relaxed=True)


# ---- iterables

ITERABLES: list[Callable[[Any], Any]] = [
    lambda v: Cluster(v),
    lambda v: Node("a", location=v),
    lambda v: Cluster(ABC, levels=v),
    lambda v: CLUSTER.owner("k", exclude=v),
    lambda v: CLUSTER.ranking("k", exclude=v),
    lambda v: CLUSTER.replicas("k", 1, exclude=v),
    lambda v: CLUSTER.change(add=v),
    lambda v: CLUSTER.change(remove=v),
    lambda v: CLUSTER.change(drain=v),
]


@pytest.mark.parametrize("call", ITERABLES)
def test_iterables_of_texts(call: Callable[[Any], Any]) -> None:
    for value in ("a", b"a", bytearray(b"a"), "", 1, 1.5, True, object()):
        refuses_type(lambda: call(value))

    def raising() -> Any:
        yield "c"
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        call(raising())


def test_what_is_no_iterable_is_named() -> None:
    calls: list[tuple[str, str, Callable[[Any], Any]]] = [
        ("nodes", "str and Node", lambda v: Cluster(v)),
        ("levels", "str", lambda v: Cluster(ABC, levels=v or 0)),
        ("location", "str", lambda v: Node("a", location=v)),
        ("tokens", "int", lambda v: Node("a", tokens=v or 0)),
        ("exclude", "str", lambda v: CLUSTER.owner("k", exclude=v or 0)),
        ("add", "str and Node", lambda v: CLUSTER.change(add=v)),
        ("remove", "str", lambda v: CLUSTER.change(remove=v)),
        ("drain", "str", lambda v: CLUSTER.change(drain=v)),
        ("keys", "keys", lambda v: CLUSTER.owner_many(v)),
        ("keys", "keys", lambda v: CLUSTER.replica_indices(v, 1)),
        ("keys", "keys", lambda v: CLUSTER.group_by_owner(v)),
        ("keys", "keys", lambda v: CLUSTER.diff(SLOTS, v or 0)),
        ("keys", "keys", lambda v: CLUSTER.diff_keys(SLOTS, v)),
        ("sizes", "int", lambda v: CLUSTER.diff(SLOTS, [], v or 0)),
        ("keys", "keys", lambda v: keystead.plan(CLUSTER, SLOTS, v or 0, limit="9%")),
        ("candidates", r"\(id, score\) or \(id, score, weight\)", lambda v: keystead.rank_scores(v)),
    ]
    for name, of, call in calls:
        for value in (None, 5, object()):
            refuses_type(lambda: call(value), f"^{name} must be an iterable of {of}, not (NoneType|int|object)$")

    class Raises:
        def __iter__(self) -> Any:
            raise TypeError("mine")

    for _, _, call in calls:
        refuses_type(lambda: call(Raises()), "^mine$")


def test_iterables_of_every_kind() -> None:
    wanted = Cluster(ABC)
    for nodes in (tuple(ABC), set(ABC), iter(ABC), (id for id in ABC), dict.fromkeys(ABC).keys(), numpy.array(ABC), [Node(id) for id in ABC]):
        assert Cluster(nodes) == wanted
    for exclude in (["a"], ("a",), {"a"}, frozenset("a"), iter("a"), {"a": 1}, numpy.array(["a"])):
        assert "a" not in CLUSTER.ranking("k", exclude=exclude)
    assert CLUSTER.ranking("k", exclude=["nobody", "a", "a"]) == CLUSTER.ranking("k", exclude=["a"])


def test_a_dict_or_a_cluster_as_nodes_would_lose_the_weights() -> None:
    refuses_type(lambda: Cluster({"a": 2, "b": 1}), "dict")
    refuses_type(lambda: Cluster(CLUSTER), "Cluster")
    refuses_type(lambda: Cluster(Node("a")))
    refuses_type(lambda: Cluster([{"id": "a"}]), "a str or a Node")
    refuses_type(lambda: Cluster([["a"]]))
    refuses_type(lambda: Cluster(None))
    assert Cluster(CLUSTER.nodes) == CLUSTER


def test_endless_iterables_end() -> None:
    with refuses("invalid_location", "8"):
        Node("a", location=itertools.repeat("x"))
    with refuses("invalid_parameter"):
        Cluster(ABC, levels=map(str, itertools.count()))
    with refuses("too_many_nodes", "1048576"):
        Cluster(map(str, itertools.count()))


def test_mappings() -> None:
    for value in (1, "ab", [("a", "b")], {"a"}, b"a"):
        refuses_type(lambda: Node("a", meta=value))
        refuses_type(lambda: CLUSTER.change(weight=value))
    node = Node("a", meta=Node("b", meta={"z": "1", "a": "2"}).meta)
    assert list(node.meta.items()) == [("a", "2"), ("z", "1")]


def test_unknown_arguments() -> None:
    refuses_type(lambda: Cluster(ABC, weights={}))
    refuses_type(lambda: Cluster(ABC, "rendezvous-1"))
    refuses_type(lambda: Cluster())
    refuses_type(lambda: CLUSTER.owner("k", ["a"]))
    refuses_type(lambda: CLUSTER.replicas("k", 1, 0))
    refuses_type(lambda: CLUSTER.owner())
    refuses_type(lambda: CLUSTER.change({"a"}))
    assert CLUSTER.owner(key="k") == CLUSTER.owner("k")
    assert CLUSTER.ranking(key="k", limit=1) == [CLUSTER.owner("k")]
    assert CLUSTER.replicas(key="k", r=1) == [CLUSTER.owner("k")]


def test_defaults_that_are_not_none_refuse_none() -> None:
    refuses_type(lambda: Node("a", None))
    refuses_type(lambda: Node("a", location=None))
    refuses_type(lambda: CLUSTER.change(add=None))
    refuses_type(lambda: CLUSTER.explain("k", None))
    assert Cluster(ABC, algorithm=None, hash=None, seed=None, secret=None, epoch=None, levels=None) == CLUSTER
    assert CLUSTER.owner("k", exclude=None) == CLUSTER.owner("k")


# ---- parameters and secrets


def test_parameters_that_do_not_belong_together() -> None:
    for given in ({"tokens_per_weight": 1}, {"space": 32}, {"slots": 1}, {"headroom": 0}, {"algorithm": "ring"}, {"algorithm": ""}, {"hash": "md5"}):
        with refuses("invalid_parameter"):
            Cluster(ABC, **given)
    with refuses("invalid_parameter", "headroom"):
        Cluster(ABC, algorithm="ring-1", headroom=1)
    for levels in ([], ["a", "a"], [str(i) for i in range(9)], [""], ["\n"]):
        with refuses("invalid_parameter"):
            Cluster(ABC, levels=levels)


def test_secrets() -> None:
    secret = bytes(range(16))
    c = Cluster(ABC, hash="sip13", secret=secret)
    assert (c.has_secret, c.seed, c.hash) == (True, None, "sip13")
    with refuses("missing_secret"):
        Cluster(ABC, hash="sip13")
    with refuses("unexpected_secret"):
        Cluster(ABC, secret=secret)
    with refuses("invalid_parameter", "seed"):
        Cluster(ABC, hash="sip13", secret=secret, seed=0)
    for length in (0, 15, 17, 32):
        with refuses("invalid_parameter", str(length)):
            Cluster(ABC, hash="sip13", secret=b"\xab" * length)
    for wrong in ("0" * 16, list(secret), 7, bytearray(secret), memoryview(secret)):
        refuses_type(lambda: Cluster(ABC, hash="sip13", secret=wrong), "secret must be bytes")
    assert keystead.modulo("k", 1000, hash="sip13", secret=secret) == keystead.modulo(b"k", 1000, hash="sip13", secret=secret)
    with refuses("missing_secret"):
        keystead.jump_bucket("k", 7, hash="sip13")


@pytest.mark.parametrize("wrong", [b"TOPSECRET", b"TOPSECRET" * 9, "TOPSECRETTOPSECR", ["TOPSECRET"]])
def test_no_message_has_a_secret(wrong: Any) -> None:
    for call in (lambda: Cluster(ABC, hash="sip13", secret=wrong), lambda: Cluster.from_json("{}", secret=wrong), lambda: keystead.modulo("k", 1, secret=wrong)):
        with pytest.raises((TypeError, KeysteadError)) as refused:
            call()
        assert "TOPSECRET" not in str(refused.value)


# ---- what each call refuses


def test_no_nodes() -> None:
    for nodes in ([], [Node("a", 0)], [Node("a", 0), Node("b", 0)]):
        with pytest.raises(NoNodesError) as refused:
            Cluster(nodes)
        assert refused.value.code == "no_nodes"
    for call in (CLUSTER.owner, CLUSTER.ranking, lambda key, exclude: CLUSTER.replicas(key, 1, exclude=exclude)):
        with pytest.raises(NoNodesError, match="3 excluded|excluded 3|3 .*excluded"):
            call("k", exclude=ABC)
    assert CLUSTER.ranking("k", 0, exclude=ABC) == []
    with pytest.raises(NoNodesError):
        Cluster(["a"]).without_node("a")


def test_questions_about_nodes() -> None:
    for call in (CLUSTER.node, CLUSTER.without_node, SLOTS.slots_of, lambda id: CLUSTER.with_weight(id, 1), lambda id: CLUSTER.change(drain=[id])):
        with refuses("unknown_node", "nobody"):
            call("nobody")
    with refuses("duplicate_node", '"b"'):
        CLUSTER.with_node("b")
    with refuses("duplicate_node", '"b"'):
        Cluster(["a", "b", "b"])
    for id in ("", "a\n", "\x7f", "x" * 65_536):
        with refuses("invalid_id"):
            Node(id)
        with refuses("invalid_id"):
            Cluster([id])
    with refuses("invalid_location"):
        Node("a", location=["x", ""])
    for tokens in ([], [1, 1]):
        with refuses("invalid_tokens"):
            Node("a", tokens=tokens)


def test_what_an_algorithm_cannot_do() -> None:
    for call in (
        lambda: CLUSTER.slot("k"),
        lambda: CLUSTER.slot_owners(),
        lambda: CLUSTER.slots_of("a"),
        lambda: CLUSTER.slot_ranking(0),
        lambda: CLUSTER.slot_indices([]),
        lambda: CLUSTER.slot_indices(["k"]),
        lambda: CLUSTER.arcs(),
        lambda: CLUSTER.owner_at(0),
        lambda: SLOTS.arcs(),
        lambda: RING.slot("k"),
        lambda: HIERARCHY.owner_at(0),
    ):
        with refuses("unsupported", "-1"):
            call()


# ---- the order of the checks of replicas (section 9 of the specification)


def test_order_of_checks() -> None:
    bad: Any = 1.5
    assert CLUSTER.replicas(bad, 0) == []
    assert HIERARCHY.replicas(bad, 0) == [] and CLUSTER.replicas(bad, 0, spread=99, exclude=ABC) == []
    for call in (HIERARCHY.replicas, HIERARCHY.explain):
        with refuses("invalid_parameter", "spread"):
            call(bad, 2)
    for spread in (8, "rack"):
        with refuses("invalid_parameter"):
            PLACES.replicas(bad, 2, spread=spread)
    with refuses("uneven_locations"):
        PLACES.replicas(bad, 2, spread=2)
    with refuses("uneven_locations"):
        CLUSTER.replicas(bad, 2, spread=0)
    with refuses("invalid_key"):
        CLUSTER.replicas(bad, 99, exclude=ABC)
    with refuses("no_nodes"):
        CLUSTER.replicas("k", 99, exclude=ABC)
    with refuses("not_enough_nodes", "7.*6|6.*7"):
        PLACES.replicas("k", 7, spread=0)
    with refuses("not_enough_domains", "4.*3|3.*4"):
        PLACES.replicas("k", 4, spread=0)
    assert PLACES.replicas("k", 6, spread=0, relaxed=True)
    with refuses("not_enough_nodes"):
        CLUSTER.replica_indices(["k"], 4)
    with refuses("invalid_key"):
        CLUSTER.replica_indices([bad], 4)
    assert CLUSTER.replica_indices([], 4).tolist() == []
    with refuses("invalid_key"):
        CLUSTER.replica_indices([bad], 3)


def test_none_are_spread_over_nothing() -> None:
    """At r = 0 replicas looks at nothing further; explain judges the key, which it explains, and the types of the rest."""
    bad: Any = 1.5
    for cluster in (CLUSTER, PLACES, HIERARCHY, LIVE_STEP):
        plain = cluster.explain("k", 0)
        for spread in (0, 7, 8, 99, -1, 2**64, -(10**5000), "zone", "x", "", SURROGATE, numpy.int8(-1)):
            assert cluster.replicas("k", 0, spread=spread) == cluster.replicas(bad, 0, spread=spread) == []
            assert cluster.explain("k", 0, spread=spread) == plain
            with refuses("invalid_key"):
                cluster.explain(bad, 0, spread=spread)
        for value in (1.5, True, b"zone", ["zone"], object()):
            refuses_type(lambda: cluster.explain("k", 0, spread=value), "^spread must be an int or a str, not ")
        for value in (1, "yes", None):
            refuses_type(lambda: cluster.explain("k", 0, relaxed=value), "relaxed must be a bool")
        for value in (1, "a", [1]):
            refuses_type(lambda: cluster.explain("k", 0, exclude=value), "exclude must be")
        with refuses("invalid_text", "exclude"):
            cluster.explain("k", 0, exclude=[SURROGATE])
        assert cluster.replicas(bad, 0, exclude=[SURROGATE]) == []
    with refuses("invalid_key"):
        CLUSTER.replica_indices([bad], 0)
    with refuses("invalid_parameter", "^r 0 is out of range"):
        CLUSTER.diff(CLUSTER, r=0, spread=-1)


def test_the_key_of_a_transition_comes_first() -> None:
    """Which cluster is asked depends on the key."""
    bad: Any = 1.5
    for call in (LIVE_STEP.replicas, LIVE_STEP.explain):
        for spread in (7, "nowhere"):
            with refuses("invalid_key"):
                call(bad, 2, spread=spread)
        with refuses("invalid_parameter", "spread level 8 is out of range"):
            call("k", 2, spread=8)


def test_explain_is_a_dict_that_says_who_and_why() -> None:
    told = PLACES.explain("user:42", 3, spread="zone", exclude=["a"])
    assert isinstance(told, dict)
    assert all(isinstance(name, str) for name in told)
    assert PLACES.explain("user:42") == PLACES.explain(b"user:42") | {"key": PLACES.explain("user:42")["key"]}


def test_owner_however_it_is_called() -> None:
    """The quick way and the long way to the same method."""
    c = Cluster(["a", "b", "c"])
    for key in ("user:42", b"user:42", "naïve 𝔘", 42, ("t", 1), bytearray(b"x"), memoryview(b"x"), numpy.str_("user:42"), numpy.bytes_(b"x")):
        owner = c.ranking(key)[0]
        assert c.owner(key) == c.owner(key=key) == c.owner(key, exclude=None) == c.owner(key, exclude=()) == c.owner(**{"key": key, "exclude": ["nobody"]}) == owner
        assert c.owner(key, exclude=[owner]) == c.owner(exclude=[owner], key=key) == c.ranking(key)[1]
        assert Cluster.owner(c, key) == Cluster.owner.__get__(c)(key) == owner
    for wrong in (
        lambda: c.owner(),
        lambda: c.owner("k", "k"),
        lambda: c.owner("k", key="k"),
        lambda: c.owner("k", excludes=[]),
        lambda: c.owner("k", exclude=[], other=1),
        lambda: c.owner("k", exclude="a"),
        lambda: c.owner("k", **{"exclud\u00e9": []}),
        lambda: c.owner(exclude=[]),
        lambda: Cluster.owner(),
        lambda: Cluster.owner("c", "k"),
    ):
        with pytest.raises(TypeError):
            wrong()
    for bad, code in ((1.5, "invalid_key"), (None, "invalid_key"), ("\ud800", "invalid_text")):
        with refuses(code):
            c.owner(bad)
        with refuses(code):
            c.owner(bad, exclude=["a"])
    with refuses("no_nodes"):
        c.owner("k", exclude=["a", "b", "c"])
