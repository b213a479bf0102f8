"""Cases for the description, the fingerprint and comparing, and for changes of a cluster."""

from cases_clusters import EXTREME, FIVE, HEAVY, HOSTILE_IDS, KEYS, WEIGHTED, rankings, ring_nodes, summary, tree
from cases_values import DYNAMIC, HASHES
from dice import cluster, group, node, nodes, query, rewrite

CARRIED = [node("a", 2, ["r1", "z1"], address="10.7.0.1:80", meta=[["", "empty name"], ["\u0000", "nul"], ["__proto__", "x"], ["rack", "r7"]], comment="ssd"), node("b", address="10.7.0.1:80"), node("c", comment=""), node("d", 3, address="", meta=[["k", ""]])]


def everything():
    return summary() + [query("nodes")]


def described():
    """Clusters of every algorithm and parameter."""
    sets = [
        cluster(FIVE), cluster(nodes("a")), cluster(WEIGHTED), cluster(EXTREME), cluster([node(id) for id in HOSTILE_IDS]), cluster(CARRIED), cluster(FIVE, epoch=0), cluster(FIVE, epoch=2**53 - 1),
        cluster(FIVE, algorithm="rendezvous-1", hash="xxh3", seed=0),
        cluster(FIVE, levels=["zone"]), cluster(FIVE, levels=["region", "zone"]), cluster(FIVE, levels=["zone", "region"]), cluster(FIVE, levels=[f"{i}" for i in range(8)]), cluster(FIVE, levels=["\U0001f600", "\u00e9 "]),
        cluster([node("a", 1, []), node("b", 1, ["x"]), node("c", 1, ["x", "y", "z"]), node("d", 0, ["\u00e9"] * 8)]),
        cluster([node("a", 1, ["xy"]), node("b", 1, ["x", "y"])]), cluster([node("a", 1, ["x", "y"]), node("b", 1, ["xy"])]),
        cluster(FIVE, algorithm="ring-1"), cluster(FIVE, algorithm="ring-1", tokens_per_weight=256), cluster(FIVE, algorithm="ring-1", tokens_per_weight=1), cluster(WEIGHTED, algorithm="ring-1", tokens_per_weight=7),
        cluster(ring_nodes({"b": [3, 1, 2], "a": [2**64 - 1, 0]}), algorithm="ring-1"), cluster(ring_nodes({"b": [3, 1, 2], "a": [9]}), algorithm="ring-1", space=10), cluster(ring_nodes({"b": [3], "a": [9]}), algorithm="ring-1", space=2**64 - 1),
        cluster([node("a", 0, tokens=[5]), node("b", 1, tokens=[6])], algorithm="ring-1", space=2**63),
        cluster(FIVE, algorithm="slots-1"), cluster(FIVE, algorithm="slots-1", slots=16384), cluster(FIVE, algorithm="slots-1", slots=1), cluster(FIVE, algorithm="slots-1", slots=100, headroom=0), cluster(FIVE, algorithm="slots-1", slots=100, headroom=1000),
        cluster(tree(2, 2), algorithm="hierarchy-1"), cluster(tree(1, 3, (1, 0, HEAVY)), algorithm="hierarchy-1", levels=["zone"]),
    ]  # fmt: skip
    for hash in HASHES:
        sets += [cluster(WEIGHTED, **hash), cluster(WEIGHTED, algorithm="ring-1", tokens_per_weight=2, **hash)]
    return sets


