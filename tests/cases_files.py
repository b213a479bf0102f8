"""Cases for cluster files (section 10), good and bad, with the line and column where the protocol leaves no choice of them."""

import json

from dice import query, rewrite

SECRET = "000102030405060708090a0b0c0d0e0f"
INSIDE = [query("fingerprint"), query("nodes"), query("properties")]
HELD = [query("ids"), query("fingerprint"), query("properties"), query("nodes"), query("owner", key={"text": "user:42"}), rewrite({}, *INSIDE)]

FULL = """{
  "keystead": 1,
  "algorithm": "rendezvous-1",
  "hash": "xxh3",
  "seed": "0x0000000000000000",
  "epoch": 42,
  "levels": ["region", "zone"],
  "comment": "free text",
  "nodes": ["cache-a", {"id": "cache-b", "weight": 2, "location": ["eu-1", "eu-1a"], "address": "10.7.0.2:11211", "meta": {"rack": "r7"}, "comment": "ssd"}]
}
"""


def file(content, **fields):
    return {"file": {"text": content} if isinstance(content, str) else {"hex": content.hex()}} | fields


def with_members(members):
    """A small file with further top-level members, written before the nodes."""
    return '{"keystead": 1, ' + members + (", " if members else "") + '"nodes": ["a", "b"]}'


def with_node(content):
    return '{"keystead": 1, "nodes": ["a", ' + content + "]}"


def with_ring(first, second, members='"algorithm": "ring-1"'):
    return '{"keystead": 1, ' + members + ', "nodes": [{"id": "a", "tokens": ' + first + '}, {"id": "b", "tokens": ' + second + "}]}"


GOOD = [
    FULL,
    FULL.replace("\n", "\r\n"),
    '{"keystead":1,"nodes":["a"]}',
    " \t\r\n{ \"keystead\" : 1 , \"nodes\" : [ \"a\" ] } \n\n",
    '{"nodes": ["b", "a"], "keystead": 1}',
    '{"\\u006beystead": 1, "n\\u006fdes": ["\\u0061", "b"]}',
    with_members('"algorithm": "rendezvous-1", "hash": "xxh64", "seed": "0xFFFFFFFFFFFFFFFF"'),
    with_members('"seed": "0xabcdefABCDEF0123"'),
    with_members('"seed": "0x0020000000000001"'),
    with_members('"epoch": 0'),
    with_members('"epoch": 9007199254740991'),
    with_members('"comment": ""'),
    with_members('"comment": "\\u0000\\"\\\\\\/\\b\\f\\n\\r\\t \\ud83d\\ude00 \U0001f600"'),
    with_members('"levels": ["a", "b", "c", "d", "e", "f", "g", "h"]'),
    with_node('{"id": "b", "weight": 0}'),
    with_node('{"id": "b", "weight": 4294967295}'),
    with_node('{"id": "\\ud83d\\ude00"}'),
    with_node('{"id": "\U0001f600"}'),
    with_node('{"id": "\\uFFFF\\u00e9"}'),
    with_node('{"id": "b", "location": []}'),
    with_node('{"id": "b", "location": ["1", "2", "3", "4", "5", "6", "7", "8"]}'),
    with_node('{"id": "b", "meta": {}}'),
    with_node('{"id": "b", "meta": {"": "", "\\u0000": "\\u0000", "__proto__": "x", "z": "1", "\U0001f600": "2", "\\uff5e": "3"}}'),
    with_node('{"id": "b", "address": "", "comment": "\\u0000"}'),
    with_node('{"comment": "first", "id": "b"}'),
    with_ring('["5"]', '["0", "18446744073709551615"]'),
    with_ring('["5"]', '["0", "9"]', '"algorithm": "ring-1", "space": "10"'),
    with_ring('["5"]', '["9007199254740993"]', '"algorithm": "ring-1", "space": "18446744073709551615"'),
    with_members('"algorithm": "ring-1", "tokens_per_weight": 3'),
    with_members('"algorithm": "ring-1"'),
    with_members('"algorithm": "slots-1"'),
    with_members('"algorithm": "slots-1", "slots": 271, "headroom": 0'),
    with_members('"algorithm": "slots-1", "slots": 4194304'),
    with_members('"algorithm": "slots-1", "slots": 1, "headroom": 1000'),
    '{"keystead": 1, "algorithm": "hierarchy-1", "levels": ["zone"], "nodes": [{"id": "a", "location": ["x"]}, {"id": "b", "location": ["y"], "weight": 0}]}',
]

