"""Cases for the four algorithms and for replicas over failure domains."""

import reference_front
from aimed import colliding_texts, digest_for_score, id_with, key_with
from cases_values import BAD, COMPOSITE_KEYS, DYNAMIC, HASHES, LENGTHS, TEXTS, nest, pattern
from dice import Dice, bytes_key, cluster, group, int_key, node, nodes, query, seq_key, text_key
from random_cases import random_cluster, random_queries
from reference_values import GOLDEN, LOCATION, NODE, Hash, draw

HEAVY = 2**32 - 1
FIVE = nodes("cache-a", "cache-b", "cache-c", "cache-d", "cache-e")
WEIGHTED = [node("n0", 1), node("n1", 2), node("n2", 4), node("n3", 7), node("n4", 1)]
EXTREME = [node("zero", 0), node("one", 1), node("two", 2), node("hundred-thousand", 100000), node("most", HEAVY)]
# Prefixes of each other, an order that differs in UTF-16, names that objects of JavaScript have already, numbers that it would sort, blanks.
HOSTILE_IDS = ["a", "ab", "abc", "A", "a ", " a", "\U0001f600", "\uff5e", "\ue000", "\ud7ff", "\u00e9", "e\u0301", "10", "9", "1", "__proto__", "constructor", "toString", "length", "\u0080", "\u2028", "\"", "\\", "a/b", "a,b", "=", "-r"]  # fmt: skip
KEYS = [text_key(f"user:{i}") for i in range(1, 9)]
MANY = [text_key(f"item:{i}") for i in range(30)] + [int_key(i) for i in range(10)] + [seq_key(text_key("t"), int_key(i)) for i in range(10)]


def rankings(keys):
    return [query("ranking", key=key) for key in keys]


def owners(keys):
    return [query("owner", key=key) for key in keys]


def picks(keys, r, **fields):
    return [query("replicas", key=key, r=r, **fields) for key in keys]


def summary():
    return [query("ids"), query("fingerprint"), query("description"), query("properties"), query("shares")]


def random_groups(algorithm, seed, count):
    out = []
    for case in range(count):
        dice = Dice(seed + case)
        value = random_cluster(dice, algorithm)
        out.append(group(value, *random_queries(dice, value, 4)))
    return out


def scored_cluster(kd, wanted):
    """A cluster of xxh64 in which the key of digest `kd` gives each node its wanted (score, weight)."""
    made = [node(id_with(digest_for_score(score, kd), 0), weight) for score, weight in wanted]
    return cluster(made, hash="xxh64")


def score_groups():
    """What chance does not reach: chosen scores on real nodes."""
    kd = 0x0123456789ABCDEF
    aimed = bytes_key(key_with(kd, "xxh64", 0))
    sets = [
        [(2**63, 1), (2**62, 2)],
        [(2**62, 1), (2**63, 2)],
        [(2**63, 1), (2**62, 2), (2**61, 3), (2**60, 4)],
        [(2**e, 64 - e) for e in range(64)],
        [(2**e, (64 - e) * 67108863) for e in range(0, 64, 3)],
        [(6, 1), (7, 1)],
        [(2**64 - 2, HEAVY), (2**64 - 1, HEAVY), (2**64 - 3, HEAVY)],
        [(0, 1), (1, 1), (2, 1)],
        [(0, HEAVY), (2**64 - 1, 1)],
        [(0, HEAVY), (1, HEAVY), (2**32, 3)],
        [(2**63, 1000), (2**63 - 1, 1000), (2**63 + 1, 1000)],
        [(2**64 - 1 - k, 100000) for k in range(0, 40, 2)],
        [(2**63 + k, 5) for k in range(0, 66, 2)],
        [(3 * 2**62, 5), (3 * 2**62 + 1, 5), (3 * 2**62 + 2, 5), (2**62, 17)],
    ]
    out = []
    for wanted in sets:
        count = len(wanted)
        out.append(group(scored_cluster(kd, wanted), *rankings([aimed]), *owners([aimed]), *picks([aimed], min(3, count)), *picks([aimed], count)))
    return out