def description():
    """Description, fingerprint and compare (section 10); properties and nodes in index order."""
    out = []
    for value in described():
        queries = everything() + [rewrite(value, query("fingerprint"), query("nodes"), query("properties"))]
        if value.get("algorithm") == "slots-1" and value.get("slots") in (None, "16384"):
            queries = [q for q in queries if q["op"] != "shares"]
        queries += [query("node", id=value["nodes"][-1]["id"]), query("node", id="nobody")]
        out.append(group(value, *queries))
    base = cluster(FIVE, epoch=5)
    others = [
        cluster(FIVE), cluster(FIVE, epoch=5), cluster(FIVE, epoch=6), cluster(list(reversed(FIVE)), epoch=4), cluster(FIVE[:4]), cluster(FIVE[:4], epoch=4), cluster(FIVE[:4], epoch=5), cluster(FIVE[:4], epoch=6), cluster(FIVE[:4], epoch=0), cluster(FIVE[:4], epoch=2**53 - 1),
        cluster(FIVE, seed=1, epoch=5), cluster(FIVE, levels=["zone"], epoch=5), cluster(FIVE, algorithm="slots-1"), cluster([n | {"address": "x"} for n in FIVE], epoch=1), cluster([n | {"weight": "2"} for n in FIVE], epoch=7), cluster(FIVE + [node("drained", 0)], epoch=3),
        cluster(FIVE, hash="sip13", secret="000102030405060708090a0b0c0d0e0f", epoch=5),
    ]  # fmt: skip
    out.append(group(base, *[query("compare", other=other) for other in others]))
    out.append(group(cluster(FIVE), *[query("compare", other=other) for other in others]))
    secrets = ["000102030405060708090a0b0c0d0e0f", "100102030405060708090a0b0c0d0e0f"]
    out.append(group(cluster(FIVE, hash="sip13", secret=secrets[0], epoch=1), *[query("compare", other=cluster(FIVE, hash="sip13", secret=secret, epoch=1)) for secret in secrets]))
    return out