# One fault each, and its place known: the third line's fault is at line 3.
BAD = [
    "",
    " ",
    "\n\n",
    "{",
    "{}",
    "[]",
    "1",
    '"keystead"',
    "null",
    "true",
    '{"keystead": 1}',
    '{"nodes": ["a"]}',
    '{"keystead": 1, "nodes": ["a"]',
    '{"keystead": 1, "nodes": ["a"',
    '{"keystead": 1, "nodes": ["a", ',
    '{"keystead": 1, "nodes": ["a"]} x',
    '{"keystead": 1, "nodes": ["a"]}{}',
    '{"keystead": 1, "nodes": ["a"]}\n\n}',
    '{"keystead": 1, "nodes": ["a"],}',
    '{"keystead": 1, "nodes": ["a",]}',
    '{"keystead": 1, "nodes": [,"a"]}',
    '{"keystead": 1 "nodes": ["a"]}',
    '{"keystead" 1, "nodes": ["a"]}',
    '{keystead: 1, "nodes": ["a"]}',
    "{'keystead': 1, \"nodes\": [\"a\"]}",
    '{"keystead": 1, // no comments\n"nodes": ["a"]}',
    '{"keystead": 1, /* none */ "nodes": ["a"]}',
    '{"keystead": 1, "nodes": ["a]}',
    '{"keystead": 1, "nodes": ["a\n"]}',
    '{"keystead": 1, "nodes": ["a\t"]}',
    '{"keystead": 1, "nodes": ["a\\x"]}',
    '{"keystead": 1, "nodes": ["a\\u12"]}',
    '{"keystead": 1, "nodes": ["a\\u12g4"]}',
    '{"keystead": 1, "nodes": ["a\\U0041"]}',
    '{"keystead": 1, "nodes": ["a"], "comment": nul}',
    '{"keystead": 1, "nodes": ["a"], "epoch": True}',
    '{"keystead": 1, "nodes": ["a"], "epoch": NaN}',
    '{"keystead": 1, "nodes": ["a"], "epoch": Infinity}',
    '{"keystead": 1, "nodes": ["a"], "epoch": -Infinity}',
    '{"keystead": 1, "nodes": ["a"], "epoch": 042}',
    '{"keystead": 1, "nodes": ["a"], "epoch": 00}',
    '{"keystead": 1, "nodes": ["a"], "epoch": +1}',
    '{"keystead": 1, "nodes": ["a"], "epoch": .5}',
    '{"keystead": 1, "nodes": ["a"], "epoch": 1.}',
    '{"keystead": 1, "nodes": ["a"], "epoch": 1e}',
    '{"keystead": 1, "nodes": ["a"], "epoch": -}',
    # Well-formed JSON, but no cluster file.
    '{"keystead": 1, "nodes": ["a"], "epoch": -1}',
    '{"keystead": 1, "nodes": ["a"], "epoch": -0}',
    '{"keystead": 1, "nodes": ["a"], "epoch": 1.0}',
    '{"keystead": 1, "nodes": ["a"], "epoch": 1e0}',
    '{"keystead": 1, "nodes": ["a"], "epoch": 1E2}',
    '{"keystead": 1, "nodes": ["a"], "epoch": "42"}',
    '{"keystead": 1, "nodes": ["a"], "epoch": null}',
    '{"keystead": 1, "nodes": ["a"], "epoch": true}',
    '{"keystead": 1, "nodes": ["a"], "epoch": [42]}',
    '{"keystead": 1.0, "nodes": ["a"]}',
    '{"keystead": 1e0, "nodes": ["a"]}',
    '{"keystead": 10e-1, "nodes": ["a"]}',
    '{"keystead": "1", "nodes": ["a"]}',
    '{"keystead": "2", "nodes": ["a"]}',
    '{"keystead": true, "nodes": ["a"]}',
    '{"keystead": null, "nodes": ["a"]}',
    '{"keystead": [1], "nodes": ["a"]}',
    '{"keystead": 1, "nodes": null}',
    '{"keystead": 1, "nodes": "a"}',
    '{"keystead": 1, "nodes": {"a": 1}}',
    '{"keystead": 1, "nodes": {}}',
    '{"keystead": 1, "nodes": [null]}',
    '{"keystead": 1, "nodes": [1]}',
    '{"keystead": 1, "nodes": ["a", true]}',
    '{"keystead": 1, "nodes": ["a", ["b"]]}',
    '{"keystead": 1, "nodes": ["a", {}]}',
    '{"keystead": 1, "nodes": ["a", {"weight": 2}]}',
    '{"keystead": 1, "nodes": ["a"], "extra": 1}',
    '{"keystead": 1, "nodes": ["a"], "Epoch": 1}',
    '{"keystead": 1, "nodes": ["a"], "secret": "000102030405060708090a0b0c0d0e0f"}',
    '{"keystead": 1, "nodes": ["a"], "tokensPerWeight": 1}',
    '{"keystead": 1, "nodes": ["a"], "epoch\\u0000": 1}',
    '{"keystead": 1, "keystead": 1, "nodes": ["a"]}',
    '{"keystead": 1, "nodes": ["a"], "nodes": ["a"]}',
    '{"keystead": 1, "nodes": ["a"], "n\\u006fdes": ["b"]}',
    '{"keystead": 1, "nodes": ["a"], "comment": "x", "comment": "x"}',
    '{"keystead": 1, "nodes": ["a"], "comment": 1}',
    '{"keystead": 1, "nodes": ["a"], "algorithm": 1}',
    '{"keystead": 1, "nodes": ["a"], "hash": ["xxh3"]}',
    '{"keystead": 1, "nodes": ["a"], "levels": "zone"}',
    '{"keystead": 1, "nodes": ["a"], "levels": [1]}',
    '{"keystead": 1, "nodes": ["a"], "levels": ["zone", null]}',
    *[with_members(f'"seed": {seed}') for seed in ['0', '"0"', '"0x"', '"0x0"', '"0x00000000000000000"', '"0X0000000000000000"', '"0000000000000000"', '"0x000000000000000g"', '" 0x0000000000000000"', '"0x00000000000000\\u00e9"', '"-0x000000000000000"', 'null', '"0x000000000000000\\u0660"']],
    *[with_members(f'"algorithm": "slots-1", "slots": {slots}') for slots in ['"1"', "1.5", "-1", "null", "[]", "1e3"]],
    *[with_members(f'"algorithm": "slots-1", "headroom": {headroom}') for headroom in ['"5"', "0.5", "-1", "null"]],
    *[with_members(f'"algorithm": "ring-1", "tokens_per_weight": {n}') for n in ['"160"', "-1", "1.5", "null"]],
    *[with_ring('["5"]', '["6"]', f'"algorithm": "ring-1", "space": {space}') for space in ["32", '"032"', '"-32"', '"+32"', '"32 "', '""', '"0x20"', '"1e3"', "null", '"\\u0663\\u0662"']],
    *[with_ring('["5"]', tokens) for tokens in ["[6]", "6", '"6"', "null", "{}", '["06"]', '["-6"]', '["6.0"]', '[" 6"]', '[""]', '["6", null]', '["0x6"]']],
    *[with_node('{"id": "b", ' + member + "}") for member in ['"weight": "2"', '"weight": 1.5', '"weight": -1', '"weight": -0', '"weight": 2.0', '"weight": 1e3', '"weight": null', '"weight": true', '"weight": 02', '"location": "x"', '"location": [1]', '"location": null', '"location": ["x", null]', '"location": {}', '"address": 1', '"address": null', '"meta": []', '"meta": null', '"meta": {"a": 1}', '"meta": {"a": null}', '"meta": {"a": {"b": "c"}}', '"meta": {"a": "1", "a": "2"}', '"meta": {"a": "1", "\\u0061": "2"}', '"comment": 1', '"comment": []', '"id": "b"', '"name": "c"', '"port": 1', '"weight": 1, "weight": 1', '"Weight": 1']],
    with_node('{"id": 5}'),
    with_node('{"id": null}'),
    with_node('{"id": ["b"]}'),
    # Places: lines end at LF only, columns count code points.
    '{"keystead": 1,\n "nodes": ["a"],\n  "extra": 1}',
    '{"keystead": 1,\r\n"nodes": ["a"],\r\n"extra": 1}',
    '{"keystead": 1,\r"nodes": ["a"],\r"extra": 1}',
    '{"comment": "\u00e9\u0645\U0001f600e\u0301", "extra": 1, "keystead": 1, "nodes": ["a"]}',
    '{"comment": "\u2028\u2029\u0085", "extra": 1, "keystead": 1, "nodes": ["a"]}',
    '{"keystead": 1, "nodes": [\n"a",\n{"id": "\U0001f600", "weight": null}]}',
    '{"keystead": 1, "nodes": ["a"]}\n\u00a0',
    '\u00a0{"keystead": 1, "nodes": ["a"]}',
    '\u2003{"keystead": 1, "nodes": ["a"]}',
    '{"keystead": 1,\u00a0"nodes": ["a"]}',
    '{"keystead": 1, "nodes": ["a"]}\u0000',
    '{"keystead": 1, "nodes": ["a"]}\x0b',
]  # fmt: skip

