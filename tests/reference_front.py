"""The oracle as a front: one function from a request to its answer, both as README.md describes them. generate.py and cross.py ask it, and every other front has the same function."""

import hashlib

import reference_file
import reference_transition
from reference import Cluster, Node
from reference_transition import Transition
from reference_values import Hash, KeysteadError, caps, cost, draw, encode_key, jump, jump_bucket, modulo, rank_scores

BAD_KEYS = {"float": 1.5, "nan": float("nan"), "bool": True, "null": None, "object": {}, "lone_surrogate": "\ud800"}


# Tagged values to Python's own


def text(value):
    if isinstance(value, str):
        return value
    if "repeat" in value:
        return value["repeat"] * int(value["times"])
    assert value == {"bad": "lone_surrogate"}, value
    return "\ud800"


def texts(values):
    return [text(value) for value in values]


def number(value):
    return None if value is None else int(value)


def key(value):
    ((tag, content),) = value.items()
    if tag == "text":
        return text(content)
    if tag == "hex":
        return bytes.fromhex(content)
    if tag == "int":
        return int(content)
    if tag == "seq":
        return tuple(key(item) for item in content)
    return BAD_KEYS[content]


def node(value):
    tokens = value.get("tokens")
    return Node(
        text(value["id"]),
        weight=int(value.get("weight", "1")),
        location=texts(value.get("location", [])),
        tokens=None if tokens is None else [int(token) for token in tokens],
        address=None if "address" not in value else text(value["address"]),
        meta={text(name): text(content) for name, content in value.get("meta", [])},
        comment=None if "comment" not in value else text(value["comment"]),
    )


def secret(value, name="secret"):
    return bytes.fromhex(value[name]) if name in value else None


def cluster(value):
    nodes = [node(n) for n in value["nodes"]]
    if "generated_nodes" in value:
        generated = value["generated_nodes"]
        nodes += [Node(generated["prefix"] + str(i)) for i in range(int(generated["count"]))]
    return Cluster(
        nodes,
        algorithm=None if "algorithm" not in value else text(value["algorithm"]),
        hash=None if "hash" not in value else text(value["hash"]),
        seed=number(value.get("seed")),
        secret=secret(value),
        epoch=number(value.get("epoch")),
        levels=None if "levels" not in value else texts(value["levels"]),
        tokens_per_weight=number(value.get("tokens_per_weight")),
        space=number(value.get("space")),
        slots=number(value.get("slots")),
        headroom=number(value.get("headroom")),
    )


def transition(value):
    given = value["before"]
    before = (lambda _: given["always"]) if "always" in given else cluster(given)
    return Transition(before, cluster(value["after"]), int(value["part"]), int(value["of"]), number(value.get("epoch")))


def transition_from(data, q):
    """The secrets stand beside the file, in a request as in the query `rewrite`."""
    if "secret" in q:
        return reference_transition.from_json(data, secret(q), secret(q))
    return reference_transition.from_json(data, secret(q, "before_secret"), secret(q, "after_secret"))


def content(value):
    return bytes.fromhex(value["hex"]) if "hex" in value else value["text"].encode()


def subject(request):
    if "file" in request:
        return reference_file.from_json(content(request["file"]), secret(request))
    if "transition_file" in request:
        return transition_from(content(request["transition_file"]), request)
    if "transition" in request:
        return transition(request["transition"])
    return cluster(request["cluster"]) if "cluster" in request else None


# Answers


def node_answer(n):
    out = {"id": n.id, "weight": str(n.weight)}
    if n.location:
        out["location"] = list(n.location)
    if n.tokens is not None:
        out["tokens"] = [str(token) for token in n.tokens]
    if n.meta:
        out["meta"] = [[name, n.meta[name]] for name in sorted(n.meta, key=lambda name: name.encode())]
    if n.address is not None:
        out["address"] = n.address
    if n.comment is not None:
        out["comment"] = n.comment
    return out


def numbers(values):
    return [None if value is None else str(value) for value in values]


def properties(c):
    whole = {"seed": c.hash.seed, "epoch": c.epoch, "tokens_per_weight": c.tokens_per_weight, "space": c.space, "slots": c.slots, "headroom": c.headroom}
    out = {"algorithm": c.algorithm, "hash": c.hash.name, "levels": None if c.levels is None else list(c.levels)}
    return out | dict(zip(whole, numbers(whole.values())))


def slot_owners(c):
    owners = c.slot_owners()
    packed = b"".join(owner.to_bytes(4, "little") for owner in owners)
    return {"slots": str(len(owners)), "sha256": hashlib.sha256(packed).hexdigest()}


def picking(asked, q):
    spread = q.get("spread")
    if spread is not None:
        spread = int(spread["level"]) if "level" in spread else text(spread["name"])
    return asked.replica_indices(key(q["key"]), int(q["r"]), texts(q.get("exclude", [])), spread, q.get("relaxed", False))


def transition_replicas(t, q):
    c, picked, _ = picking(t, q)
    return [c.nodes[i].id for i in picked]


def replica_indices(c, q):
    # The checks that come before a key are made where there is no key, too.
    c.check_replicas(int(q["r"]))
    return [numbers(c.replica_indices(key(k), int(q["r"]))[0]) for k in q["keys"]]


def hash_of(q):
    return {"hash": q.get("hash"), "seed": number(q.get("seed")), "secret": secret(q)}


def nested(asked, q):
    return [answer_query(asked, inner) for inner in q["queries"]]


def other(q):
    return transition(q["other"]["transition"]) if "transition" in q["other"] else cluster(q["other"])


