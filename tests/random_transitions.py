"""Random transitions and questions to them, for the vectors and for cross.py. Frozen with the vectors, as random_cases.py is."""

from cases_values import BAD, DYNAMIC, TEXTS, nest, random_key
from dice import node, query, text_key
from random_cases import random_call, random_cluster, random_exclusion, random_hash

FRACTIONS = [(0, 1), (1, 1), (1, 2), (2, 4), (1, 3), (2, 3), (3, 7), (1, 100), (99, 100), (2**31, 2**32 - 1), (2**32 - 2, 2**32 - 1), (2**32 - 1, 2**32 - 1)]


def secrets_beside(value):
    """What must be handed over beside the file of this transition."""
    found = {f"{side}_secret": value[side]["secret"] for side in ("before", "after") if "secret" in value[side]}
    return {"secret": next(iter(found.values()))} if len(set(found.values())) == 1 else found


def rewrite_step(value, *queries):
    """The query `rewrite` to this transition; what reads it back needs the secrets again."""
    return query("rewrite", **secrets_beside(value), queries=list(queries))


def random_after(dice, before):
    """Where a cluster may be going: the same with a few nodes and parameters changed, or another altogether."""
    if dice.chance(30):
        return random_cluster(dice)
    made = [dict(n) for n in before["nodes"]]
    explicit = "tokens" in made[0]
    if len(made) > 1 and dice.chance(50):
        made.pop(dice.below(len(made)))
    if not explicit and dice.chance(60):
        made += [node(f"new-{i}", dice.pick([None, 0, 2]), made[0].get("location")) for i in range(dice.between(1, 2))]
    if dice.chance(30):
        dice.pick(made)["weight"] = str(dice.below(2))
    if all(n.get("weight") == "0" for n in made):
        made[0]["weight"] = "1"
    after = before | {"nodes": dice.sample(made, len(made))}
    if before.get("algorithm") == "slots-1":
        if dice.chance(50):
            after.pop("headroom", None)
        if dice.chance(30):
            after["headroom"] = str(dice.pick([0, 5, 1000]))
        if dice.chance(15):
            after["slots"] = str(int(before["slots"]) + 1)
    if dice.chance(15):
        after = {name: value for name, value in after.items() if name not in ("hash", "seed", "secret")} | random_hash(dice)
    if dice.chance(20):
        after["epoch"] = str(dice.below(100))
    return after


def random_transition(dice):
    before = random_cluster(dice)
    after = random_after(dice, before)
    if dice.chance(20):
        before, after = after, before
    part, of = dice.pick(FRACTIONS)
    if dice.chance(30):
        of = dice.between(1, dice.pick([10, 2**32 - 1]))
        part = dice.between(0, of)
    out = {"before": before, "after": after, "part": str(part), "of": str(of)}
    return out | ({"epoch": str(dice.pick([0, 1, 42, 2**53 - 1]))} if dice.chance(40) else {})


def random_step_key(dice):
    if dice.chance(1):
        return nest(33)
    return dice.pick([text_key(f"user:{dice.below(1000)}"), text_key(dice.pick(TEXTS)), random_key(dice), random_key(dice), {"hex": dice.bytes(dice.pick([0, 1, 3, 4, 8, 9, 16, 31, 32, 33, 64, 129])).hex()}])


def random_step_call(dice, value):
    """The arguments of `replicas` beside the key, as one of the sides would be asked."""
    call = random_call(dice, value[dice.pick(["before", "after"])])
    # On a command line digits are a level's number, and a name of digits has another number in each cluster.
    if call.get("spread", {}).get("name", "").isdigit():
        del call["spread"]
    return call


def random_other(dice, value):
    """What a transition may be compared with."""
    if dice.chance(30):
        return value[dice.pick(["before", "after"])] | ({"epoch": str(dice.below(50))} if dice.chance(60) else {})
    other = dict(value)
    if dice.chance(40):
        other["of"] = str(max(1, int(value["part"]) + dice.below(3)))
    if dice.chance(30):
        other["before"], other["after"] = value["after"], value["before"]
    if dice.chance(60):
        other["epoch"] = str(dice.below(50))
    if int(other["of"]) >= 2**32:
        other["of"] = value["of"]
    return {"transition": other}


def random_step_queries(dice, value, count):
    ids = [n["id"] for side in ("before", "after") for n in value[side]["nodes"]]
    # Most questions share their exclusion and their call: the command is started once for each.
    exclusion, call = random_exclusion(dice, ids), random_step_call(dice, value)
    ops = ["owner", "owner", "owner", "candidates", "candidates", "candidates", "passes", "passes", "ranking", "ranking", "replicas", "replicas", "limit", "fingerprint", "compare", "step", "at", "with_epoch", "rewrite", "before", "after"]
    out = []
    for _ in range(count):
        op, key, only = dice.pick(ops), random_step_key(dice), {}
        inside = [query("owner", key=key), query("candidates", key=key), query("fingerprint"), query("step")]
        if op in ("owner", "candidates", "passes", "ranking"):
            if dice.chance(2):
                key, only = {"bad": dice.pick(BAD + ["lone_surrogate"])}, {"only": DYNAMIC}
            q = query(op, key=key)
            if op in ("owner", "ranking") and dice.chance(35):
                q["exclude"] = exclusion
            if op == "ranking" and dice.chance(40):
                q["limit"] = str(dice.between(1, 9))
        elif op in ("replicas", "limit"):
            q = query(op, key=key, **(call if dice.chance(60) else random_step_call(dice, value)))
        elif op == "compare":
            q = query(op, other=random_other(dice, value))
        elif op == "at":
            part, of = dice.pick(FRACTIONS + [(2, 1), (0, 0), (1, 2**32)])
            q = query(op, part=part, of=of, queries=inside)
        elif op == "with_epoch":
            q = query(op, queries=inside) | {"epoch": dice.pick([None, "0", "7", str(2**53 - 1), str(2**53)])}
        elif op == "rewrite":
            q = rewrite_step(value, *inside)
        elif op in ("before", "after"):
            q = query(op, queries=[query("owner", key=key), query("fingerprint"), query("properties")])
        else:
            q = query(op)
        out.append(q | only)
    return out
