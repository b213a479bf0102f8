"""From a request to its answer, both as tests/README.md of the project describes them; the vectors and cross.py are asked through this one function."""

import hashlib
from typing import Any, Callable

import keystead
from keystead import Cluster, KeysteadError, Node, Transition

Json = Any
Subject = Cluster | Transition

BAD_KEYS = {"float": 1.5, "nan": float("nan"), "bool": True, "null": None, "object": {}, "lone_surrogate": "\ud800"}

# ---- tagged values to Python's own


def text(value: Json) -> str:
    if isinstance(value, str):
        return value
    if "repeat" in value:
        return value["repeat"] * int(value["times"])
    assert value == {"bad": "lone_surrogate"}, value
    return "\ud800"


def texts(values: Json) -> list[str]:
    return [text(value) for value in values]


def whole(value: Json) -> int | None:
    return None if value is None else int(value)


def key(value: Json) -> Any:
    ((tag, content),) = value.items()
    match tag:
        case "text":
            return text(content)
        case "hex":
            return bytes.fromhex(content)
        case "int":
            return int(content)
        case "seq":
            return tuple(key(item) for item in content)
        case "bad":
            return BAD_KEYS[content]
    raise AssertionError(value)


def keys(values: Json) -> list[Any]:
    return [key(value) for value in values]


# How each member is read; what is absent is not passed on, so that the package's own defaults are tested.
NODE_MEMBERS: dict[str, Callable[[Json], Any]] = {
    "id": text,
    "weight": int,
    "location": texts,
    "tokens": lambda tokens: [int(token) for token in tokens],
    "address": text,
    "meta": lambda pairs: {text(name): text(value) for name, value in pairs},
    "comment": text,
}
CLUSTER_MEMBERS: dict[str, Callable[[Json], Any]] = {
    "algorithm": text,
    "hash": text,
    "seed": int,
    "secret": bytes.fromhex,
    "epoch": int,
    "levels": texts,
    "tokens_per_weight": int,
    "space": int,
    "slots": int,
    "headroom": int,
}


def node(value: Json) -> Node:
    return Node(**{name: NODE_MEMBERS[name](content) for name, content in value.items()})


def cluster(value: Json) -> Cluster:
    nodes: list[str | Node] = [node(each) for each in value["nodes"]]
    if generated := value.get("generated_nodes"):
        nodes += [generated["prefix"] + str(i) for i in range(int(generated["count"]))]
    given = {name: CLUSTER_MEMBERS[name](content) for name, content in value.items() if name in CLUSTER_MEMBERS}
    return Cluster(nodes, **given)


def transition(value: Json) -> Transition:
    before = value["before"]
    always = before.get("always")
    left: Any = cluster(before) if always is None else lambda key: always
    given = {"epoch": int(value["epoch"])} if "epoch" in value else {}
    return Transition(left, cluster(value["after"]), int(value["part"]), int(value["of"]), **given)


def file(content: Json) -> str | bytes:
    return bytes.fromhex(content["hex"]) if "hex" in content else text(content["text"])


def secrets(value: Json) -> dict[str, bytes]:
    return {name: bytes.fromhex(value[name]) for name in ("secret", "before_secret", "after_secret") if name in value}


# ---- answers


def numbers(values: Any) -> list[str]:
    return [str(value) for value in values]


def node_answer(answer: Node) -> Json:
    out: dict[str, Json] = {"id": answer.id, "weight": str(answer.weight)}
    if answer.location:
        out["location"] = list(answer.location)
    if answer.tokens is not None:
        out["tokens"] = numbers(answer.tokens)
    if answer.meta:
        out["meta"] = [list(pair) for pair in answer.meta.items()]
    if answer.address is not None:
        out["address"] = answer.address
    if answer.comment is not None:
        out["comment"] = answer.comment
    return out


def properties(c: Cluster) -> Json:
    def as_text(value: int | None) -> str | None:
        return None if value is None else str(value)

    integers = {name: as_text(getattr(c, name)) for name in ("seed", "epoch", "tokens_per_weight", "space", "slots", "headroom")}
    return {"algorithm": c.algorithm, "hash": c.hash, "levels": None if c.levels is None else list(c.levels)} | integers


