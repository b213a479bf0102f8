"""Cases for what is refused when a cluster is built from arguments."""

from aimed import colliding_texts
from cases_clusters import FIVE, HEAVY, KEYS, rankings, ring_nodes
from cases_values import DYNAMIC, WRONG_HASHES
from dice import cluster, group, node, nodes, query
from reference_values import NODE, draw

LONE = {"bad": "lone_surrogate"}
DYNAMIC_AND_FILES = ["python", "node", "cli"]


def ids():
    bad = ["", "\u0000", "a\u0000", "\n", "a\tb", "\u001f", "\u007f", "a\u007f", {"repeat": "x", "times": "65536"}, {"repeat": "\u00e9", "times": "32768"}, {"repeat": "\U0001f600", "times": "16384"}]
    good = [" ", "\u0080", "\u009f", "\u00a0", "\u200b", "\ufeff", "\ufffd", "\uffff", {"repeat": "x", "times": "65535"}]
    out = [group(cluster([node("a"), node(id)])) for id in bad] + [group(cluster([node("a"), node(id)]), query("fingerprint")) for id in good]
    out += [group(cluster([node("a"), node(LONE)]), only=DYNAMIC), group(cluster([node("n1"), node("n2", 3), node("n2", 5)])), group(cluster([node("a"), node("b", 0), node("b", 0)]))]
    # Composed and decomposed forms are two ids; so are capital and small letters.
    out.append(group(cluster(nodes("\u00e9", "e\u0301", "A", "a", "a ")), query("ids"), query("fingerprint")))
    return out


def locations():
    bad = [[""], ["a", ""], ["a\u0000"], ["\u007f"], [{"repeat": "x", "times": "65536"}], [str(i) for i in range(9)]]
    out = [group(cluster([node("a"), node("b", 1, location)])) for location in bad]
    out += [group(cluster([node("a"), node("b", 1, [LONE])]), only=DYNAMIC), group(cluster([node("a"), node("b", 1, [str(i) for i in range(8)])]), query("fingerprint"))]
    uneven = [[node("a", 1, ["x"]), node("b", 1, ["x", "y"])], [node("a", 1, ["x"]), node("b", 1)], [node("a", 1, ["x"]), node("b", 0, ["x", "y"])], [node("a", 1), node("b", 1)], [node("a", 1, []), node("b", 0, ["x"])]]
    return out + [group(cluster(made, algorithm="hierarchy-1")) for made in uneven]


def weights():
    out = [group(cluster([node("a"), node("b", weight)]), only=DYNAMIC_AND_FILES) for weight in [2**32, 2**32 + 1, 2**53 - 1]]
    out += [group(cluster([node("a"), node("b", -1)]), only=DYNAMIC)]
    out += [group(cluster(made)) for made in [[], [node("a", 0)], [node("a", 0), node("b", 0)]]]
    for algorithm in ["ring-1", "slots-1"]:
        out += [group(cluster([], algorithm=algorithm)), group(cluster([node("a", 0)], algorithm=algorithm))]
    out += [group(cluster([], algorithm="hierarchy-1")), group(cluster([node("a", 0, ["x"])], algorithm="hierarchy-1")), group(cluster([node("a", 0, tokens=[1])], algorithm="ring-1"))]
    return out


def counts():
    """2^20 nodes are allowed; making them here would take the oracle minutes, so only the one too many is asked."""
    return [group({"nodes": [], "generated_nodes": {"prefix": "n", "count": str(2**20 + 1)}}, only=["rust", "python", "node"])]