def changes():
    """Changes: remove, add, weight, drain in this order, the single steps, what they keep and what they refuse."""
    after = [query("ids"), query("nodes"), query("fingerprint"), query("properties"), *rankings(KEYS[:3])]
    carried = cluster(CARRIED, epoch=7, levels=["region"])
    queries = [
        query("change", queries=after),
        query("change", add=[node("e", 5, ["r9"], comment="new")], queries=after),
        query("change", remove=["b"], queries=after),
        query("change", weight=[["a", "9"], ["c", "0"]], queries=after),
        query("change", drain=["a", "d"], queries=after),
        query("change", remove=["b"], add=[node("b", 4, address="elsewhere")], queries=after),
        query("change", add=[node("e"), node("0")], weight=[["e", "7"]], drain=["0"], queries=after),
        query("change", weight=[["a", "9"]], drain=["a"], queries=after),
        query("change", remove=["a", "b", "c", "d"], add=[node("z")], queries=after),
        query("change", drain=["a", "b", "c"], queries=after),
        query("with_node", node=node("e", 2), queries=after),
        query("without_node", id="c", queries=after),
        query("with_weight", id="a", weight=1, queries=after),
        query("with_weight", id="a", weight=2, queries=after),
        query("with_weight", id="d", weight=HEAVY, queries=after),
        query("with_weight", id="b", weight=0, queries=after),
        query("with_epoch", epoch=None, queries=after),
        query("with_epoch", epoch=0, queries=after),
        query("with_epoch", epoch=2**53 - 1, queries=after),
        query("with_epoch", epoch=8, queries=[query("rewrite", queries=after)]),
        # Refused.
        query("change", remove=["nobody"], queries=after),
        query("change", weight=[["nobody", "1"]], queries=after),
        query("change", drain=["nobody"], queries=after),
        query("change", remove=["a"], drain=["a"], queries=after),
        query("change", remove=["a"], weight=[["a", "3"]], queries=after),
        query("change", add=[node("a")], queries=after),
        query("change", add=[node("e"), node("e")], queries=after),
        query("change", remove=["a", "b", "c", "d"], queries=after),
        query("change", drain=["a", "b", "c", "d"], queries=after),
        query("change", add=[node("")], queries=after),
        query("change", add=[node("e", tokens=[1])], queries=after),
        query("with_node", node=node("a"), queries=after),
        query("without_node", id="nobody", queries=after),
        query("without_node", id="", queries=after),
        query("with_weight", id="nobody", weight=1, queries=after),
        query("with_epoch", epoch=2**53, queries=after),
        query("with_weight", id="a", weight=2**32, queries=after) | {"only": DYNAMIC},
        query("with_weight", id="a", weight=-1, queries=after) | {"only": DYNAMIC},
        query("with_epoch", epoch=-1, queries=after) | {"only": DYNAMIC},
        query("change", weight=[["a", str(2**32)]], queries=after) | {"only": DYNAMIC},
        query("without_node", id={"bad": "lone_surrogate"}, queries=after) | {"only": DYNAMIC},
        query("change", drain=[{"bad": "lone_surrogate"}], queries=after) | {"only": DYNAMIC},
    ]
    out = [group(carried, *queries)]
    out.append(group(cluster(nodes("a")), query("without_node", id="a", queries=after), query("with_weight", id="a", weight=0, queries=after), query("with_node", node=node("b", 0), queries=after)))
    for hash in [{}, {"hash": "xxh64", "seed": "77"}, {"hash": "sip13", "secret": "000102030405060708090a0b0c0d0e0f"}]:
        for parameters in [{}, {"algorithm": "ring-1", "tokens_per_weight": 5}, {"algorithm": "slots-1", "slots": 40}, {"algorithm": "slots-1", "slots": 40, "headroom": 0}, {"algorithm": "slots-1", "slots": 40, "headroom": 25}]:
            more = after + [query("slot_owners")] * (parameters.get("algorithm") == "slots-1") + [query("shares")]
            steps = [
                query("with_node", node=node("n9", 3), queries=more),
                query("with_node", node=node("a", 1), queries=more + [query("without_node", id="a", queries=more)]),
                query("without_node", id="n3", queries=more),
                query("with_weight", id="n3", weight=2, queries=more),
                query("with_weight", id="n0", weight=8, queries=more + [query("with_weight", id="n0", weight=1, queries=more)]),
                query("with_weight", id="n2", weight=0, queries=more),
                query("change", add=[node("m", 2), node("z", 1)], remove=["n0", "n4"], weight=[["n1", "5"]], drain=["n2"], queries=more),
            ]
            out.append(group(cluster(WEIGHTED, **hash, **parameters), *steps))
    explicit = cluster(ring_nodes({"A": [1], "B": [8], "C": [16], "D": [24]}), algorithm="ring-1", space=32)
    at = [query("owner_at", at=n) for n in range(32)]
    steps = [
        query("with_node", node=node("E", tokens=[12]), queries=at + [query("arcs"), query("without_node", id="B", queries=at + [query("arcs"), query("shares")])]),
        query("without_node", id="A", queries=at + [query("arcs")]),
        query("with_weight", id="C", weight=0, queries=at + [query("arcs"), query("nodes"), query("with_weight", id="C", weight=1, queries=[query("arcs"), query("fingerprint")])]),
        query("change", remove=["A"], add=[node("A", tokens=[2, 31])], queries=at + [query("arcs")]),
        query("with_node", node=node("E", tokens=[8]), queries=at),
        query("with_node", node=node("E", tokens=[32]), queries=at),
        query("with_node", node=node("E"), queries=at),
        query("with_node", node=node("E", 2, tokens=[9]), queries=at),
        query("with_weight", id="C", weight=2, queries=at),
    ]
    out.append(group(explicit, *steps))
    domains = cluster(tree(2, 2, (1, 2)), algorithm="hierarchy-1", levels=["r", "z"])
    steps = [
        query("with_node", node=node("x", 3, ["r0", "z1"]), queries=after),
        query("with_node", node=node("x", 3, ["r9", "z1"]), queries=after),
        query("without_node", id="n00", queries=after),
        query("with_weight", id="n00", weight=0, queries=after),
        query("with_node", node=node("x", 3, ["r0"]), queries=after),
        query("with_node", node=node("x", 0), queries=after),
    ]
    out.append(group(domains, *steps))
    return out
