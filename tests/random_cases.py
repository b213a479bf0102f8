"""Random clusters and queries with hostile ids, keys, weights and parameters, for the vectors and for cross.py. Everything comes from the given Dice.

`random_cluster` and `random_queries` are frozen with the vectors: to change them is to edit cases. cross.py is free to take others, written beside them.
"""

from cases_values import BAD, DYNAMIC, TEXTS, nest, random_key
from dice import cluster, int_key, node, query, rewrite, seq_key, text_key

HEAVY = 2**32 - 1
SCHEMES = [
    lambda dice, i: f"cache-{i}",
    lambda dice, i: f"10.7.{dice.below(3)}.{i}:11211",
    lambda dice, i: "a" * (i + 1),
    lambda dice, i: dice.pick(["\U0001f600", "\uff5e", "\ue000", "\u00e9", "z", "Z", " "]) + str(i),
    lambda dice, i: ["__proto__", "constructor", "toString", "0", "1", "10", "2", "length", "name", "hasOwnProperty"][i % 10] + "'" * (i // 10),
    lambda dice, i: f"{i}",
    lambda dice, i: dice.pick(['"', "\\", ",", "=", "/", "#", "\u2028", "\u0085"]) * (1 + i),
    lambda dice, i: "x" * dice.pick([7, 8, 15, 16, 17, 128, 129, 240, 241]) + str(i),
]
WEIGHTS = [[1], [1, 2], [0, 1], [1, 2, 4, 7], [0, 1, 2, 100000, HEAVY], [HEAVY], [HEAVY, HEAVY - 1], [100000, 1], [1, 10]]
ALGORITHMS = ["rendezvous-1", "ring-1", "slots-1", "hierarchy-1"]


def random_hash(dice):
    name = dice.pick([None, None, "xxh3", "xxh64", "sip13"])
    if name == "sip13":
        return {"hash": name, "secret": dice.bytes(16).hex()}
    out = {} if name is None else {"hash": name}
    if dice.chance(40):
        out["seed"] = str(dice.pick([0, 1, 2**32, 2**53 - 1, 2**53 + 1, 2**64 - 1, dice.u64()]))
    return out


def random_tokens(dice, count, space):
    """For each of `count` nodes some of the coordinates below `space`, none twice."""
    # Every node needs one, and none more than the space has.
    wanted = [dice.between(1, max(1, min(5, space // count))) for _ in range(count)]
    while sum(wanted) > space:
        wanted[wanted.index(max(wanted))] -= 1
    found = set()
    while len(found) < sum(wanted):
        found.add(dice.pick([0, space - 1, dice.below(space), dice.below(min(space, 64))]))
    mixed = dice.sample(sorted(found), len(found))
    return [[mixed.pop() for _ in range(n)] for n in wanted]


def random_cluster(dice, algorithm=None, depth=None):
    algorithm = dice.pick(ALGORITHMS) if algorithm is None else algorithm
    count = dice.pick([1, 2, 3, 4, 5, 6, 8, 10, 17, 33] if algorithm == "rendezvous-1" else [1, 2, 3, 4, 5, 6, 8, 12])
    scheme = dice.pick(SCHEMES)
    weights = dice.pick(WEIGHTS)
    parameters = {} if algorithm == "rendezvous-1" and dice.chance(50) else {"algorithm": algorithm}
    parameters |= random_hash(dice)
    if depth is None:
        depth = dice.between(1, 4) if algorithm == "hierarchy-1" else dice.pick([0, 0, 1, 2, 3, 8])
    tokens = [None] * count
    if algorithm == "ring-1" and dice.chance(40):
        space = dice.pick([2**64, 2**64, 2**64 - 1, 2**53 + 1, 2**32, 1000, 64, count + 1])
        tokens = random_tokens(dice, count, space)
        weights = dice.pick([[1], [0, 1]])
        if space < 2**64:
            parameters["space"] = space
    elif algorithm == "ring-1":
        per_weight = dice.pick([1, 2, 3, 16, 100])
        parameters["tokens_per_weight"] = per_weight
        if per_weight * max(weights) * count > 1000:
            weights = [0, 1, 2, 3]
    if algorithm == "slots-1":
        parameters["slots"] = dice.pick([1, 2, 3, 5, 16, 50, 64, 271])
        if dice.chance(60):
            parameters["headroom"] = dice.pick([0, 0, 1, 5, 25, 100, 1000])
    if dice.chance(30):
        parameters["epoch"] = dice.pick([0, 1, 42, 2**32, 2**53 - 1])
    names = dice.sample(["region", "zone", "rack", "host", "a", "\u00e9", "0"], dice.between(1, 4))
    if dice.chance(50):
        parameters["levels"] = names
    made = []
    for i in range(count):
        weight = dice.pick(weights)
        # Names repeat below different parents, so that only the whole path tells domains apart.
        location = [f"{'rzhs'[level % 4]}{dice.below(3)}" for level in range(depth)]
        made.append(node(scheme(dice, i), None if weight == 1 and dice.chance(50) else weight, location if location else None, tokens[i]))
    if all(n.get("weight") == "0" for n in made):
        made[dice.below(count)].pop("weight")
    return cluster(dice.sample(made, count), **parameters)


def random_call(dice, value):
    """The arguments of `replicas` beside the key."""
    ids = [n["id"] for n in value["nodes"]]
    depth = max(len(n.get("location", [])) for n in value["nodes"])
    fields = {"r": dice.pick([0, 1, 1, 2, 2, 3, 3, 4, len(ids), len(ids) + 1])}
    if dice.chance(35):
        fields["exclude"] = random_exclusion(dice, ids)
    if depth and dice.chance(75):
        fields["spread"] = {"level": str(dice.below(depth))}
        if "levels" in value and dice.chance(40):
            fields["spread"] = {"name": dice.pick(value["levels"])}
        if dice.chance(4):
            fields["spread"] = dice.pick([{"level": "8"}, {"name": "nowhere"}, {"level": str(depth)}])
        if dice.chance(50):
            fields["relaxed"] = True
    return fields


def random_exclusion(dice, ids):
    if dice.chance(5):
        return list(ids)
    out = dice.sample(ids, dice.below(len(ids) // 2 + 2) if len(ids) > 1 else 0)
    return out + (["nobody"] if dice.chance(20) else [])


def random_queries(dice, value, count, ops=None):
    ids = [n["id"] for n in value["nodes"]]
    # Most questions to one cluster share their exclusion and their call: the command is started once for each.
    exclusion, call = random_exclusion(dice, ids), random_call(dice, value)
    algorithm = value.get("algorithm", "rendezvous-1")
    if ops is None:
        ops = ["owner", "owner", "ranking", "ranking", "replicas", "replicas", "fingerprint", "shares", "ids", "properties", "limit", "change", "nodes", "rewrite", "owner_indices", "replica_indices", "compare", "owner_many"]
        ops += {"rendezvous-1": [], "hierarchy-1": [], "ring-1": ["owner_at"] * 5 + ["arcs"], "slots-1": ["slot", "slot_ranking", "slot_ranking", "slot_owners", "slots_of", "owner_at", "slot_indices"]}[algorithm]
    out = []
    for _ in range(count):
        op = dice.pick(ops)
        key = dice.pick([text_key(f"user:{dice.below(1000)}"), text_key(dice.pick(TEXTS)), random_key(dice), random_key(dice), {"hex": dice.bytes(dice.pick([0, 1, 3, 4, 8, 9, 16, 17, 64, 129, 241, 300])).hex()}])
        if dice.chance(1):
            key = dice.pick([nest(33), int_key(2**64), int_key(-(2**63) - 1)])
        only = {}
        if dice.chance(2) and op in ("owner", "ranking", "replicas"):
            bad = {"bad": dice.pick(BAD + ["lone_surrogate"])}
            key = bad if dice.chance(60) else seq_key(text_key("a"), bad)
            only = {"only": DYNAMIC}
        if op in ("owner", "ranking"):
            q = query(op, key=key)
            if dice.chance(30):
                q["exclude"] = exclusion if dice.chance(80) else random_exclusion(dice, ids)
            if op == "ranking" and dice.chance(40):
                q["limit"] = str(dice.between(1, len(ids) + 1))
        elif op in ("replicas", "limit"):
            q = query(op, key=key, **(call if dice.chance(60) else random_call(dice, value)))
        elif op in ("owner_indices", "owner_many", "slot_indices"):
            q = query(op, keys=[random_key(dice) for _ in range(dice.below(5))])
        elif op == "replica_indices":
            q = query(op, keys=[random_key(dice) for _ in range(dice.below(4))], r=dice.between(0, 3))
        elif op == "change":
            q = random_change(dice, value, [query("ids"), query("fingerprint"), query("owner", key=key), query("nodes")])
        elif op == "rewrite":
            q = rewrite(value, query("fingerprint"), query("nodes"), query("properties"))
        elif op == "compare":
            other = dict(value) | {"nodes": dice.sample(value["nodes"], len(ids))}
            if dice.chance(50) and len(ids) > 1:
                other["nodes"][0] = other["nodes"][0] | {"location": ["elsewhere"] * max(1, len(other["nodes"][0].get("location", [])))}
            if dice.chance(60):
                other["epoch"] = str(dice.below(3))
            q = query(op, other=other)
        elif op == "slot":
            q = query(op, key=key)
        elif op == "slot_ranking":
            q = query(op, slot=dice.below(int(value["slots"])) if dice.chance(95) else int(value["slots"]))
        elif op == "slots_of":
            q = query(op, id=dice.pick(ids + ["nobody"]))
        elif op == "owner_at":
            q = query(op, at=random_coordinate(dice, value))
        else:
            q = query(op)
        out.append(q | only)
    return out


def random_coordinate(dice, value):
    """Any coordinate, and often one exactly on an explicit token or beside it."""
    space = int(value.get("space", 2**64))
    tokens = [int(token) for n in value["nodes"] for token in n.get("tokens", [])]
    if tokens and dice.chance(70):
        return (dice.pick(tokens) + dice.between(0, 2) - 1) % space
    return dice.pick([0, space - 1, dice.below(space), dice.below(space)])


def random_change(dice, value, queries):
    ids = [n["id"] for n in value["nodes"]]
    location = value["nodes"][0].get("location")
    fields = {}
    explicit = "tokens" in value["nodes"][0]
    if dice.chance(40) and not explicit:
        fields["add"] = [node(f"new-{i}", dice.pick([0, 1, 3]), location) for i in range(dice.between(1, 2))]
    if dice.chance(40) and len(ids) > 2:
        fields["remove"] = dice.sample(ids, 1)
    if dice.chance(30):
        fields["drain"] = dice.sample([id for id in ids if id not in fields.get("remove", [])], 1)
    if dice.chance(40):
        fields["weight"] = [[dice.pick(ids + ["nobody"]), str(dice.pick([0, 1, 2]) if not explicit else dice.below(2))]]
    return query("change", **fields, queries=queries)


def random_functions(dice, count):
    heavy = [0, 1, 2, 3, 100000, HEAVY]
    out = []
    for _ in range(count):
        op = dice.pick(["encode_key", "rank_scores", "jump", "jump_bucket", "modulo", "digest", "draw", "cost"])
        n = dice.pick([1, 2, 3, 10, 1000, 2**31 - 1, dice.between(1, 2**31 - 1), dice.between(1, 2**31 - 1), 0 if dice.chance(10) else 7])
        if op == "encode_key":
            out.append(query(op, key=random_key(dice)))
        elif op == "rank_scores":
            base = dice.u64()
            scores = [(base + dice.below(3)) % 2**64 if dice.chance(50) else dice.pick([0, 1, 2**62, 2**63, 2**64 - 1, dice.u64()]) for _ in range(dice.below(9))]
            out.append(query(op, candidates=[[f"n{dice.below(200) * 9 + i}", str(score), str(dice.pick(heavy))] for i, score in enumerate(scores)]))
        elif op == "jump":
            out.append(query(op, key=dice.u64(), n=n))
        elif op in ("jump_bucket", "modulo"):
            out.append(query(op, key=random_key(dice), n=n, **random_hash(dice)))
        elif op == "digest":
            out.append(query(op, bytes=dice.bytes(dice.below(1100) if dice.chance(20) else dice.below(40)).hex(), domain=dice.between(1, 7), **random_hash(dice)))
        elif op == "draw":
            out.append(query(op, seed=dice.u64(), i=dice.u64()))
        else:
            out.append(query(op, score=dice.u64() >> dice.below(64)))
    return out


def random_fault(dice, value):
    """The cluster with one fault."""
    out = dict(value) | {"nodes": [dict(n) for n in value["nodes"]]}
    n = dice.pick(out["nodes"])
    algorithm = value.get("algorithm", "rendezvous-1")
    explicit = "tokens" in out["nodes"][0]
    kind = dice.below(9)
    if kind == 0:
        n["id"] = dice.pick(["", "a\u0000", "\u007f", {"repeat": "x", "times": "65536"}])
    elif kind == 1 and not explicit:
        out["nodes"].append(dict(n))
    elif kind == 2 and algorithm != "hierarchy-1":
        n["location"] = dice.pick([[""], ["a", "\u0001"], [str(i) for i in range(9)]])
    elif kind == 3:
        out["epoch"] = str(dice.pick([2**53, 2**64 - 1]))
    elif kind == 4:
        out["levels"] = dice.pick([[], ["a", "a"], [""], [str(i) for i in range(9)]])
    elif kind == 5:
        out["algorithm"] = dice.pick(["rendezvous-2", "", "jump"])
    elif kind == 6:
        out["hash"] = dice.pick(["md5", ""])
    elif kind == 7 and algorithm == "slots-1":
        out |= dice.pick([{"slots": "0"}, {"slots": "4194305"}, {"headroom": "1001"}])
    elif kind == 7 and algorithm == "ring-1" and not explicit:
        out["tokens_per_weight"] = dice.pick(["0", "65537", str(2**32 + 1)])
    else:
        for m in out["nodes"]:
            m["weight"] = "0"
    return out