def rendezvous():
    """rendezvous-1 (section 4): owners, rankings, replicas, exclusion; every key length, hash and kind of id and weight."""
    out = [group(cluster(FIVE), *rankings([text_key(text) for text in TEXTS] + COMPOSITE_KEYS), *summary())]
    for hash in [{}, {"hash": "xxh64"}, {"hash": "sip13", "secret": "000102030405060708090a0b0c0d0e0f"}]:
        out.append(group(cluster(FIVE, **hash), *rankings([bytes_key(pattern(n, 3)) for n in range(301)])))
        out.append(group(cluster(WEIGHTED, **hash), *rankings([bytes_key(pattern(n, 5)) for n in LENGTHS]), *summary()))
    for hash in HASHES:
        out.append(group(cluster(FIVE, **hash), *rankings(KEYS[:4] + [text_key(""), int_key(42), seq_key(text_key("a"), int_key(1)), bytes_key(b"\xff")]), *summary()))
    same = [text_key("caf\u00e9"), bytes_key("caf\u00e9".encode()), text_key("a\u0000"), bytes_key(b"a\x00"), seq_key(text_key("a")), seq_key(bytes_key(b"a"))]
    out.append(group(cluster(WEIGHTED), *rankings(same + [text_key("42"), int_key(42), text_key("a")])))
    # Field case B04: keys whose hash is 0 elsewhere, and keys whose digest is 0 here.
    zero = [text_key("item:7917"), text_key("item:19743"), text_key("item:24397"), bytes_key(key_with(0, "xxh3", 0)), bytes_key(key_with(2**64 - 1, "xxh3", 0))]
    out.append(group(cluster(nodes("c0", "c1", "c2")), *rankings(zero)))
    for made in [
        [node("n1", 1), node("n2", 10)],
        [node("n1", 100000), node("n2", 1)],
        EXTREME,
        [node(f"h{i}", HEAVY) for i in range(6)],
        [node("a", 1), node("b", HEAVY)],
        [node("a", 0), node("b", 0), node("c", 1)],
        [node("a", HEAVY)],
        [node(id) for id in HOSTILE_IDS],
        [node(id, 1 + i % 5) for i, id in enumerate(HOSTILE_IDS)],
    ]:
        out.append(group(cluster(made), *rankings(KEYS), *picks(KEYS[:2], 1), *summary()))
    # Ids of 65,535 bytes: asked for by index, so that the answers stay short.
    longest = [node({"repeat": "x", "times": "65535"}), node("x"), node({"repeat": "\u00e9", "times": "32767"})]
    out.append(group(cluster(longest), query("owner_indices", keys=MANY), query("fingerprint")))
    for count in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257]:
        plain = {"nodes": [], "generated_nodes": {"prefix": "10.7.0.", "count": str(count)}}
        out.append(group(plain, *owners(KEYS[:4]), query("owner_indices", keys=MANY), query("replica_indices", keys=MANY[:6], r=min(3, count)), query("fingerprint")))
        out.append(group(cluster([node(f"w{i}", (i * i) % 11 + (i == 0)) for i in range(count)]), *owners(KEYS[:4]), query("owner_indices", keys=MANY), query("fingerprint")))
    for count in [1000, 5000]:
        plain = {"nodes": [], "generated_nodes": {"prefix": "host-", "count": str(count)}}
        out.append(group(plain, *owners(KEYS), query("owner_indices", keys=MANY), query("replica_indices", keys=KEYS, r=3), query("ranking", key=KEYS[0], limit=20), query("fingerprint")))
    out += score_groups()
    names = ["n0", "n1", "n2", "n3", "n4"]
    exclusions = [[], ["n0"], ["n3"], ["n3", "n2"], ["nobody"], ["n3", "nobody", ""], ["n0", "n1", "n2", "n4"], names[:4], ["n3", "n3"], ["N3"], ["n"]]
    queries = []
    for key in KEYS[:3]:
        for exclude in exclusions:
            queries += [query("owner", key=key, exclude=exclude), query("ranking", key=key, exclude=exclude), query("replicas", key=key, r=2, exclude=exclude)]
        queries += [query(op, key=key, exclude=names) for op in ["owner", "ranking"]] + [query("replicas", key=key, r=1, exclude=names), query("replicas", key=key, r=0, exclude=names)]
        queries += [query("ranking", key=key, limit=limit) for limit in [0, 1, 2, 4, 5, 6, 2**32, 2**53 - 1]] + [query("ranking", key=key, limit=2, exclude=["n3"])]
        queries += [query("replicas", key=key, r=r) for r in [0, 1, 2, 3, 4, 5, 6, 2**32, 2**32 + 1, 2**53 - 1]]
    out.append(group(cluster(WEIGHTED), *queries, query("owner_many", keys=MANY), query("owner_many", keys=[]), query("owner_indices", keys=[]), query("replica_indices", keys=[], r=2), query("replica_indices", keys=[], r=6), query("replica_indices", keys=KEYS, r=6), query("replica_indices", keys=[nest(33)], r=6), query("replica_indices", keys=KEYS, r=0)))
    drained = [node("a", 0), node("b", 3), node("c", 0), node("d", 1)]
    out.append(group(cluster(drained), *rankings(KEYS[:3]), *[query("replicas", key=KEYS[0], r=r) for r in range(5)], *[query("owner", key=KEYS[0], exclude=e) for e in [["b"], ["a"], ["b", "d"], ["a", "b", "c", "d"]]], *summary()))
    out.append(group(cluster(FIVE), *unsupported("rendezvous-1")))
    out += random_groups("rendezvous-1", 1000, 40)
    return out


