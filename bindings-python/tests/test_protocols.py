"""Clusters and nodes as Python objects: len, in, iteration, ==, hash, repr, pickle, copy; the exceptions; the module."""

import copy
import gc
import multiprocessing
import pickle
import re
import types
import weakref
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from importlib import metadata
from typing import Any, NamedTuple

import keystead
import pytest
from conftest import PACKAGE, PROJECT
from keystead import Cluster, KeysteadError, LiveCluster, Node, NoNodesError, Transition
from refusals import refuses

SECRET = b"\x00TOPSECRET\xff12345"
NODE = Node("a", 2, ("eu", "eu-1"), address="10.7.0.1:80", meta={"rack": "r7", "": "\0"}, comment="ssd")
CLUSTERS = [
    Cluster(["a", "b", "c"]),
    Cluster([NODE, Node("b", 0, ["eu", "eu-2"]), Node("c", location=["us", "us-1"])], seed=2**64 - 1, epoch=42, levels=["region", "zone"]),
    Cluster(["a", "b"], algorithm="ring-1", tokens_per_weight=3, hash="xxh64"),
    Cluster([Node("a", tokens=[1, 30]), Node("b", tokens=[7])], algorithm="ring-1", space=32),
    Cluster([Node("a", 3), "b", "c"], algorithm="slots-1", slots=100, headroom=0),
    Cluster([Node(f"n{i}", i % 3, [f"z{i % 2}"]) for i in range(9)], algorithm="hierarchy-1"),
    Cluster.from_json('{"keystead": 1, "comment": "kept \\u0000", "nodes": ["a"]}'),
]


def everything(c: Cluster) -> Any:
    members = ("ids", "nodes", "algorithm", "hash", "seed", "epoch", "levels", "tokens_per_weight", "space", "slots", "headroom", "comment", "fingerprint")
    return [getattr(c, name) for name in members] + [c.ranking(key) for key in range(100)] + [c.shares(), c.description()]


@pytest.mark.parametrize("c", CLUSTERS, ids=lambda c: c.algorithm)
def test_pickle_and_copy_keep_everything(c: Cluster) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(c, protocol))
        assert again == c and everything(again) == everything(c)
    assert copy.copy(c) is c and copy.deepcopy(c) is c and copy.deepcopy([c])[0] is c


def owner_of(c: Cluster, key: str) -> str:
    return c.owner(key)


def test_clusters_travel_to_other_processes() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for c in CLUSTERS:
            assert pool.submit(owner_of, c, "user:42").result() == c.owner("user:42")


def test_a_cluster_with_a_secret_is_not_pickled() -> None:
    c = Cluster(["a"], hash="sip13", secret=SECRET)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with refuses("unsupported", "secret"):
            pickle.dumps(c, protocol)
    assert copy.copy(c) is c and copy.deepcopy(c) is c
    assert Cluster.from_json(c.to_json(), secret=SECRET) == c
    with refuses("missing_secret"):
        Cluster.from_json(c.to_json())


def test_the_secret_is_nowhere_to_be_seen() -> None:
    c = Cluster(["a"], hash="sip13", secret=SECRET)
    seen = repr(c) + str(c) + c.to_json() + str(c.explain("k")) + repr([getattr(c, name) for name in dir(c) if not callable(getattr(c, name))])
    for form in ("TOPSECRET", SECRET.hex(), repr(SECRET), repr(list(SECRET))[1:-1]):
        assert form not in seen
    assert SECRET not in c.description()
    with pytest.raises(AttributeError):
        c.secret


def test_len_in_iteration_and_index() -> None:
    c = CLUSTERS[1]
    assert len(c) == 3 and list(c) == ["a", "b", "c"] == sorted(c) and tuple(c) == c.ids
    assert "b" in c and "d" not in c and "" not in c
    for wrong in (1, None, b"a", NODE):
        with pytest.raises(TypeError):
            wrong in c
    assert c["user:42"] == c.owner("user:42") and c[("t", 1)] == c.owner(("t", 1)) and c[-1] == c.owner(-1)
    with refuses("invalid_key"):
        c[1.5]
    with refuses("invalid_key"):
        c[1:2]
    with pytest.raises(TypeError):
        c["a"] = "b"
    assert bool(c)


def test_names_are_handed_out_by_reference() -> None:
    c = CLUSTERS[0]
    names = {id(name) for name in c.ids}
    given = [c.owner("k"), c["k"], *c.ranking("k"), *c.replicas("k", 2), *c.owner_many(["k", 1]), *c.shares(), *c.group_by_owner([]), *c]
    assert all(id(name) in names for name in given)
    assert c.nodes is c.nodes and c.ids is c.ids


