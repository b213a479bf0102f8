"""A cluster or a transition of a request as the text of a file: plain for the command, or written in a random manner and perhaps broken."""

import json

from reference_front import text


def member_values(cluster):
    """The top-level members as JSON texts, numbers of any size as their digits."""
    out = {"keystead": "1"}
    for name, value in cluster.items():
        if name in ("epoch", "tokens_per_weight", "slots", "headroom"):
            out[name] = value
        elif name == "seed":
            out[name] = f'"0x{int(value):016x}"'
        elif name == "levels":
            out[name] = json.dumps([text(level) for level in value])
        elif name in ("algorithm", "hash", "space"):
            out[name] = json.dumps(value)
    return out


def node_values(node):
    out = {}
    for name, value in node.items():
        if name == "weight":
            out[name] = value
        elif name == "meta":
            out[name] = json.dumps({text(a): text(b) for a, b in value})
        elif name in ("location", "tokens"):
            out[name] = json.dumps([text(part) for part in value])
        else:
            out[name] = json.dumps(text(value))
    return out


def joined(members):
    return "{" + ", ".join(f"{json.dumps(name)}: {value}" for name, value in members.items()) + "}"


def plain_file(cluster):
    members = member_values(cluster)
    members["nodes"] = "[" + ",\n".join(joined(node_values(node)) for node in cluster["nodes"]) + "]"
    return joined(members)


def plain_transition_file(transition):
    inside = {name: transition[name] for name in ("part", "of")} | {side: plain_file(transition[side]) for side in ("before", "after")}
    outer = {"keystead": "1"} | {name: transition[name] for name in ("epoch",) if name in transition}
    return joined(outer | {"transition": joined(inside)})


def dressed_string(dice, string):
    """A JSON string for these characters, some of them as escapes."""
    out = []
    for c in string:
        units = c.encode("utf-16-be")
        escaped = "".join(f"\\u{int.from_bytes(units[i : i + 2], 'big'):04{dice.pick('xX')}}" for i in range(0, len(units), 2))
        plain = json.dumps(c)[1:-1] if ord(c) < 0x20 or c in '"\\' else c
        out.append(escaped if dice.chance(8) else plain)
    return '"' + "".join(out) + '"'


def dressed(dice, value):
    """The JSON text with other white space, escapes and order of members; the values stay."""

    def blank():
        return dice.pick(["", "", "", " ", "\n", "\t", "\r\n", "  \n "])

    if isinstance(value, dict):
        names = dice.sample(list(value), len(value))
        inside = [blank() + dressed_string(dice, name) + blank() + ":" + blank() + dressed(dice, value[name]) + blank() for name in names]
        return "{" + (",".join(inside) or blank()) + "}"
    if isinstance(value, list):
        return "[" + (",".join(blank() + dressed(dice, item) + blank() for item in value) or blank()) + "]"
    if isinstance(value, str):
        return dressed_string(dice, value)
    return json.dumps(value)


def random_file(dice, cluster):
    return dressed(dice, json.loads(plain_file(cluster)))


def random_transition_file(dice, transition):
    whole = json.loads(plain_transition_file(transition))
    if dice.chance(30):
        whole["comment"] = dice.pick(["", "step", "\u0000", "\U0001f600 \u00e9"])
    return dressed(dice, whole)


BITS = ["", "", '"', "{", "}", "[", "]", ",", ":", "\\", "0", "1", "-", ".", "e", "null", "true", " ", "\n", "\u00e9", "\U0001f600", "\\ud800", "\x00"]


def broken_file(dice, content):
    """The file with one place damaged: usually refused, sometimes still good."""
    # The opening brace stays: without it there are two faults, the value and what follows it.
    at = dice.between(1, len(content) - 1)
    damaged = content[:at] + dice.pick(BITS) + content[at + dice.below(2) :]
    data = damaged.encode("utf-8")
    if dice.chance(10):
        at = dice.below(len(data))
        data = data[:at] + bytes([dice.pick([0x80, 0xFF, 0xC3, 0xED])]) + data[at:]
    return data