def slot_owners(c: Cluster) -> Json:
    index = {id: i for i, id in enumerate(c.ids)}
    packed = b"".join(index[owner].to_bytes(4, "little") for owner in c.slot_owners())
    return {"slots": str(c.slots), "sha256": hashlib.sha256(packed).hexdigest()}


def excluded(q: Json) -> dict[str, Any]:
    return {"exclude": texts(q["exclude"])} if "exclude" in q else {}


def picking(q: Json) -> dict[str, Any]:
    given = excluded(q)
    if spread := q.get("spread"):
        given["spread"] = int(spread["level"]) if "level" in spread else text(spread["name"])
    if "relaxed" in q:
        given["relaxed"] = q["relaxed"]
    return given


def hashing(q: Json) -> dict[str, Any]:
    return {name: CLUSTER_MEMBERS[name](q[name]) for name in ("hash", "seed", "secret") if name in q}


def ranking(c: Subject, q: Json) -> Json:
    limit = [int(q["limit"])] if "limit" in q else []
    return c.ranking(key(q["key"]), *limit, **excluded(q))


def change(c: Cluster, q: Json) -> Cluster:
    given: dict[str, Any] = {}
    if "add" in q:
        given["add"] = [node(each) for each in q["add"]]
    if "weight" in q:
        given["weight"] = {text(id): int(weight) for id, weight in q["weight"]}
    for name in ("remove", "drain"):
        if name in q:
            given[name] = texts(q[name])
    return c.change(**given)


def other(q: Json) -> Subject:
    return transition(q["other"]["transition"]) if "transition" in q["other"] else cluster(q["other"])


def step(t: Transition) -> Json:
    return {"part": str(t.part), "of": str(t.of), "epoch": None if t.epoch is None else str(t.epoch), "comment": t.comment}


def nested(c: Subject, q: Json) -> Json:
    return [answer_query(c, inner) for inner in q["queries"]]


def owner_many(c: Cluster, q: Json) -> Json:
    """Asked in every way there is to ask it, which must agree."""
    asked = keys(q["keys"])
    owners = c.owner_many(asked)
    assert owners == c.owner_many(tuple(asked)) == c.owner_many(iter(asked)) == [c[each] for each in asked]
    groups = c.group_by_owner(asked)
    assert list(groups) == list(c.ids)
    assert groups == {id: [each for each, owner in zip(asked, owners, strict=True) if owner == id] for id in c.ids}
    return owners


# What clusters and transitions are both asked.
OPS: dict[str, Callable[[Any, Json], Json]] = {
    "owner": lambda c, q: c.owner(key(q["key"]), **excluded(q)),
    "ranking": ranking,
    "replicas": lambda c, q: c.replicas(key(q["key"]), int(q["r"]), **picking(q)),
    "explain": lambda c, q: c.explain(key(q["key"]), int(q["r"]), **picking(q)),
    "fingerprint": lambda c, q: c.fingerprint,
    "compare": lambda c, q: c.compare(other(q)),
    "with_epoch": lambda c, q: nested(c.with_epoch(whole(q["epoch"])), q),
    "rewrite": lambda c, q: nested(type(c).from_json(c.to_json(), **secrets(q)), q),
}

TRANSITION_OPS: dict[str, Callable[[Any, Json], Json]] = OPS | {
    "candidates": lambda t, q: t.candidates(key(q["key"])),
    "passes": lambda t, q: t.passes(key(q["key"])),
    "step": lambda t, q: step(t),
    "before": lambda t, q: nested(t.before, q),
    "after": lambda t, q: nested(t.after, q),
    "at": lambda t, q: nested(t.at(int(q["part"]), int(q["of"])), q),
}