def test_equality_and_hash_are_the_fingerprints() -> None:
    a, b = Cluster(["a", "b"]), Cluster(["b", "a"], epoch=7)
    assert a == b and hash(a) == hash(b) and len({a, b}) == 1 and not a != b
    assert a != Cluster(["a", "c"]) and a != Cluster(["a", "b"], seed=1)
    assert a != "a" and a != None and not a == ["a", "b"]  # noqa: E711
    with pytest.raises(TypeError):
        a < b
    assert Node("a") == Node("a", 1, []) and hash(Node("a")) == hash(Node("a", location=()))
    others = [Node("b"), Node("a", 2), Node("a", location=["x"]), Node("a", tokens=[1]), Node("a", address=""), Node("a", meta={"": ""}), Node("a", comment="")]
    assert len({Node("a"), *others}) == 8
    assert Node("a") != "a" and Node("a") != None  # noqa: E711


def test_repr() -> None:
    c = Cluster(["a", "b"], seed=7, epoch=3)
    assert repr(c) == str(c) == f"<keystead.Cluster of 2 nodes: rendezvous-1, xxh3, seed 7, epoch 3, {c.fingerprint}>"
    assert repr(Cluster(["a"], hash="sip13", secret=SECRET)).startswith("<keystead.Cluster of 1 node: rendezvous-1, sip13, a secret, ")
    assert repr(Node("a")) == "Node('a')"
    assert eval(repr(NODE)) == NODE
    quoted = Node("it's\u0085", tokens=[3, 1])
    assert repr(quoted) == 'Node("it\'s\\x85", tokens=(1, 3))' and eval(repr(quoted)) == quoted


def test_nodes() -> None:
    assert (NODE.id, NODE.weight, NODE.location, NODE.tokens) == ("a", 2, ("eu", "eu-1"), None)
    assert (NODE.address, dict(NODE.meta), NODE.comment) == ("10.7.0.1:80", {"": "\0", "rack": "r7"}, "ssd")
    assert Node("a", tokens=[9, 1]).tokens == (1, 9)
    bare = Node("a")
    assert (bare.weight, bare.location, bare.tokens, bare.address, dict(bare.meta), bare.comment) == (1, (), None, None, {}, None)
    assert isinstance(NODE.meta, types.MappingProxyType)
    with pytest.raises(TypeError):
        NODE.meta["rack"] = "r8"
    for name in ("id", "weight", "location", "tokens", "address", "meta", "comment", "colour"):
        with pytest.raises(AttributeError):
            setattr(NODE, name, 1)
        with pytest.raises(AttributeError):
            setattr(CLUSTERS[0], name if name != "id" else "ids", 1)
    for node in (NODE, bare, Node("é𝔘", 0, tokens=[2**64 - 1, 0])):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(node, protocol)) == node
        assert copy.copy(node) is node and copy.deepcopy(node) is node
    assert CLUSTERS[1].node("a") == NODE and CLUSTERS[1].nodes[0] == NODE


def test_changes_keep_what_untouched_nodes_carry() -> None:
    c = CLUSTERS[1].change(add=["d"], remove=["c"], weight={"d": 5}, drain=["a"])
    assert c.ids == ("a", "b", "d") and [node.weight for node in c.nodes] == [0, 0, 5]
    assert (c.node("a").address, c.node("a").meta, c.epoch, c.levels) == (NODE.address, NODE.meta, None, ("region", "zone"))
    assert CLUSTERS[1].with_epoch(7).epoch == 7 and CLUSTERS[1].with_epoch(None).epoch is None
    assert CLUSTERS[0].change() == CLUSTERS[0]
    replaced = CLUSTERS[0].change(remove=["a"], add=[Node("a", 9)])
    assert replaced.node("a").weight == 9


def test_compare() -> None:
    plain, one, two = Cluster(["a"]), Cluster(["a", "b"], epoch=1), Cluster(["a", "b", "c"], epoch=2)
    pairs = [(one, two), (two, one), (one, one.with_epoch(9)), (one, two.with_epoch(1)), (plain, one)]
    assert [left.compare(right) for left, right in pairs] == ["older", "newer", "same", "conflict", "different"]
    for wrong in (None, "a", one.fingerprint):
        with pytest.raises(TypeError):
            one.compare(wrong)