BYTES = [
    b"\xef\xbb\xbf" + b'{"keystead": 1, "nodes": ["a"]}',
    b'{"keystead": 1, "nodes": ["a\xff"]}',
    b'{"keystead": 1, "nodes": ["\xc3\x28"]}',
    b'{"keystead": 1, "nodes": ["\xed\xa0\xbd"]}',
    b'{"keystead": 1, "nodes": ["\xf5\x80\x80\x80"]}',
    b'{"keystead": 1, "nodes": ["\xc0\xaf"]}',
    b'{"keystead": 1, "nodes": ["\xe2\x82"]}',
    b'{"keystead": 1,\n "nodes": ["\xc3\xa9\xf0\x9f\x98\x80\x80"]}',
    b'{"keystead": 1, "nodes": ["a"]}\xfe',
    '{"keystead": 1, "nodes": ["a"]}'.encode("utf-16"),
]

# Refused with a code of their own, or with invalid_file at a place that is not stated here (two faults, or a place the protocol does not fix).
CODED = [
    *['{"keystead": %s, "nodes": ["a"]}' % version for version in ["0", "2", "-1", "1.5", "2.0", "10", "1e1", "1e-1", "0.1", "1.00000000000000000000000000001", "18446744073709551617", "4294967297", "9" * 400, "1e999999999999999999999", "-0", "0e0", "0.10e2"]],
    '{"keystead": 2}',
    '{"anything": null, "keystead": 2, "nodes": null, "deep": ' + "[" * 40 + "]" * 40 + "}",
    '{"keystead": 2, "x": 1, "x": 2, "number": -1.5e3, "lone": "\\ud800"}',
    '{"nodes": [{"keystead": 1}], "k\\u0065ystead": 3}',
    # Not judged by version: two of them, not well-formed, or no number.
    '{"keystead": 2, "keystead": 2, "nodes": ["a"]}',
    '{"keystead": 1, "keystead": 2, "nodes": ["a"]}',
    '{"keystead": 2, "nodes": ["a"]',
    '{"keystead": 2, "nodes": ["a"]} x',
    '{"keystead": 02, "nodes": ["a"]}',
    '[{"keystead": 2}]',
    '{"x": {"keystead": 2}, "nodes": ["a"]}',
    '{"keystead": 1, "nodes": ["a"], "deep": ' + "[" * 15 + "]" * 15 + "}",
    '{"keystead": 1, "nodes": ["a"], "deep": ' + "[" * 16 + "]" * 16 + "}",
    '{"keystead": 1, "nodes": ["a"], "deep": ' + "[" * 3000 + "]" * 3000 + "}",
    '{"keystead": 1, "nodes": ["a"], "deep": ' + '{"a": ' * 3000 + "1" + "}" * 3000 + "}",
    "[" * 3000,
    '{"keystead": 1, "nodes": ' + "[" * 20 + '"a"' + "]" * 20 + "}",
    # Lone surrogates, escaped.
    *[with_node('{"id": "b", ' + member + "}") for member in ['"comment": "\\ud800"', '"address": "\\udfff"', '"location": ["\\ud83d"]', '"meta": {"a": "\\ud83d"}', '"meta": {"\\ud83d": "a"}']],
    *['{"keystead": 1, "nodes": ["%s"]}' % text for text in ["\\ud83d", "\\ude00", "\\ude00\\ud83d", "\\ud83d\\ud83d\\ude00", "a\\ud83dx", "\\uD83D\\u0041"]],
    with_members('"comment": "\\ud83d"'),
    with_members('"levels": ["\\ud83d"]'),
    # Of the right form, and unknown or out of range.
    *[with_node('{"id": "b", "weight": %s}' % weight) for weight in ["4294967296", "4294967297", "9007199254740993", "18446744073709551616", "18446744073709551617", "1" + "0" * 400]],
    with_ring('["5"]', "[]"), with_ring('["5"]', '["6", "6"]'), with_ring('["5"]', '["18446744073709551616"]'), with_ring('["5"]', '["18446744073709551621"]'), with_ring('["5"]', '["1' + "0" * 400 + '"]'),
    with_ring('["5"]', '["5"]'), with_ring('["5"]', '["32"]', '"algorithm": "ring-1", "space": "32"'), with_ring('["5"]', '["6"]', '"algorithm": "ring-1", "tokens_per_weight": 1'), with_ring('["5"]', '["6"]', '"algorithm": "rendezvous-1"'),
    *[with_ring('["0"]', '["1"]', f'"algorithm": "ring-1", "space": "{space}"') for space in ["0", "1", "18446744073709551616", "18446744073709551618", "1" + "0" * 400]],
    '{"keystead": 1, "algorithm": "ring-1", "nodes": ["a", {"id": "b", "tokens": ["6"]}]}',
    '{"keystead": 1, "algorithm": "ring-1", "nodes": [{"id": "a", "tokens": ["5"]}, {"id": "b", "weight": 2, "tokens": ["6"]}]}',
    '{"keystead": 1, "algorithm": "ring-1", "space": "32", "nodes": ["a"]}',
    '{"keystead": 1, "algorithm": "ring-1", "tokens_per_weight": 65536, "nodes": [{"id": "a", "weight": 1025}]}',
    '{"keystead": 1, "algorithm": "ring-1", "nodes": [{"id": "a", "weight": 4294967295}, {"id": "b", "weight": 4294967295}]}',
    *[with_members(members) for members in [
        '"algorithm": "rendezvous-2"', '"algorithm": ""', '"algorithm": "Rendezvous-1"', '"algorithm": "jump"', '"hash": "md5"', '"hash": "XXH3"', '"hash": ""', '"epoch": 9007199254740992', '"epoch": 18446744073709551616', '"epoch": 1' + "0" * 400,
        '"levels": []', '"levels": ["a", "a"]', '"levels": ["a", "\\u0061"]', '"levels": [""]', '"levels": ["a\\u0000"]', '"levels": ["1", "2", "3", "4", "5", "6", "7", "8", "9"]',
        '"slots": 16', '"headroom": 5', '"tokens_per_weight": 160', '"space": "32"', '"algorithm": "ring-1", "slots": 16', '"algorithm": "ring-1", "headroom": 0', '"algorithm": "slots-1", "tokens_per_weight": 1',
        '"algorithm": "slots-1", "slots": 0', '"algorithm": "slots-1", "slots": 4194305', '"algorithm": "slots-1", "slots": 4294967297', '"algorithm": "slots-1", "slots": 18446744073709551617', '"algorithm": "slots-1", "headroom": 1001', '"algorithm": "slots-1", "headroom": 4294967296',
        '"algorithm": "ring-1", "tokens_per_weight": 0', '"algorithm": "ring-1", "tokens_per_weight": 65537', '"algorithm": "ring-1", "tokens_per_weight": 4294967297', '"algorithm": "ring-1", "tokens_per_weight": 18446744073709551617',
        '"algorithm": "hierarchy-1"', '"hash": "sip13"',
    ]],
    '{"keystead": 1, "nodes": []}',
    '{"keystead": 1, "nodes": [{"id": "a", "weight": 0}]}',
    '{"keystead": 1, "nodes": ["a", "b", "a"]}',
    '{"keystead": 1, "nodes": ["a", {"id": "\\u0061", "weight": 0}]}',
    '{"keystead": 1, "nodes": [""]}',
    '{"keystead": 1, "nodes": ["a\\u0000"]}',
    '{"keystead": 1, "nodes": ["\\u001f"]}',
    '{"keystead": 1, "nodes": ["\\n"]}',
    '{"keystead": 1, "nodes": ["\x7f"]}',
    '{"keystead": 1, "nodes": ["' + "x" * 65536 + '"]}',
    with_node('{"id": "b", "location": [""]}'),
    with_node('{"id": "b", "location": ["a\\t"]}'),
    with_node('{"id": "b", "location": ["1", "2", "3", "4", "5", "6", "7", "8", "9"]}'),
    '{"keystead": 1, "algorithm": "hierarchy-1", "nodes": [{"id": "a", "location": ["x"]}, {"id": "b", "location": ["x", "y"]}]}',
    '{"keystead": 1, "algorithm": "hierarchy-1", "nodes": [{"id": "a", "location": ["x"]}, {"id": "b", "weight": 0}]}',
]  # fmt: skip


