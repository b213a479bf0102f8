"""Trouble that people who place keys have met (tests/cases/field-cases.json): each case as it is given, with the outcome it states."""

import hashlib
import itertools
import json
import math
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from typing import Any, Iterable

import keystead
import pytest
from conftest import PROJECT
from keystead import Cluster, KeysteadError, Node, NoNodesError

sys.path.append(str(PROJECT / "tests"))
import reference  # noqa: E402

CASES: dict[str, Any] = {
    case["id"]: case for case in json.loads((PROJECT / "tests/cases/field-cases.json").read_text("utf-8"))["cases"]
}


def asked(id: str) -> Any:
    return CASES[id]["input"]


def check(id: str) -> Any:
    return CASES[id]["expected"]["check"]


def generated(recipe: dict[str, Any]) -> list[str]:
    first, step = recipe.get("from", 0), recipe.get("step", 1)
    return [recipe["fmt"] % i for i in range(first, first + step * recipe["n"], step)]


def node(given: Any) -> Node:
    return Node(given) if isinstance(given, str) else Node(given["id"], given["weight"], address=given.get("address"))


def cluster(id: str, **parameters: Any) -> Cluster:
    return Cluster(map(node, asked(id)["nodes"]), **parameters)


def moved(before: list[str], after: list[str]) -> list[tuple[str, str]]:
    return [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]


def diff_says(before: Cluster, after: Cluster, keys: list[str], changed: list[tuple[str, str]], reason: str, id: str) -> None:
    """diff says the same of the change: these moves, for this reason alone, and no more than the least; and it knows the share without any key."""
    told = before.diff(after, keys)
    assert {(move["from"], move["to"]): int(move["keys"]) for move in told["counted"]["moves"]} == Counter(changed)
    assert {why for why, count in told["counted"]["reasons"].items() if count["keys"] != "0"} == {reason, "unchanged"}
    assert told["expected"]["method"] == "exact" and near(told["expected"]["moved"], check(id)["moved_p"], 1e-5)
    assert near(told["least"]["share"], check(id)["moved_p"], 1e-5)


def near(share: float, wanted: float, tolerance: float) -> bool:
    return abs(share - wanted) <= tolerance


def shares(owners: Iterable[str]) -> dict[str, float]:
    counts = Counter(owners)
    total = sum(counts.values())
    return {id: count / total for id, count in counts.items()}


def test_every_case_is_here() -> None:
    tests = {name.split("_")[1].upper() for name in globals() if name.startswith("test_b")}
    assert tests == set(CASES)


def test_b04_a_hash_of_zero_is_a_hash() -> None:
    c = cluster("B04")
    oracle = reference.Cluster([reference.Node(id) for id in c.ids])
    for key in asked("B04")["keys_utf8"]:
        assert c.owner(key) == oracle.owner(key)
    # A digest of 0 has slot 0, and weight 0 is a weight.
    slots = Cluster(c.ids, algorithm="slots-1", slots=7)
    assert slots.owner_at(0) == slots.slot_owners()[0]
    assert Node("a", 0).weight == 0


def test_b05_jump_is_exact_beyond_2_to_53() -> None:
    assert [keystead.jump(int(key), n) for key, n in asked("B05")["pairs"]] == check("B05")["exact"]
    with pytest.raises(TypeError):
        keystead.jump(9007199254740993.0, 10)


def test_b08_keys_are_utf8_and_never_changed() -> None:
    c = cluster("B08")
    given = asked("B08")
    oracle = reference.Cluster([reference.Node(id) for id in c.ids])
    for key in given["keys_utf8"]:
        assert c.ranking(key) == c.ranking(key.encode()) == oracle.ranking(key)
    assert keystead.encode_key("cart:\u00e9:7") != keystead.encode_key("cart:e\u0301:7")
    for hexed in given["bytes_hex"]:
        assert c.ranking(bytes.fromhex(hexed)) == oracle.ranking(bytes.fromhex(hexed))
    for ill_formed in (chr(0xD83D), b"\xff".decode(errors="surrogateescape")):
        with pytest.raises(KeysteadError) as refused:
            c.owner(ill_formed)
        assert refused.value.code == "invalid_text"