def unsupported(algorithm):
    """What a cluster of this algorithm cannot do."""
    slots = [query("slot", key=KEYS[0]), query("slot_owners"), query("slot_ranking", slot=0), query("slots_of", id="cache-a")]
    asked = {"rendezvous-1": slots + [query("arcs"), query("owner_at", at=0)], "hierarchy-1": slots + [query("arcs"), query("owner_at", at=0)], "ring-1": slots, "slots-1": [query("arcs")]}
    return asked[algorithm]


def ring_nodes(tokens):
    return [node(id, tokens=given) for id, given in tokens.items()]


def around(tokens, space=2**64):
    return sorted({(t + d) % space for t in tokens for d in (-1, 0, 1)} | {0, 1, space - 1, space // 2})


def ring():
    """ring-1 (section 5): the worked ring of 32 positions, derived and explicit tokens, keys exactly on a token, wrap-around, shared coordinates."""
    small = {"A": [1], "B": [8], "C": [16], "D": [24]}
    thirty_two = [query("owner_at", at=at) for at in range(32)]
    out = [group(cluster(ring_nodes(small), algorithm="ring-1", space=32), *thirty_two, query("arcs"), query("owner_at", at=32), query("owner_at", at=2**64 - 1), *summary(), *rankings(KEYS))]
    joined = small | {"E": [12]}
    out.append(group(cluster(ring_nodes(joined), algorithm="ring-1", space=32), *thirty_two, query("arcs"), query("shares"), query("without_node", id="B", queries=thirty_two + [query("arcs"), query("shares"), query("fingerprint")])))
    virtual = {"A": [1, 17], "C": [5, 21], "B": [9, 25], "D": [13, 29]}
    out.append(group(cluster(ring_nodes(virtual), algorithm="ring-1", space=32), *thirty_two, query("arcs"), *summary(), *[q for r in [0, 1, 2, 3, 4, 5] for q in picks(KEYS[:3], r)], *rankings(KEYS)))
    out.append(group(cluster(ring_nodes({"A": [5]}), algorithm="ring-1", space=32), *thirty_two[:8], query("arcs"), *summary(), *rankings(KEYS[:2])))
    out.append(group(cluster(ring_nodes({"A": [0], "B": [31]}), algorithm="ring-1", space=32), *thirty_two, query("arcs"), *summary()))
    out.append(group(cluster([node("A", 0, tokens=[1]), node("B", 1, tokens=[8]), node("C", 0, tokens=[16, 20]), node("D", 1, tokens=[24, 30])], algorithm="ring-1", space=32), *thirty_two, query("arcs"), query("nodes"), *summary(), *rankings(KEYS[:3])))
    # Explicit tokens on the whole circle and on spaces of every width; keys aimed at each token and beside it.
    for space in [None, 2, 3, 32, 2**32 - 1, 2**32, 2**32 + 1, 2**53 - 1, 2**53 + 1, 2**63, 2**64 - 1]:
        size = 2**64 if space is None else space
        spots = sorted({t for t in [0, 1, 5, 2**20, size // 3, size // 2, size - 2, size - 1] if 0 <= t < size})
        tokens = {}
        for i, spot in enumerate(spots):
            tokens.setdefault("nmk"[i % min(3, len(spots))], []).append(spot)
        parameters = {"algorithm": "ring-1"} | ({} if space is None else {"space": space})
        queries = [query("owner_at", at=at) for at in around(spots, size)] + [query("arcs"), *summary()]
        for spot in spots[:6]:
            # The least kd whose coordinate is this token, the one below it, and the largest.
            least = -(-spot * 2**64 // size)
            for kd in sorted({least, (least - 1) % 2**64, ((spot + 1) * 2**64 - 1) // size}):
                queries.append(query("ranking", key=bytes_key(key_with(kd, "xxh3", 0))))
        if space is not None:
            queries.append(query("owner_at", at=space))
        out.append(group(cluster(ring_nodes(tokens), **parameters), *queries))
    # Derived tokens: aimed keys at tokens of each node.
    for hash, per_weight, made in [("xxh3", 1, FIVE), ("xxh64", 1, WEIGHTED), ("xxh3", 3, WEIGHTED), ("xxh64", 160, FIVE), ("xxh3", None, WEIGHTED), ("xxh3", 1000, nodes("a", "b")), ("xxh64", 2, EXTREME[:3]), ("xxh3", 65536, nodes("only"))]:
        parameters = {"algorithm": "ring-1", "hash": hash} | ({} if per_weight is None else {"tokens_per_weight": per_weight})
        value = cluster(made, **parameters)
        arcs = reference_front.cluster(value).arcs()
        ends = [arc[1] for arc in arcs]
        chosen = ends[:2] + ends[len(ends) // 2 :: max(1, len(ends) // 5)][:3] + ends[-2:]
        queries = [query("owner_at", at=at) for at in around(chosen)]
        queries += rankings([bytes_key(key_with(kd, hash, 0)) for end in chosen[:3] + chosen[-1:] for kd in [(end - 1) % 2**64, end, (end + 1) % 2**64]])
        queries += rankings(KEYS[:4]) + summary() + [query("replicas", key=KEYS[0], r=2), query("owner_indices", keys=MANY)]
        if len(ends) < 60:
            queries.append(query("arcs"))
        out.append(group(value, *queries))
    # Ids whose digests lie whole steps apart have derived tokens in common: the smaller id serves them.
    near = Hash("xxh64", 0).digest(NODE, b"base")
    for steps in [1, 2, 5]:
        made = [node("base", 2), node(id_with((near + steps * GOLDEN) % 2**64, 0), 2)]
        value = cluster(made, algorithm="ring-1", hash="xxh64", tokens_per_weight=3)
        shared = [draw(near, j) for j in range(1, 7)]
        out.append(group(value, query("arcs"), *[query("owner_at", at=at) for at in around(shared[:3])], *rankings([bytes_key(key_with(t, "xxh64", 0)) for t in shared]), *summary()))
    for hash in HASHES[::3]:
        out.append(group(cluster(WEIGHTED, algorithm="ring-1", tokens_per_weight=10, **hash), *rankings(KEYS[:3]), *summary()))
    # Field case B51: the number of tokens has an effect.
    workers = nodes("http://w1:8000", "http://w2:8000", "http://w3:8000")
    for per_weight in [1, 160]:
        out.append(group(cluster(workers, algorithm="ring-1", tokens_per_weight=per_weight), query("owner_indices", keys=[text_key(str(i)) for i in range(200)])))
    out.append(group(cluster(FIVE, algorithm="ring-1", tokens_per_weight=4), *unsupported("ring-1")))
    excluded = [query(op, key=key, exclude=exclude) for key in KEYS[:2] for op in ["owner", "ranking"] for exclude in [["cache-a"], ["cache-a", "cache-b", "x"], [f"cache-{c}" for c in "abcde"]]]
    out.append(group(cluster(FIVE, algorithm="ring-1", tokens_per_weight=8), *excluded, *[query("replicas", key=KEYS[0], r=r) for r in [0, 1, 5, 6]]))
    out += random_groups("ring-1", 2000, 60)
    return out


def slots():
    """slots-1 (section 6): slots of keys, tables, rankings, headroom with exact caps, the first and the last slot."""
    out = []
    for count in [1, 2, 3, 271, 16384]:
        for headroom in [None, 0, 5, 1000]:
            for made in [FIVE, WEIGHTED] if count < 16384 else [WEIGHTED[:3] if headroom is not None else FIVE]:
                parameters = {"algorithm": "slots-1"} | ({"slots": count} if count != 16384 or headroom == 5 else {}) | ({} if headroom is None else {"headroom": headroom})
                value = cluster(made, **parameters)
                asked = sorted({0, 1, count // 2, count - 1} & set(range(count)))
                queries = [query("slot_owners"), *summary()]
                queries += [query("slot_ranking", slot=slot) for slot in asked] + [query("slot_ranking", slot=count), query("slot_ranking", slot=0, limit=1)]
                queries += [query("slots_of", id=made[0]["id"])] if count <= 271 else []
                edges = {kd for slot in asked for kd in [-(-slot * 2**64 // count), (-(-slot * 2**64 // count) - 1) % 2**64]} | {0, 2**64 - 1}
                for kd in sorted(edges)[:6]:
                    key = bytes_key(key_with(kd, "xxh3", 0))
                    queries += [query("slot", key=key), query("owner", key=key), query("owner_at", at=kd)]
                queries += [query("ranking", key=key) for key in KEYS[:2]] + [query("replicas", key=KEYS[2], r=2)]
                out.append(group(value, *queries))
    table = cluster(nodes("a", "b"), algorithm="slots-1", slots=2**22)
    edges = [0, 2**42 - 1, 2**42, 2**63, 2**64 - 2**42 - 1, 2**64 - 2**42, 2**64 - 1]
    out.append(group(table, query("slot_owners"), *[query("owner_at", at=at) for at in edges], *[query("slot", key=bytes_key(key_with(kd, "xxh3", 0))) for kd in edges]))
    big = cluster(WEIGHTED, algorithm="slots-1", slots=2**22)
    out.append(group(big, *[query("slot_ranking", slot=slot) for slot in [0, 1, 255, 256, 65535, 65536, 2**22 - 1, 2**22]], *rankings(KEYS), query("slot_indices", keys=MANY), query("fingerprint"), query("properties")))
    for made, slots_, headroom in [(nodes("a", "b", "c"), 7, 0), (nodes("c", "a", "b"), 8, 0), ([node("a", 0), node("b", 5), node("c", 3)], 31, 0), (EXTREME, 300, 0), (EXTREME, 300, 25), ([node("a", HEAVY)], 1000, 925), ([node("a", HEAVY), node("b", HEAVY)], 2000, 1000), ([node("a", HEAVY), node("b", HEAVY), node("c", 1)], 2000, 413), (FIVE, 100, 1), (FIVE, 101, 1), (FIVE, 3, 0)]:  # fmt: skip
        value = cluster(made, algorithm="slots-1", slots=slots_, headroom=headroom)
        out.append(group(value, query("slot_owners"), *[query("slots_of", id=n["id"]) for n in made if slots_ < 400], *summary(), *rankings(KEYS[:3]), query("slots_of", id="nobody")))
    for hash in HASHES[::4]:
        out.append(group(cluster(WEIGHTED, algorithm="slots-1", slots=64, headroom=5, **hash), query("slot_owners"), query("slot_indices", keys=MANY), *summary()))
    excluded = [query(op, key=key, exclude=exclude) for key in KEYS[:3] for op in ["owner", "ranking"] for exclude in [["n3"], ["n3", "n2", "x"], ["n0", "n1", "n2", "n3", "n4"]]]
    for headroom in [{}, {"headroom": "0"}]:
        out.append(group(cluster(WEIGHTED, algorithm="slots-1", slots=50, **headroom), *excluded, *[query("replicas", key=KEYS[0], r=r) for r in [0, 1, 5, 6]], *unsupported("slots-1")))
    out += random_groups("slots-1", 3000, 64)
    return out


def tree(depth, branch, weights=(1,)):
    """Nodes beneath a tree of domains with `branch` children each, two in the last ones."""
    out = []
    for i in range(branch**depth * 2):
        place, path = i // 2, []
        for level in range(depth):
            path.append(f"{'rzhs'[level]}{place // branch ** (depth - 1 - level) % branch}")
        out.append(node(f"n{i:02}", weights[i % len(weights)], path))
    return out


def hierarchy():
    """hierarchy-1 (section 8): depth 1 to 4, weights, drained domains, exclusion, replicas with and without spread."""
    out = []
    for depth in [1, 2, 3, 4]:
        for branch in [1, 2, 3] if depth < 4 else [1, 2]:
            for weights in [(1,), (1, 2, 4, 0, 7), (HEAVY, 1, HEAVY)]:
                value = cluster(tree(depth, branch, weights), algorithm="hierarchy-1", levels=["region", "zone", "host", "shelf"][:depth])
                queries = rankings(KEYS[:3] + [int_key(7)]) + [query("owner", key=key) for key in KEYS[3:7]] + summary()
                queries += [query("replicas", key=KEYS[0], r=r) for r in [0, 1, 2]]
                queries += [query("replicas", key=KEYS[1], r=r, spread={"level": str(level)}) for level in range(depth + 1) for r in [0, 1, 2, 3]]
                queries += [query("replicas", key=KEYS[2], r=4, spread={"level": "0"}, relaxed=True), query("replicas", key=KEYS[2], r=2, spread={"name": "region"})]
                queries += [query("owner", key=KEYS[0], exclude=["n00", "n01"]), query("ranking", key=KEYS[0], exclude=[f"n{i:02}" for i in range(0, 54, 2)])]
                out.append(group(value, *queries))
    # Domain names that only the path tells apart, names that are prefixes, an order that differs in UTF-16.
    odd = [node("a", 1, ["x", "y"]), node("b", 1, ["xy", "z"]), node("c", 1, ["x", "yz"]), node("d", 2, ["\U0001f600", "y"]), node("e", 2, ["\uff5e", "y"]), node("f", 1, ["y", "x"]), node("g", 0, ["drained", "y"])]
    out.append(group(cluster(odd, algorithm="hierarchy-1"), *rankings(KEYS), *summary(), *[query("replicas", key=key, r=5, spread={"level": "0"}) for key in KEYS[:3]], query("replicas", key=KEYS[0], r=6, spread={"level": "0"})))
    everyone = [n["id"] for n in odd]
    out.append(group(cluster(odd, algorithm="hierarchy-1"), *[query(op, key=KEYS[0], exclude=everyone) for op in ["owner", "ranking"]], query("owner", key=KEYS[0], exclude=everyone[:5]), *[query("replica_indices", keys=keys, r=2) for keys in ([], KEYS, [nest(33)])], *unsupported("hierarchy-1")))
    for hash in HASHES:
        out.append(group(cluster(tree(2, 3, (1, 2, 3)), algorithm="hierarchy-1", **hash), *rankings(KEYS[:2]), query("fingerprint")))
    # The sum of the weights beneath a domain goes beyond 32 bits.
    heavy = [node(f"h{i}", HEAVY, [f"z{i % 3}"]) for i in range(9)] + [node("light", 1, ["z9"])]
    out.append(group(cluster(heavy, algorithm="hierarchy-1"), *rankings(KEYS), *summary()))
    # Domains with chosen scores are out of reach of one-line ids, colliding ones are not: siblings with one digest are refused. (Under most seeds these two collide as well.)
    before = reference_front.encode_key(("x" * 96,))[:-96]
    a, b = colliding_texts(draw(0, LOCATION), before)
    for weight in [1, 0]:
        out.append(group(cluster([node("m", 1, [a]), node("n", weight, [b])], algorithm="hierarchy-1", hash="xxh64")))
    out.append(group(cluster([node("m", 1, [a]), node("n", 1, [b])], algorithm="hierarchy-1", hash="xxh64", seed=5), *rankings(KEYS[:2])))
    out += random_groups("hierarchy-1", 4000, 66)
    return out


def replicas():
    """Replicas over failure domains (section 9): strict and relaxed, exactly enough domains and one too few, the order of the checks, the final limit."""
    out = []
    zones = [node(f"sg{i}", 1, [f"z{i % 3}"]) for i in range(1, 12)]
    hosts = [node(f"h{h}:{port}", 1, [f"r{h}", f"h{h}"]) for h in (1, 2, 3) for port in range(8080, 8086)]
    uneven = [node("a", 1, ["r1", "z1"]), node("b", 1, ["r1"]), node("c", 1, ["r2", "z1"]), node("d", 0, [])]
    deep = [node(f"d{i}", 1 + i % 3, [f"l{i % (k + 1)}" for k in range(8)]) for i in range(10)]
    clusters = [
        cluster(zones, levels=["zone"]),
        cluster(zones, levels=["zone"], algorithm="ring-1", tokens_per_weight=20),
        cluster(zones, levels=["zone"], algorithm="slots-1", slots=100),
        cluster(zones, levels=["zone"], algorithm="slots-1", slots=100, headroom=0),
        cluster(zones, levels=["zone"], algorithm="hierarchy-1"),
    ]
    for value in clusters:
        queries = []
        for key in KEYS[:2]:
            queries += [query("replicas", key=key, r=r, spread={"name": "zone"}) for r in range(0, 6)]
            queries += [query("replicas", key=key, r=r, spread={"level": "0"}, relaxed=True) for r in range(0, 13)]
            queries += [query("limit", key=key, r=r, spread={"level": "0"}, relaxed=True) for r in [0, 1, 3, 4, 6, 7, 9, 10, 11, 12]]
            queries += [query("limit", key=key, r=r, spread={"level": "0"}) for r in [0, 3, 4]] + [query("limit", key=key, r=1)]
            queries += [query("replicas", key=key, r=2, spread={"name": "zone"}, exclude=["sg1", "sg4", "sg7", "sg10"]), query("replicas", key=key, r=3, spread={"name": "zone"}, exclude=["sg1", "sg4", "sg7", "sg10"])]
            queries += [query("replicas", key=key, r=3, relaxed=True), query("replicas", key=key, r=4, spread={"name": "zone"}, relaxed=True, exclude=["sg3"])]
        out.append(group(value, *queries))
    for algorithm in [{}, {"algorithm": "ring-1", "tokens_per_weight": 5}, {"algorithm": "hierarchy-1"}]:
        queries = [query("replicas", key=key, r=r, spread=spread, relaxed=relaxed) for key in KEYS[:2] for spread in [{"level": "0"}, {"level": "1"}, {"name": "rack"}, {"name": "host"}] for r in [2, 3, 4] for relaxed in [False, True]]
        out.append(group(cluster(hosts, levels=["rack", "host"], **algorithm), *queries))
    out.append(group(cluster(deep, levels=[f"level-{i}" for i in range(8)]), *[query("replicas", key=KEYS[0], r=r, spread={"level": str(level)}) for level in range(8) for r in [1, level + 1, level + 2]], query("replicas", key=KEYS[0], r=2, spread={"name": "level-7"})))
    # The order of the checks: each query has every later fault as well.
    bad = nest(33)
    everyone = ["a", "b", "c", "d"]
    level = {"level": "1"}
    queries = [
        query("replicas", key=bad, r=0, spread={"level": "8"}, exclude=everyone),
        query("replicas", key=bad, r=1, spread={"level": "8"}, exclude=everyone),
        query("replicas", key=bad, r=1, spread={"name": "nowhere"}, exclude=everyone),
        query("replicas", key=bad, r=9, spread=level, exclude=everyone),
        query("replicas", key=bad, r=9, spread={"level": "0"}, exclude=everyone),
        query("replicas", key=KEYS[0], r=9, spread={"level": "0"}, exclude=everyone),
        query("replicas", key=KEYS[0], r=9, spread={"level": "0"}, exclude=["a"]),
        query("replicas", key=KEYS[0], r=3, spread={"level": "0"}),
        query("replicas", key=KEYS[0], r=2, spread={"level": "0"}),
        query("replicas", key=KEYS[0], r=2, spread=level, exclude=["b"]),
        query("replicas", key=KEYS[0], r=2, spread={"level": "7"}),
        query("replicas", key=KEYS[0], r=2, spread={"level": str(2**32)}),
        query("replicas", key=KEYS[0], r=2, spread={"level": "8"}, relaxed=True),
        query("replicas", key=KEYS[0], r=2, spread={"name": "Region"}),
        query("replicas", key=KEYS[0], r=2, spread={"name": ""}),
        query("replicas", key=KEYS[0], r=2, spread={"name": "0"}),
        query("replicas", key=KEYS[0], r=2, spread={"name": "region"}),
        query("replicas", key=KEYS[0], r=2, spread={"name": "zone"}),
        query("replicas", key=bad, r=2),
        query("replicas", key=bad, r=2, exclude=everyone),
    ]
    out.append(group(cluster(uneven, levels=["region", "zone"]), *queries))
    out.append(group(cluster(uneven), query("replicas", key=KEYS[0], r=2, spread={"name": "region"}), query("replicas", key=KEYS[0], r=2, spread={"level": "0"})))
    dynamic = [query("replicas", key={"bad": kind}, r=r, spread={"level": "0"}) | {"only": DYNAMIC} for kind in BAD + ["lone_surrogate"] for r in [0, 1, 9]]
    dynamic += [query("replicas", key=KEYS[0], r=-1) | {"only": DYNAMIC}, query("ranking", key=KEYS[0], limit=-1) | {"only": DYNAMIC}, query("replicas", key=KEYS[0], r=1, spread={"level": "-1"}) | {"only": DYNAMIC}]
    dynamic += [query("replicas", key=KEYS[0], r=1, exclude=[{"bad": "lone_surrogate"}]) | {"only": DYNAMIC}, query("replicas", key=KEYS[0], r=1, spread={"name": {"bad": "lone_surrogate"}}) | {"only": DYNAMIC}]
    out.append(group(cluster(uneven), *dynamic))
    in_hierarchy = cluster([node("a", 1, ["x"]), node("b", 1, ["y"]), node("c", 0, ["z"])], algorithm="hierarchy-1")
    queries = [query("replicas", key=bad, r=2, exclude=["a", "b"]), query("replicas", key=KEYS[0], r=9), query("replicas", key=KEYS[0], r=1), query("replicas", key=bad, r=1), query("replicas", key=KEYS[0], r=2, relaxed=True), query("replicas", key=KEYS[0], r=1, exclude=["a", "b"])]
    queries += [query("replicas", key=KEYS[0], r=r, spread={"level": level}) for r in [2, 3] for level in "01"]
    out.append(group(in_hierarchy, *queries))
    for case in range(70):
        dice = Dice(5000 + case)
        value = random_cluster(dice, ["rendezvous-1", "ring-1", "slots-1", "hierarchy-1"][case % 4], depth=dice.between(1, 3))
        out.append(group(value, *random_queries(dice, value, 8, ops=["replicas", "replicas", "limit"])))
    return out