def parameters():
    out = []
    for wrong in [
        {"algorithm": "rendezvous"}, {"algorithm": "rendezvous-2"}, {"algorithm": ""}, {"algorithm": "RING-1"}, {"algorithm": "jump"}, {"algorithm": "ring-1 "},
        {"epoch": 2**53},
        {"levels": []}, {"levels": ["a", "a"]}, {"levels": [""]}, {"levels": ["a\u0000"]}, {"levels": [str(i) for i in range(9)]}, {"levels": [{"repeat": "x", "times": "65536"}]},
        {"slots": 16}, {"headroom": 0}, {"headroom": 5}, {"tokens_per_weight": 160}, {"space": 32},
        {"algorithm": "ring-1", "slots": 16}, {"algorithm": "ring-1", "headroom": 0}, {"algorithm": "slots-1", "tokens_per_weight": 1}, {"algorithm": "slots-1", "space": 32},
        {"algorithm": "slots-1", "slots": 0}, {"algorithm": "slots-1", "slots": 2**22 + 1}, {"algorithm": "slots-1", "slots": 2**32}, {"algorithm": "slots-1", "slots": 2**32 + 1}, {"algorithm": "slots-1", "slots": 2**53 - 1},
        {"algorithm": "slots-1", "headroom": 1001}, {"algorithm": "slots-1", "headroom": 2**32}, {"algorithm": "slots-1", "headroom": 2**32 - 1},
        {"algorithm": "ring-1", "tokens_per_weight": 0}, {"algorithm": "ring-1", "tokens_per_weight": 65537}, {"algorithm": "ring-1", "tokens_per_weight": 2**32}, {"algorithm": "ring-1", "tokens_per_weight": 2**32 + 1},
        {"algorithm": "ring-1", "space": 32}, {"algorithm": "ring-1", "space": 2**64 - 1},
    ]:  # fmt: skip
        out.append(group(cluster(FIVE, **wrong)))
    out += [group(cluster(FIVE, **wrong)) for wrong in WRONG_HASHES]
    for wrong in [{"seed": 2**64}, {"seed": -1}, {"epoch": -1}, {"levels": [LONE]}, {"algorithm": "slots-1", "slots": -1}, {"algorithm": "slots-1", "headroom": -1}, {"algorithm": "ring-1", "tokens_per_weight": -1}]:
        out.append(group(cluster(FIVE, **wrong), only=DYNAMIC))
    in_hierarchy = [node("a", 1, ["x"]), node("b", 1, ["y"])]
    out += [group(cluster(in_hierarchy, algorithm="hierarchy-1", **wrong)) for wrong in [{"slots": 16}, {"headroom": 0}, {"tokens_per_weight": 1}, {"space": 32}]]
    return out


def tokens():
    out = []
    for algorithm in ["rendezvous-1", "slots-1"]:
        out.append(group(cluster(ring_nodes({"a": [1], "b": [2]}), algorithm=algorithm)))
    out.append(group(cluster(ring_nodes({"a": [1], "b": [2]}))))
    out.append(group(cluster([node("a", 1, ["x"], [1]), node("b", 1, ["y"], [2])], algorithm="hierarchy-1")))
    ring = {"algorithm": "ring-1"}
    out += [group(cluster(ring_nodes(given), **ring)) for given in [{"a": [1], "b": []}, {"a": [1], "b": [2, 2]}, {"a": [1], "b": [1]}, {"a": [1, 5], "b": [2], "c": [5]}]]
    out += [group(cluster([node("a", tokens=[1]), node("b")], **ring)), group(cluster([node("a", tokens=[1]), node("b", 0)], **ring)), group(cluster([node("a", tokens=[1]), node("b", 0, tokens=[1])], **ring))]
    out += [group(cluster([node("a", 2, tokens=[1])], **ring)), group(cluster([node("a", HEAVY, tokens=[1]), node("b", tokens=[2])], **ring))]
    for space, given in [(32, [32]), (32, [2**64 - 1]), (2, [2]), (2**64 - 1, [2**64 - 1])]:
        out.append(group(cluster(ring_nodes({"a": [0], "b": given}), space=space, **ring)))
    out.append(group(cluster([node("a", tokens=[1]), node("b", 0, tokens=[32])], space=32, **ring)))
    out += [group(cluster(ring_nodes({"a": [0]}), space=space, **ring)) for space in [0, 1]]
    out += [group(cluster(ring_nodes({"a": [0]}), space=space, **ring), only=DYNAMIC) for space in [2**64, 2**64 + 2, -1]]
    out += [group(cluster(ring_nodes({"a": [0], "b": [token]}), **ring), only=DYNAMIC) for token in [2**64, 2**64 + 5, -1]]
    out.append(group(cluster(ring_nodes({"a": [0]}), tokens_per_weight=1, **ring)))
    for made, per_weight in [([node("a", 1025)], 65536), ([node("a", 2**26 + 1)], 1), ([node("a", HEAVY)], 65536), ([node(f"n{i}", HEAVY) for i in range(70000 // 1000)], 65536), ([node("a", 2**18), node("b")], 256), ([node("a", HEAVY), node("b", 1)], 1)]:
        out.append(group(cluster(made, tokens_per_weight=per_weight, **ring)))
    return out


def collisions():
    """Two ids with one digest under XXH64: refused, drained or not; not under every seed, not under another hash."""
    a, b = colliding_texts(draw(0, NODE), b"")
    out = [group(cluster([node(a), node(b, weight), node("c")], hash="xxh64")) for weight in [1, 0]]
    out += [group(cluster([node(a), node(b)], hash="xxh64", algorithm=algorithm)) for algorithm in ["ring-1", "slots-1"]]
    out.append(group(cluster([node(a, 1, ["x"]), node(b, 1, ["y"])], hash="xxh64", algorithm="hierarchy-1")))
    return out + [group(cluster(nodes(a, b), **hash), *rankings(KEYS[:2])) for hash in [{"hash": "xxh64", "seed": "5"}, {}]]


def refused():
    """What is refused when a cluster is built: one fault each, with its code; and neighbours of it that are not refused."""
    return ids() + locations() + weights() + counts() + parameters() + tokens() + collisions()