def test_b11_no_hidden_prefix() -> None:
    c = cluster("B11")
    keys = generated(asked("B11")["keys"])
    prefixed = [asked("B11")["prefix"] + key for key in keys]
    assert c.owner_many(prefixed) == [c.owner("app1:" + key) for key in keys]
    assert c.owner_many(keys) != c.owner_many(prefixed)


def test_b12_parts_of_a_key_never_run_together() -> None:
    for left, right in asked("B12")["composite_keys"]:
        assert keystead.encode_key(left) != keystead.encode_key(right)
        assert keystead.encode_key(left) == keystead.encode_key(tuple(left))


def test_b13_an_id_is_text_and_nothing_else() -> None:
    class WithId:
        id = "s:11211"

    class Opaque:
        __str__ = None

    for opaque in (WithId(), Opaque(), object(), 11211, b"s:11211", None):
        with pytest.raises(TypeError):
            Cluster([opaque])
        with pytest.raises(TypeError):
            Node(opaque)
    c = cluster("B13")
    keys = generated(asked("B13")["keys"])
    program = (
        "import keystead, sys\n"
        f"c = keystead.Cluster({list(c.ids)!r})\n"
        f"sys.stdout.write(' '.join(c.owner_many({keys!r})))\n"
    )
    for hash_seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        answers = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        assert answers.stdout.split(" ") == c.owner_many(keys)


def test_b15_an_address_may_be_shared_an_id_not() -> None:
    nodes = list(map(node, asked("B15")["nodes"]))
    with pytest.raises(KeysteadError, match=check("B15")["message_names"]) as refused:
        Cluster(nodes)
    assert refused.value.code == check("B15")["error"]
    assert Cluster(nodes[:2]).node("n2").address == Cluster(nodes[:2]).node("n1").address


def test_b18_the_order_of_the_list_means_nothing() -> None:
    nodes = list(map(node, asked("B18")["nodes"]))
    keys = generated(asked("B18")["keys"])
    before = Cluster(nodes).owner_many(keys)
    placeholder = Node("127.0.0.1:1", 0)
    for order in itertools.islice(itertools.permutations(nodes), 0, None, 5):
        assert Cluster(order).owner_many(keys) == before
    for position in range(len(nodes) + 1):
        assert Cluster([*nodes[:position], placeholder, *nodes[position:]]).owner_many(keys) == before
    new = asked("B18")["change"]["add"][0]["id"]
    changed = moved(before, Cluster(nodes).with_node(new).owner_many(keys))
    assert {to for _, to in changed} == {new}
    assert near(len(changed) / len(keys), check("B18")["moved_p"], check("B18")["tol_hrw"])


def test_b20_equal_scores_go_by_id() -> None:
    scores = asked("B20")["forced_scores"].items()
    for order in itertools.permutations(scores):
        assert keystead.rank_scores(order) == check("B20")["exact_rank"]


def test_b21_a_cluster_has_no_history() -> None:
    names = [f"cache-{i}" for i in range(1500)]
    built = Cluster(names, algorithm="ring-1", tokens_per_weight=160)
    keys = [f"key-{i}" for i in range(2000)]
    owners = built.owner_many(keys)
    pairs = [pair for name, pair in asked("B21").items() if name.startswith("colliding_pairs")]
    for colliding in itertools.chain.from_iterable(pairs):
        for gone in (name for name in colliding if isinstance(name, str)):
            without = built.without_node(gone)
            fresh = Cluster([name for name in names if name != gone], algorithm="ring-1", tokens_per_weight=160)
            assert without == fresh and without.owner_many(keys) == fresh.owner_many(keys)
            again = without.with_node(gone)
            assert again == built and again.owner_many(keys) == owners
    assert len(Cluster([f"n{i}" for i in range(10_000)], algorithm="ring-1", tokens_per_weight=16)) == 10_000


