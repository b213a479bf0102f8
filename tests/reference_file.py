"""Cluster files (section 10), read strictly and written plainly.

Reading has three steps: bytes to characters, characters to a tree in which every value knows where it stands, the tree to a cluster. A stock parser would lose repeated names, the
form of numbers and the places. Written from the protocol's text; standard library only.
"""

import json
import re
import sys

from reference import Cluster, Node
from reference_values import KeysteadError, text_bytes

sys.set_int_max_str_digits(0)  # digits are read without wrapping, however many

WHITE = " \t\n\r"
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
DEEPEST = 16


class Value:
    """One JSON value: kind is object, array, text, number, true, false or null. An object holds (name, place of the name, Value) as written, repeated names included."""

    def __init__(self, kind, at, content=None, depth=0):
        self.kind, self.at, self.content, self.depth = kind, at, content, depth


def fault(text, at, message):
    """invalid_file at character `at` of the text: lines end at LF, columns count code points, both from 1."""
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return KeysteadError("invalid_file", message, line, column)


def decode(data):
    """Step one. A byte-order mark is a fault at the first character."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8")
        raise fault(good, len(good), "ill-formed UTF-8") from None
    if text.startswith("\ufeff"):
        raise fault(text, 0, "byte-order mark")
    return text


# Step two: RFC 8259, to the letter and no further. Nesting is walked with a stack of its own, so that no depth is too deep to be judged.


def skip_white(text, at):
    while at < len(text) and text[at] in WHITE:
        at += 1
    return at


def read_string(text, start):
    """The string whose opening quote is at `start`, and the place behind it. Lone surrogates stay in it, to be judged later."""
    out = []
    at = start + 1
    while at < len(text) and text[at] != '"':
        c = text[at]
        if ord(c) < 0x20:
            raise fault(text, start, "control character in a string")
        if c != "\\":
            out.append(c)
            at += 1
            continue
        letter = text[at + 1 : at + 2]
        if letter == "u":
            digits = text[at + 2 : at + 6]
            if not re.fullmatch("[0-9a-fA-F]{4}", digits):
                raise fault(text, start, "malformed escape")
            out.append(chr(int(digits, 16)))
            at += 6
        elif letter in ESCAPES and letter != "":
            out.append(ESCAPES[letter])
            at += 2
        else:
            raise fault(text, start, "malformed escape")
    if at >= len(text):
        raise fault(text, start, "unfinished string")
    joined = "".join(out)
    # Two escapes may be the two halves of one character.
    return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass"), at + 1


def read_scalar(text, at):
    if text[at : at + 1] == '"':
        string, end = read_string(text, at)
        return Value("text", at, string), end
    for word in ["true", "false", "null"]:
        if text.startswith(word, at):
            return Value(word, at), at + len(word)
    token = re.compile(r"[-+.0-9eE]*").match(text, at).group()
    if not token or not NUMBER.fullmatch(token):
        raise fault(text, at, "a value is expected")
    return Value("number", at, token), at + len(token)


def read_name(text, at, container):
    """A member's name and the colon behind it."""
    if text[at : at + 1] != '"':
        raise fault(text, at, "a name is expected")
    name, end = read_string(text, at)
    colon = skip_white(text, end)
    if text[colon : colon + 1] != ":":
        raise fault(text, colon, "':' is expected")
    container.content.append((name, at, None))
    return skip_white(text, colon + 1)


def put(container, value):
    if container.kind == "object":
        name, name_at, _ = container.content[-1]
        container.content[-1] = (name, name_at, value)
    else:
        container.content.append(value)


def parse(text):
    at = skip_white(text, 0)
    root = Value("root", at, [])  # stands around the one value
    open_containers = [root]
    while True:
        # A value starts here.
        container = open_containers[-1]
        c = text[at : at + 1]
        if c in ("{", "["):
            value = Value("object" if c == "{" else "array", at, [], len(open_containers))
            put(container, value)
            open_containers.append(value)
            at = skip_white(text, at + 1)
            if text[at : at + 1] != ("}" if c == "{" else "]"):
                if c == "{":
                    at = read_name(text, at, value)
                continue
        else:
            value, end = read_scalar(text, at)
            put(container, value)
            at = skip_white(text, end)
        # A value has ended, or a container stands before its closing bracket: close what closes here, then go on behind a comma.
        while True:
            container = open_containers[-1]
            c = text[at : at + 1]
            if container is root:
                if at < len(text):
                    raise fault(text, at, "nothing may follow")
                return root.content[0]
            if c == ("}" if container.kind == "object" else "]"):
                open_containers.pop()
                at = skip_white(text, at + 1)
                continue
            if c != ",":
                raise fault(text, at, "',' or a closing bracket is expected")
            at = skip_white(text, at + 1)
            if container.kind == "object":
                at = read_name(text, at, container)
            break


def is_one(number):
    """Whether a JSON number has the value 1, however it is written: 1, 1.0, 10e-1."""
    if number.startswith("-"):
        return False
    mantissa, _, exponent = number.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    power = int(exponent or "0") - len(fraction) + len(digits) - len(digits.rstrip("0"))
    return digits.rstrip("0") == "1" and power == 0