CLUSTER_OPS: dict[str, Callable[[Any, Json], Json]] = OPS | {
    "owner_many": owner_many,
    "owner_indices": lambda c, q: numbers(c.owner_indices(keys(q["keys"])).tolist()),
    "replica_indices": lambda c, q: [numbers(row) for row in c.replica_indices(keys(q["keys"]), int(q["r"])).tolist()],
    "ids": lambda c, q: list(c.ids),
    "nodes": lambda c, q: [node_answer(each) for each in c.nodes],
    "node": lambda c, q: node_answer(c.node(text(q["id"]))),
    "properties": lambda c, q: properties(c),
    "description": lambda c, q: c.description().hex(),
    "shares": lambda c, q: [[str(share.numerator), str(share.denominator)] for share in c.shares().values()],
    "slot": lambda c, q: str(c.slot(key(q["key"]))),
    "slot_indices": lambda c, q: numbers(c.slot_indices(keys(q["keys"])).tolist()),
    "slot_owners": lambda c, q: slot_owners(c),
    "slots_of": lambda c, q: numbers(c.slots_of(text(q["id"]))),
    "slot_ranking": lambda c, q: c.slot_ranking(int(q["slot"]), whole(q.get("limit"))),
    "owner_at": lambda c, q: c.owner_at(int(q["at"])),
    "arcs": lambda c, q: [[str(arc.start), str(arc.end), str(arc.length), arc.owner] for arc in c.arcs()],
    "change": lambda c, q: nested(change(c, q), q),
    "with_node": lambda c, q: nested(c.with_node(node(q["node"])), q),
    "without_node": lambda c, q: nested(c.without_node(text(q["id"])), q),
    "with_weight": lambda c, q: nested(c.with_weight(text(q["id"]), int(q["weight"])), q),
}

FUNCTIONS: dict[str, Callable[[Json], Json]] = {
    "encode_key": lambda q: keystead.encode_key(key(q["key"])).hex(),
    "rank_scores": lambda q: keystead.rank_scores((text(id), int(score), int(weight)) for id, score, weight in q["candidates"]),
    "jump": lambda q: str(keystead.jump(int(q["key"]), int(q["n"]))),
    "jump_bucket": lambda q: str(keystead.jump_bucket(key(q["key"]), int(q["n"]), **hashing(q))),
    "modulo": lambda q: str(keystead.modulo(key(q["key"]), int(q["n"]), **hashing(q))),
}

# The ops that tests/README.md gives to other fronts alone: the core's own numbers.
ELSEWHERE = {"limit", "digest", "draw", "cost", "caps"}


def guarded(answer: Callable[[], Json]) -> Json:
    try:
        return answer()
    except KeysteadError as error:
        return {"error": error.code}
    except TypeError:
        return {"error": "type_error"}
    except Exception as error:
        return {"error": f"crash: {type(error).__name__}: {error}"}


def answer_query(c: Subject | None, q: Json) -> Json:
    if q["op"] in FUNCTIONS:
        return guarded(lambda: FUNCTIONS[q["op"]](q))
    assert c is not None, q
    ops = CLUSTER_OPS if isinstance(c, Cluster) else TRANSITION_OPS
    return guarded(lambda: ops[q["op"]](c, q))


def build(request: Json) -> Subject | None:
    if "cluster" in request:
        return cluster(request["cluster"])
    if "transition" in request:
        return transition(request["transition"])
    if "transition_file" in request:
        return Transition.from_json(file(request["transition_file"]), **secrets(request))
    return Cluster.from_json(file(request["file"]), **secrets(request)) if "file" in request else None


def refusal(request: Json) -> tuple[Subject | None, Json]:
    """The subject, or None and the answer that says why it is refused."""
    try:
        return build(request), None
    except KeysteadError as error:
        answer: Json = {"error": error.code}
        if "file" in request or "transition_file" in request:
            place = {"line": error.line, "column": error.column}
            answer |= {name: None if number is None else str(number) for name, number in place.items()}
        return None, answer
    except TypeError:
        return None, {"error": "type_error"}
    except Exception as error:
        return None, {"error": f"crash: {type(error).__name__}: {error}"}


def answer(request: Json) -> Json:
    c, refused = refusal(request)
    if refused is not None:
        return refused
    return {"answers": [answer_query(c, q) for q in request["queries"]]}