def test_b23_an_addition_moves_keys_to_it_alone() -> None:
    c = cluster("B23")
    keys = generated(asked("B23")["keys"])
    before = c.owner_many(keys)
    grown = c.change(add=map(node, asked("B23")["change"]["add"]))
    changed = moved(before, grown.owner_many(keys))
    assert {to for _, to in changed} == {"mc9"}
    diff_says(c, grown, keys, changed, "gained", "B23")
    assert near(len(changed) / len(keys), check("B23")["moved_p"], check("B23")["tol_hrw"])
    assert grown.without_node("mc9").owner_many(keys) == before
    for factor in check("B23")["scale_invariant"]:
        scaled = Cluster(Node(n.id, n.weight * factor) for n in c.nodes)
        assert scaled.owner_many(keys) == before and c.diff(scaled)["identical"]


def removal_moves_its_keys_alone(id: str) -> None:
    c = cluster(id)
    keys = generated(asked(id)["keys"])
    (gone,) = asked(id)["change"]["remove"]
    changed = moved(c.owner_many(keys), c.without_node(gone).owner_many(keys))
    assert {left for left, _ in changed} == {gone}
    diff_says(c, c.without_node(gone), keys, changed, "lost", id)
    assert near(len(changed) / len(keys), check(id)["moved_p"], check(id)["tol_hrw"])


def test_b24_removing_moves_its_keys_alone() -> None:
    removal_moves_its_keys_alone("B24")


def test_b25_equal_weights_have_equally_many_tokens() -> None:
    for n in asked("B25")["equal_weight_node_counts"]:
        for points in asked("B25")["points"]:
            ring = Cluster([f"n{i}" for i in range(n)], algorithm="ring-1", tokens_per_weight=points)
            assert Counter(arc.owner for arc in ring.arcs()) == {id: points for id in ring.ids}


def test_b26_removing_from_the_middle_moves_its_keys_alone() -> None:
    removal_moves_its_keys_alone("B26")


def test_b27_down_is_not_gone() -> None:
    c = cluster("B27")
    keys = generated(asked("B27")["keys"])
    (down,) = asked("B27")["change"]["down"]
    before = c.owner_many(keys)
    during = [c.owner(key, exclude=[down]) for key in keys]
    changed = moved(before, during)
    assert {left for left, _ in changed} == {down}
    assert near(len(changed) / len(keys), check("B27")["moved_p"], check("B27")["tol_hrw"])
    assert all(after == next(id for id in c.ranking(key) if id != down) for key, after in zip(keys, during, strict=True))
    assert [c.owner(key, exclude=[]) for key in keys] == before


def test_b29_a_weight_raised_moves_keys_into_it_alone() -> None:
    c = cluster("B29")
    keys = generated(asked("B29")["keys"])
    heavier = c.change(weight=asked("B29")["change"]["reweight"])
    changed = moved(c.owner_many(keys), heavier.owner_many(keys))
    assert sorted({to for _, to in changed}) == check("B29")["only_gainers"]
    diff_says(c, heavier, keys, changed, "gained", "B29")
    assert near(len(changed) / len(keys), check("B29")["moved_p"], check("B29")["tol_hrw"])


def is_even(id: str) -> None:
    c = cluster(id)
    share = float(Fraction(check(id)["share_p"].split()[0]))
    found = shares(c.owner_many(generated(asked(id)["keys"])))
    assert all(near(found.get(node, 0), share, check(id)["tol_hrw"]) for node in c.ids), found


def test_b30_ids_that_differ_in_the_port() -> None:
    is_even("B30")


def test_b31_keys_that_end_in_a_number() -> None:
    is_even("B31")


def test_b32_numeric_ids_spread() -> None:
    c = cluster("B32")
    for recipe in [asked("B32")["keys"], *asked("B32")["more_keys"]]:
        found = shares(c.owner_many(generated(recipe)))
        assert all(near(found.get(node, 0), 1 / 33, check("B32")["tol_hrw"]) for node in c.ids), found
        assert set(found) == set(c.ids)