def change(c, q):
    return c.change(
        add=[node(n) for n in q.get("add", [])],
        remove=texts(q.get("remove", [])),
        weight=[(text(id), int(weight)) for id, weight in q.get("weight", [])],
        drain=texts(q.get("drain", [])),
    )


CLUSTER_OPS = {
    "owner": lambda c, q: c.owner(key(q["key"]), texts(q.get("exclude", []))),
    "ranking": lambda c, q: c.ranking(key(q["key"]), number(q.get("limit")), texts(q.get("exclude", []))),
    "replicas": lambda c, q: [c.nodes[i].id for i in picking(c, q)[0]],
    "limit": lambda c, q: str(picking(c, q)[1]),
    "owner_many": lambda c, q: [c.owner(key(k)) for k in q["keys"]],
    "owner_indices": lambda c, q: numbers(c.index_of(c.owner(key(k))) for k in q["keys"]),
    "replica_indices": replica_indices,
    "ids": lambda c, q: [n.id for n in c.nodes],
    "nodes": lambda c, q: [node_answer(n) for n in c.nodes],
    "node": lambda c, q: node_answer(c.nodes[c.index_of(text(q["id"]))]),
    "properties": lambda c, q: properties(c),
    "fingerprint": lambda c, q: c.fingerprint(),
    "description": lambda c, q: c.description().hex(),
    "shares": lambda c, q: [numbers([share.numerator, share.denominator]) for share in c.shares()],
    "compare": lambda c, q: c.compare(other(q)),
    "slot": lambda c, q: str(c.slot(key(q["key"]))),
    "slot_indices": lambda c, q: numbers(c.slot(key(k)) for k in q["keys"]),
    "slot_owners": lambda c, q: slot_owners(c),
    "slots_of": lambda c, q: numbers(c.slots_of(text(q["id"]))),
    "slot_ranking": lambda c, q: c.slot_ranking(int(q["slot"]), number(q.get("limit"))),
    "owner_at": lambda c, q: c.owner_at(int(q["at"])),
    "arcs": lambda c, q: [numbers(arc[:3]) + [c.nodes[arc[3]].id] for arc in c.arcs()],
    "change": lambda c, q: nested(change(c, q), q),
    "with_node": lambda c, q: nested(c.change(add=[node(q["node"])]), q),
    "without_node": lambda c, q: nested(c.change(remove=[text(q["id"])]), q),
    "with_weight": lambda c, q: nested(c.change(weight=[(text(q["id"]), int(q["weight"]))]), q),
    "with_epoch": lambda c, q: nested(c.with_epoch(number(q["epoch"])), q),
    "rewrite": lambda c, q: nested(reference_file.from_json(reference_file.to_json(c).encode(), secret(q)), q),
}

TRANSITION_OPS = {
    "owner": lambda t, q: t.owner(key(q["key"]), texts(q["exclude"]) if "exclude" in q else None),
    "ranking": lambda t, q: t.ranking(key(q["key"]), number(q.get("limit")), texts(q.get("exclude", []))),
    "replicas": transition_replicas,
    "limit": lambda t, q: str(picking(t, q)[2]),
    "candidates": lambda t, q: t.candidates(key(q["key"])),
    "passes": lambda t, q: t.is_passed(key(q["key"])),
    "fingerprint": lambda t, q: t.fingerprint(),
    "compare": lambda t, q: t.compare(other(q)),
    "step": lambda t, q: {"part": str(t.part), "of": str(t.of), "epoch": numbers([t.epoch])[0], "comment": t.comment},
    "before": lambda t, q: nested(t.before, q),
    "after": lambda t, q: nested(t.after, q),
    "at": lambda t, q: nested(t.at(int(q["part"]), int(q["of"])), q),
    "with_epoch": lambda t, q: nested(t.with_epoch(number(q["epoch"])), q),
    "rewrite": lambda t, q: nested(transition_from(reference_transition.to_json(t).encode(), q), q),
}

FUNCTION_OPS = {
    "encode_key": lambda q: encode_key(key(q["key"])).hex(),
    "rank_scores": lambda q: rank_scores([(text(id), int(score), int(weight)) for id, score, weight in q["candidates"]]),
    "jump": lambda q: str(jump(int(q["key"]), int(q["n"]))),
    "jump_bucket": lambda q: str(jump_bucket(key(q["key"]), int(q["n"]), **hash_of(q))),
    "modulo": lambda q: str(modulo(key(q["key"]), int(q["n"]), **hash_of(q))),
    "digest": lambda q: str(Hash(**{"name": q.get("hash"), "seed": number(q.get("seed")), "secret": secret(q)}).digest(int(q["domain"]), bytes.fromhex(q["bytes"]))),
    "draw": lambda q: str(draw(int(q["seed"]), int(q["i"]))),
    "cost": lambda q: str(cost(int(q["score"]))),
    "caps": lambda q: numbers(caps(int(q["slots"]), int(q["headroom"]), [int(w) for w in q["weights"]])),
}


def answer_query(asked, q):
    try:
        if q["op"] in FUNCTION_OPS:
            return FUNCTION_OPS[q["op"]](q)
        ops = TRANSITION_OPS if isinstance(asked, Transition) else CLUSTER_OPS
        return ops[q["op"]](asked, q)
    except KeysteadError as error:
        return {"error": error.code}


def answer(request):
    try:
        asked = subject(request)
    except KeysteadError as error:
        out = {"error": error.code}
        if "file" in request or "transition_file" in request:
            out["line"], out["column"] = numbers([error.line, error.column])
        return out
    return {"answers": [answer_query(asked, q) for q in request.get("queries", [])]}