def test_shares_are_exact() -> None:
    assert Cluster([Node("a", 2), "b", Node("c", 0)]).shares() == {"a": Fraction(2, 3), "b": Fraction(1, 3), "c": Fraction(0)}
    for c in CLUSTERS:
        assert sum(c.shares().values()) == 1 and list(c.shares()) == list(c.ids)
        assert all(isinstance(share, Fraction) for share in c.shares().values())


def test_arcs_are_named_tuples() -> None:
    arcs = CLUSTERS[3].arcs()
    assert arcs == pickle.loads(pickle.dumps(arcs)) and all(type(arc) is keystead.Arc for arc in arcs)
    assert repr(arcs[0]) == "Arc(start=30, end=1, length=3, owner='a')"
    assert sum(arc.length for arc in arcs) == 32
    (only,) = Cluster(["a"], algorithm="ring-1", tokens_per_weight=1).arcs()
    assert only.length == 2**64


def test_classes_are_final_and_weakly_referable() -> None:
    for base in (Cluster, Node, Transition):
        with pytest.raises(TypeError):
            type("Sub", (base,), {})
    c = Cluster(["a"])
    alive = weakref.ref(c)
    assert alive() is c
    del c
    gc.collect()
    assert alive() is None


# ---- exceptions


def test_exceptions() -> None:
    assert issubclass(KeysteadError, ValueError) and issubclass(NoNodesError, KeysteadError)
    with pytest.raises(KeysteadError) as refused:
        Cluster.from_json('{"keystead": 1,\n "nodes": [nodes]}')
    error = refused.value
    assert (error.code, error.line, error.column) == ("invalid_file", 2, 12)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.code, again.line, again.column) == (KeysteadError, str(error), "invalid_file", 2, 12)
    with pytest.raises(NoNodesError) as none:
        Cluster([])
    assert (none.value.code, none.value.line, none.value.column) == ("no_nodes", None, None)
    assert type(copy.copy(none.value)) is NoNodesError
    # A program's own: they can be made and raised like any other.
    assert KeysteadError("mine").code == "" and NoNodesError("mine").code == "no_nodes" and KeysteadError("mine").line is None


def test_a_panic_is_an_error_that_can_be_caught(capfd: pytest.CaptureFixture[str]) -> None:
    panic = keystead.keystead._panic
    try:
        panic()
    except Exception as error:  # a BaseException, as pyo3 would raise, would go by here
        assert isinstance(error, RuntimeError) and "on request" in str(error) and "report" in str(error)
    else:
        raise AssertionError("nothing was raised")
    assert "on request" in capfd.readouterr().err
    assert CLUSTERS[0].owner("k")


# ---- the module


def test_the_module() -> None:
    assert keystead.__version__ == metadata.version("keystead")
    assert keystead.__doc__ and all(not name.startswith("_") or name == "__version__" for name in keystead.__all__)
    assert sorted(keystead.__all__) == sorted(
        ["Arc", "Cluster", "KeysteadError", "LiveCluster", "Move", "NoNodesError", "Node", "Transition", "__version__", "encode_key", "jump", "jump_bucket", "modulo", "plan", "rank_scores"]
    )
    for name in keystead.__all__:
        item = getattr(keystead, name)
        if isinstance(item, type):
            assert item.__module__ == "keystead"
        if callable(item):
            assert item.__doc__
    for item in [*vars(Cluster).values(), *vars(Node).values(), *vars(Transition).values(), *vars(LiveCluster).values()]:
        if getattr(item, "__name__", "_")[0] != "_":
            assert item.__doc__, item


def test_what_is_installed() -> None:
    distribution = metadata.distribution("keystead")
    files = {str(file) for file in distribution.files or []}
    assert {"keystead/__init__.pyi", "keystead/keystead.pyi", "keystead/py.typed"} <= files
    assert sum(file.endswith(("/LICENSE-MIT", "/LICENSE-APACHE")) for file in files) == 2
    assert distribution.metadata["License-Expression"] == "MIT OR Apache-2.0"
    assert distribution.metadata["Requires-Python"] == ">=3.11"


def test_licences_are_the_projects() -> None:
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert (PACKAGE / name).read_bytes() == (PROJECT / name).read_bytes()


def test_the_stub_names_what_the_runtime_documents() -> None:
    stub = (PACKAGE / "keystead.pyi").read_text("utf-8")
    for name in [*vars(Cluster), *vars(Transition), *vars(LiveCluster)]:
        if not name.startswith("_"):
            assert re.search(rf"def {name}\(", stub), name


class Pair(NamedTuple):
    left: str
    right: int


def test_a_named_tuple_is_a_tuple() -> None:
    assert CLUSTERS[0].ranking(Pair("t", 1)) == CLUSTERS[0].ranking(("t", 1))