def test_b34_the_spread_that_can_be_expected() -> None:
    keys = generated(asked("B34")["keys"])

    def deviation(**parameters: Any) -> float:
        counts = Counter(cluster("B34", **parameters).owner_many(keys))
        mean = len(keys) / 9
        assert near(mean, check("B34")["mean"], 0.1)
        return math.sqrt(sum((counts[f"hist-{i}"] - mean) ** 2 for i in range(9)) / 9)

    assert deviation() <= check("B34")["sd_hrw_max"]
    # One ring is one draw of its tokens: about is within a factor of 1.7, which is two standard deviations of the estimate of nine nodes.
    for tokens, about in ((100, check("B34")["sd_ring100_about"]), (500, check("B34")["sd_ring500_about"])):
        assert about / 1.7 <= deviation(algorithm="ring-1", tokens_per_weight=tokens) <= about * 1.7


def test_b35_equal_keys_have_one_owner() -> None:
    c = cluster("B35")
    for keys in [asked("B35")["keys"], *asked("B35")["more"]]:
        assert len(set(keys)) == check("B35")["distinct_keys"] == len(set(c.owner_many(keys)))


def test_b37_weights_that_are_none() -> None:
    bad: list[Any] = [float("nan"), float("inf"), float("-inf"), 5e-324, 1e308, 1e-09, -0.0, 0.5, "1", None, True, False, [1], b"1"]
    for weight in bad:
        with pytest.raises(TypeError):
            Node("n1", weight)
        with pytest.raises(TypeError):
            cluster("B37").with_weight("n1", weight)
    for weight in (-1, 1 << 32, 9007199254740993, 1 << 64, 10**400):
        for refuse in (lambda: Node("n1", weight), lambda: cluster("B37").with_weight("n1", weight)):
            with pytest.raises(KeysteadError, match="4294967295") as refused:
                refuse()
            assert refused.value.code == "invalid_weight"
    drained = cluster("B37").with_weight("n2", 0)
    absent = cluster("B37").without_node("n2")
    keys = [f"k{i}" for i in range(1000)]
    assert [drained.ranking(key) for key in keys] == [absent.ranking(key) for key in keys]
    assert drained.ids == ("n1", "n2", "n3") and drained.shares()["n2"] == 0
    with pytest.raises(NoNodesError):
        Cluster(Node(id, 0) for id in ("n1", "n2", "n3"))
    scores = [("a", 0), ("b", (1 << 64) - 1), ("c", 1)]
    assert keystead.rank_scores(scores) == ["b", "c", "a"]  # 0 and 1 cost the same, so the score itself decides


def test_b38_copies_are_flatter_than_weights() -> None:
    c = cluster("B38")
    keys = generated(asked("B38")["keys"])
    for r in asked("B38")["replicas"]:
        counts = Counter(itertools.chain.from_iterable(c.replicas(key, r) for key in keys))
        wanted = check("B38")["inclusion_p"][str(r)]
        for id in c.ids:
            assert near(counts[id] / len(keys), wanted["n0" if id == "n0" else "n1..n5"], check("B38")["tol_hrw"])
        if r > 1:
            # What the weight asks for stands beside what the node gets: n0 asks for more than there is.
            (heavy,) = [node for node in c.with_weight("n5", 2).diff(c, r=r)["expected"]["copies"]["nodes"] if node["id"] == "n0"]
            assert near(heavy["after"], wanted["n0"], 0.01) and near(heavy["proportional"], r * 2 / 3, 1e-9)


def test_b39_no_library_of_logarithms_has_a_say() -> None:
    c = cluster("B39")
    keys = generated(asked("B39")["keys"])
    rankings = [c.ranking(key) for key in keys]
    digest = hashlib.sha256("".join(" ".join(ranking) + "\n" for ranking in rankings).encode()).hexdigest()
    assert digest == "503619b46146fbf8448fe325e1fc5008d48f6a3110ee4e2bfb38cc7c48d6566c"
    found = shares(ranking[0] for ranking in rankings)
    assert all(near(found[id], share, check("B39")["tol_hrw"]) for id, share in check("B39")["share_p"].items())
    oracle = reference.Cluster([reference.Node(n.id, weight=n.weight) for n in c.nodes])
    for i in range(0, len(keys), 500):
        assert rankings[i] == oracle.ranking(keys[i])