def secrets():
    keyed = with_members('"hash": "sip13"')
    out = [file(keyed, secret=secret, queries=HELD[:-1] + [rewrite({"secret": secret}, *INSIDE)]) for secret in [SECRET, "ff" * 16]]
    out += [file(keyed, secret=wrong) for wrong in ["", "00" * 15, "00" * 17]]
    out += [file(with_members('"hash": "sip13", "seed": "0x0000000000000000"'), secret=SECRET), file(with_members(""), secret=SECRET), file(with_members('"hash": "xxh64"'), secret=SECRET)]
    return out


def carried():
    """What is carried comes back as it was, through a change of other nodes as well."""
    changed = [query("with_node", node={"id": "x"}, queries=HELD[:4]), query("with_weight", id="cache-a", weight=5, queries=HELD[:4]), query("without_node", id="cache-a", queries=HELD[:4])]
    return [file(FULL, queries=HELD + changed)]


def files():
    """Cluster files: good ones and what they hold, bad ones with their code and, for one fault, its line and column."""
    out = [file(content, queries=HELD) for content in GOOD] + carried() + secrets()
    many = {"keystead": 1, "nodes": [{"id": f"n{i}", "weight": i % 4, "location": [f"z{i % 3}"], "meta": {"i": str(i)}} for i in range(100)]}
    out.append(file(json.dumps(many), queries=[query("fingerprint"), query("owner", key={"text": "a"}), query("rewrite", queries=[query("fingerprint")])]))
    out.append(file('{"keystead": 1, "nodes": ["\u00e9"]}'.encode(), queries=HELD[:2]))
    out += [file(content) for content in BAD] + [file(content) for content in BYTES]
    return out + [file(content, position=False) for content in CODED]