def judge_version(text, root):
    """Judged before all else that is well-formed: one top-level `keystead` that is a number of another value than 1."""
    if root.kind != "object":
        raise fault(text, root.at, "one object is expected")
    versions = [value for name, _, value in root.content if name == "keystead"]
    if len(versions) == 1 and versions[0].kind == "number" and not is_one(versions[0].content):
        raise KeysteadError("unsupported_version", versions[0].content)


# Step three: the tree to a cluster.


class Reader:
    def __init__(self, text):
        self.text = text

    def wrong(self, value, message):
        return fault(self.text, value.at, message)

    def check_everywhere(self, root):
        """null, nesting above 16 and lone surrogates are refused wherever they stand."""
        waiting = [root]
        while waiting:
            value = waiting.pop()
            if value.kind == "null":
                raise self.wrong(value, "null")
            if value.depth > DEEPEST:
                raise self.wrong(value, f"nested deeper than {DEEPEST}")
            if value.kind == "text":
                text_bytes(value.content)
            if value.kind == "array":
                waiting += reversed(value.content)
            if value.kind == "object":
                for name, _, _ in value.content:
                    text_bytes(name)
                waiting += [member for _, _, member in reversed(value.content)]

    def members(self, value, required=(), known=None):
        """The members by name; `known` None takes any name."""
        if value.kind != "object":
            raise self.wrong(value, "an object is expected")
        found = {}
        for name, name_at, member in value.content:
            if name in found or (known is not None and name not in known):
                raise fault(self.text, name_at, "unknown or repeated member")
            found[name] = member
        if any(name not in found for name in required):
            raise self.wrong(value, "a member is missing")
        return found

    def text_of(self, value):
        if value.kind != "text":
            raise self.wrong(value, "a text is expected")
        return value.content

    def number(self, value):
        if value.kind != "number" or not re.fullmatch("0|[1-9][0-9]*", value.content):
            raise self.wrong(value, "0 or digits without leading zero are expected")
        return int(value.content)

    def decimal_text(self, value):
        if not re.fullmatch("0|[1-9][0-9]*", self.text_of(value)):
            raise self.wrong(value, "a text of decimal digits without leading zero is expected")
        return int(value.content)

    def seed(self, value):
        if not re.fullmatch("0x[0-9a-fA-F]{16}", self.text_of(value)):
            raise self.wrong(value, "0x and 16 hex digits are expected")
        return int(value.content, 16)

    def list_of(self, value, read):
        if value.kind != "array":
            raise self.wrong(value, "an array is expected")
        return [read(item) for item in value.content]

    def meta(self, value):
        return {name: self.text_of(member) for name, member in self.members(value).items()}

    def read_members(self, found, readers):
        return {name: readers[name](member) for name, member in found.items() if name in readers}

    def node(self, value):
        if value.kind == "text":
            return {"id": value.content}
        readers = {
            "id": self.text_of,
            "weight": self.number,
            "location": lambda v: self.list_of(v, self.text_of),
            "tokens": lambda v: self.list_of(v, self.decimal_text),
            "address": self.text_of,
            "meta": self.meta,
            "comment": self.text_of,
        }
        return self.read_members(self.members(value, ["id"], readers), readers)

    def cluster(self, root):
        readers = {
            "keystead": self.number,
            "algorithm": self.text_of,
            "hash": self.text_of,
            "seed": self.seed,
            "epoch": self.number,
            "levels": lambda v: self.list_of(v, self.text_of),
            "comment": self.text_of,
            "tokens_per_weight": self.number,
            "space": self.decimal_text,
            "slots": self.number,
            "headroom": self.number,
            "nodes": lambda v: self.list_of(v, self.node),
        }
        return self.read_members(self.members(root, ["keystead", "nodes"], readers), readers)


def from_json(data, secret=None):
    text = decode(data)
    root = parse(text)
    judge_version(text, root)
    reader = Reader(text)
    reader.check_everywhere(root)
    # Everything of a wrong form is found before anything of a wrong value.
    given = reader.cluster(root)
    del given["keystead"]
    nodes = [Node(**node) for node in given.pop("nodes")]
    return Cluster(nodes, secret=secret, **given)


def to_json(cluster):
    out = {"keystead": 1, "algorithm": cluster.algorithm, "hash": cluster.hash.name}
    if cluster.hash.seed is not None:
        out["seed"] = f"0x{cluster.hash.seed:016x}"
    for name in ["epoch", "levels", "comment", "slots", "headroom"]:
        if getattr(cluster, name) is not None:
            out[name] = getattr(cluster, name)
    if cluster.space is not None:
        out["space"] = str(cluster.space)
    explicit = any(node.tokens is not None for node in cluster.nodes)
    if cluster.tokens_per_weight is not None and not explicit:
        out["tokens_per_weight"] = cluster.tokens_per_weight
    out["nodes"] = []
    for node in cluster.nodes:
        written = {"id": node.id, "weight": node.weight, "location": list(node.location)}
        if node.tokens is not None:
            written["tokens"] = [str(token) for token in node.tokens]
        for name in ["address", "comment"]:
            if getattr(node, name) is not None:
                written[name] = getattr(node, name)
        if node.meta:
            written["meta"] = node.meta
        out["nodes"].append(written)
    return json.dumps(out, ensure_ascii=False)