def test_b41_replicas_are_distinct_and_complete() -> None:
    keys = generated(asked("B41")["keys"])
    for case in asked("B41")["cases"]:
        if not case["nodes"]:
            with pytest.raises(NoNodesError):
                Cluster(case["nodes"])
            continue
        c, r = Cluster(case["nodes"]), case["replicas"]
        for key in keys:
            if r > len(c):
                with pytest.raises(KeysteadError) as refused:
                    c.replicas(key, r)
                assert refused.value.code == "not_enough_nodes"
            else:
                assert len(set(c.replicas(key, r))) == len(c.replicas(key, r)) == r


def test_b43_copies_on_distinct_machines() -> None:
    places = {n["id"]: (n["zone"], n["host"]) for n in asked("B43")["nodes"]}
    c = Cluster((Node(id, location=place) for id, place in places.items()), levels=["zone", "host"])
    for key in generated(asked("B43")["keys"]):
        for r in asked("B43")["replicas"]:
            for spread in asked("B43")["spread"]:
                assert len({places[id][1] for id in c.replicas(key, r, spread=spread)}) == r


def test_b47_subsets_grow_one_by_one() -> None:
    zones = {n["id"]: n["zone"] for n in asked("B47")["nodes"]}
    c = Cluster(Node(id, location=[zone]) for id, zone in zones.items())
    (new,) = asked("B47")["change"]["add_zone"]
    grown = c.with_node(Node(new["id"], location=[new["zone"]]))
    for tenant in generated(asked("B47")["tenants"]):
        smaller: list[str] = []
        for size in asked("B47")["sizes"]:
            if size > len(c):
                with pytest.raises(KeysteadError) as refused:
                    c.replicas(tenant, size, spread=0, relaxed=True)
                assert refused.value.code == "not_enough_nodes"
                continue
            subset = c.replicas(tenant, size, spread=0, relaxed=True)
            assert len(set(subset)) == size and subset[: len(smaller)] == smaller
            smaller = subset
            if size <= 9:  # above, the zone of three nodes is used up
                counts = Counter(zones[id] for id in subset)
                assert max(counts.values(), default=0) - min((counts[zone] for zone in ("z0", "z1", "z2"))) <= 1
            if 0 < size < len(c):
                assert len(set(subset) - set(grown.replicas(tenant, size, spread=0, relaxed=True))) <= 1


def test_b51_a_parameter_has_its_effect(tmp_path: Any) -> None:
    keys = generated(asked("B51")["keys"])
    owners = {tokens: cluster("B51", algorithm="ring-1", tokens_per_weight=tokens).owner_many(keys) for tokens in (1, 160)}
    assert owners[1] != owners[160]
    for tokens, wanted in owners.items():
        path = tmp_path / "cluster.json"
        nodes = json.dumps([n["id"] for n in asked("B51")["nodes"]])
        path.write_text(f'{{"keystead": 1, "algorithm": "ring-1", "tokens_per_weight": {tokens}, "nodes": {nodes}}}')
        assert Cluster.load(path).owner_many(keys) == wanted
    for tokens in (0, -1, 4294967296, 65537):
        with pytest.raises(KeysteadError) as refused:
            cluster("B51", algorithm="ring-1", tokens_per_weight=tokens)
        assert refused.value.code == "invalid_parameter"
    for tokens in ("160", 160.0, True):
        with pytest.raises(TypeError):
            cluster("B51", algorithm="ring-1", tokens_per_weight=tokens)
    with pytest.raises(TypeError):
        cluster("B51", vnodes=160)
    with pytest.raises(KeysteadError):
        cluster("B51", tokens_per_weight=160)  # another algorithm's

