"""Cases for transitions (section 10): what passes, who answers, fingerprints and comparing, and transition files."""

from aimed import before_the_end, xxh64_ending
from cases_clusters import FIVE, KEYS, picks, rankings, ring_nodes, tree
from cases_files import BAD as BAD_FILES
from cases_files import CODED as CODED_FILES
from cases_values import BAD, COMPOSITE_KEYS, DYNAMIC, TEXTS, nest
from cross_file import plain_file
from dice import Dice, bytes_key, cluster, int_key, node, nodes, query, seq_key, text_key
from random_transitions import random_step_queries, random_transition, rewrite_step
from reference_file import parse
from reference_transition import GATE
from reference_values import KeysteadError, draw

SECRETS = ["000102030405060708090a0b0c0d0e0f", "100102030405060708090a0b0c0d0e0f"]
MOST = 2**32 - 1
MIXED = KEYS[:4] + [text_key(""), bytes_key(b"\xff\x00"), int_key(42), int_key(-1), seq_key(), seq_key(text_key("t"), int_key(7))]
PLACED = [node(f"n{i}", 1 + i % 3, [f"r{i % 2}", f"z{i % 3}"]) for i in range(6)]
BEFORE, AFTER = cluster(FIVE[:4]), cluster(FIVE[1:])


def transition(before, after, part, of, **fields):
    return {"before": before, "after": after, "part": str(part), "of": str(of)} | {name: str(value) for name, value in fields.items()}


def group(value, *queries, only=None):
    return {"transition": value} | ({} if only is None else {"only": only}) | ({"queries": list(queries)} if queries else {})


def of_keys(op, keys, **fields):
    return [query(op, key=key, **fields) for key in keys]


def everything(value, keys=MIXED):
    inside = [query("fingerprint"), query("step"), *of_keys("owner", keys[:2])]
    return [query("fingerprint"), query("step"), *of_keys("passes", keys), *of_keys("owner", keys), *of_keys("candidates", keys), rewrite_step(value, *inside)]


def algorithm_pairs():
    """From every algorithm to every other, and to itself."""
    kinds = [{}, {"algorithm": "ring-1", "tokens_per_weight": 4}, {"algorithm": "slots-1", "slots": 50}, {"algorithm": "hierarchy-1"}]
    out = []
    for before in kinds:
        for after in kinds:
            value = transition(cluster(PLACED[:5], **before), cluster(PLACED[1:], levels=["region", "zone"], **after), 3, 5)
            # Without a spread, and by a name that only one side knows, what is refused depends on the key.
            calls = [*picks(KEYS[:3], 2, spread={"level": "1"}), *picks(KEYS[:3], 2), *picks(KEYS[:3], 2, spread={"name": "zone"}), *picks(KEYS[:2], 3, spread={"level": "0"}, relaxed=True), *of_keys("limit", KEYS[:2], r=3, spread={"level": "0"}, relaxed=True)]
            out.append(group(value, *everything(value), *rankings(MIXED[3:7]), *calls, query("replicas", key=nest(33), r=0), query("replicas", key=nest(33), r=2, spread={"level": "0"})))
    explicit = transition(cluster(ring_nodes({"b": [3, 1, 2], "a": [9]}), algorithm="ring-1", space=10), cluster(ring_nodes({"b": [3, 1], "c": [9, 5]}), algorithm="ring-1", space=12), 1, 2)
    deep = transition(cluster(tree(2, 2), algorithm="hierarchy-1"), cluster(tree(1, 3), algorithm="hierarchy-1"), 1, 2)
    return out + [group(value, *everything(value), *rankings(KEYS[:3])) for value in [explicit, deep]]


def slot_tables():
    """Slot by slot where hash, seed or secret and count are equal, else key by key."""
    base = {"algorithm": "slots-1", "slots": 24}
    keyed = {"hash": "sip13", "secret": SECRETS[0]}
    pairs = [
        # Slot by slot: headroom, nodes, weights, locations, levels, epochs and defaults said or not may differ.
        (base, base), (base, base | {"headroom": 0}), (base | {"headroom": 5}, base | {"headroom": 1000}), (base | {"levels": ["zone"], "epoch": 1}, base | {"epoch": 2}), (base, base | {"hash": "xxh3", "seed": 0}),
        (base | {"hash": "xxh64"}, base | {"hash": "xxh64", "headroom": 0}), (base | {"seed": 7}, base | {"seed": 7}), (base | keyed, base | keyed | {"headroom": 25}), (base | {"slots": 1}, base | {"slots": 1}),
        # Key by key.
        (base, base | {"slots": 25}), (base, base | {"slots": 48}), (base, base | {"seed": 1}), (base, base | {"hash": "xxh64"}), (base | keyed, base | keyed | {"secret": SECRETS[1]}), (base | keyed, base), (base, base | keyed), (base, {}), ({}, base), ({"algorithm": "ring-1", "tokens_per_weight": 1}, base),
    ]  # fmt: skip
    keys = [text_key(f"k{i}") for i in range(14)] + [int_key(3), seq_key(int_key(3))]
    out = []
    for before, after in pairs:
        value = transition(cluster(PLACED[:4], **before), cluster(PLACED[2:], **after), 1, 2)
        out.append(group(value, *everything(value, keys), *[query("at", part=part, of=5, queries=of_keys("passes", keys)) for part in (1, 2, 4)]))
    defaults = transition(cluster(FIVE[:2], algorithm="slots-1"), cluster(FIVE[:3], algorithm="slots-1", slots=16384, headroom=50), 1, 2)
    return out + [group(defaults, *everything(defaults, keys[:6]))]


def key_with_gate(gate):
    return bytes_key(xxh64_ending(before_the_end(gate), draw(0, GATE), b""))


def fractions():
    """The ends, what is not reduced, the limits, keys with a gate exactly where a step begins."""
    value = transition(BEFORE, AFTER, 1, 2, epoch=5)
    inside = [query("step"), query("fingerprint"), *of_keys("passes", MIXED), *of_keys("owner", KEYS[:3])]
    ratios = [(0, 1), (1, 1), (1, 2), (2, 4), (3, 6), (MOST // 2, MOST), (0, MOST), (1, MOST), (MOST - 1, MOST), (MOST, MOST), (2**31, 2**31), *[(part, 7) for part in range(8)]]
    out = [group(value, *[query("at", part=part, of=of, queries=inside) for part, of in ratios])]
    out += [group(transition(BEFORE, AFTER, part, of), query("fingerprint"), *of_keys("owner", KEYS[:4])) for part, of in ratios[:10]]
    refused = [(0, 0), (1, 0), (2, 1), (3, 2), (MOST, MOST - 1), (0, 2**32), (2**32, 2**32), (2**32, MOST), (2**32 + 1, 2), (1, 2**32 + 2), (2**53 - 1, 2**53 - 1), (2**53 - 1, 1)]
    out += [group(transition(BEFORE, AFTER, part, of)) for part, of in refused] + [group(transition(BEFORE, AFTER, part, of), only=DYNAMIC) for part, of in [(-1, 2), (0, -1)]]
    out.append(group(value, *[query("at", part=part, of=of, queries=inside) for part, of in refused]))
    edges = []
    for part, of in [(1, 2), (1, 3), (2, 3), (3, 7), (1, MOST), (MOST - 1, MOST), (MOST // 3, MOST)]:
        first = -(-part * 2**64 // of)
        keys = [key_with_gate(gate) for gate in (first - 1, first, first + 1, 0, 2**64 - 1)]
        edges.append(query("at", part=part, of=of, queries=[*of_keys("passes", keys), *of_keys("owner", keys)]))
    ends = [key_with_gate(0), key_with_gate(2**64 - 1)]
    edges += [query("at", part=part, of=of, queries=of_keys("passes", ends)) for part, of in [(0, 1), (1, 1), (0, MOST), (MOST, MOST)]]
    return out + [group(value, *edges)]


def keys():
    """Composite keys pass by their encoding, text and bytes as they are."""
    every = COMPOSITE_KEYS + [text_key(text) for text in TEXTS] + [bytes_key(bytes(range(n))) for n in [3, 4, 7, 8, 31, 32, 33, 100]]
    out = [group(transition(BEFORE, AFTER, 1, 2), *of_keys("passes", every), *of_keys("owner", every[::4]), *of_keys("candidates", every[::4]))]
    ops = ["owner", "ranking", "candidates", "passes"]
    bad = [query(op, key=key) for op in ops for key in [nest(33), int_key(2**64), int_key(-(2**63) - 1)]]
    bad += [query(op, key={"bad": kind}) | {"only": DYNAMIC} for op in ops for kind in BAD + ["lone_surrogate"]]
    by_slot = transition(cluster(FIVE[:4], algorithm="slots-1", slots=9), cluster(FIVE, algorithm="slots-1", slots=9), 1, 2)
    return out + [group(transition(BEFORE, AFTER, 1, 2), *bad), group(by_slot, *bad)]


def exclusion():
    """Applies to the cluster that answers, without falling back to the other."""
    left, entered = cluster(nodes("a", "b", "c")), cluster([node("c"), node("d", 2), node("e", 0)])
    inside = []
    for exclude in [[], ["c"], ["a", "b"], ["a", "b", "c"], ["c", "d"], ["nobody", "e"], ["a", "b", "c", "d"]]:
        inside += [*of_keys("owner", KEYS[:4], exclude=exclude), *of_keys("ranking", KEYS[:4], exclude=exclude), *of_keys("replicas", KEYS[:2], r=2, exclude=exclude)]
    limits = [query("ranking", key=key, limit=limit, exclude=["a", "b", "c"]) for limit in (1, 9) for key in KEYS[:3]]
    # Rust's rankings are lazy, and know no limit.
    limits += [query("ranking", key=key, limit=0, exclude=["a", "b", "c"]) | {"only": DYNAMIC} for key in KEYS[:3]]
    return [group(transition(left, entered, 1, 2), *inside, *limits)]


def comparing():
    """By fingerprint and the outer epoch, between clusters and transitions alike."""
    before, after = BEFORE | {"epoch": "90"}, AFTER | {"epoch": "91"}
    step = transition(before, after, 1, 2, epoch=5)
    steps = [
        step, transition(BEFORE, AFTER, 1, 2), transition(after, before, 1, 2, epoch=5), transition(before, after, 2, 4, epoch=5), transition(before, after, 2, 4), *[transition(before, after, 2, 2, epoch=epoch) for epoch in (0, 4, 6, 2**53 - 1)],
        transition(cluster(list(reversed(FIVE[:4])), epoch=3), after, 1, 2, epoch=4), transition(before, cluster(FIVE[1:], levels=["zone"]), 1, 2, epoch=5), transition(before, before, 1, 2, epoch=5),
    ]  # fmt: skip
    others = [{"transition": value} for value in steps] + [before, after, BEFORE, *[AFTER | {"epoch": epoch} for epoch in ("4", "5", "6")]]
    queries = [query("compare", other=other) for other in others]
    out = [group(step, *queries, query("with_epoch", queries=queries[:4]) | {"epoch": None}, query("with_epoch", epoch=6, queries=[query("step"), *queries]), query("with_epoch", epoch=2**53, queries=[]), query("at", part=1, of=2, queries=[query("step"), *queries[:4]]))]
    out += [group(steps[1], *queries), {"cluster": AFTER | {"epoch": "5"}, "queries": queries}, {"cluster": AFTER, "queries": queries}]
    keyed = [cluster(FIVE, hash="sip13", secret=secret) for secret in SECRETS]
    return out + [group(transition(keyed[0], keyed[0], 1, 2), *[query("compare", other={"transition": transition(a, b, 1, 2)}) for a in keyed for b in keyed])]


def sides():
    """Secrets and hashes of each side, what the sides keep, sides that are refused, a function in the place of `before`."""
    kinds = [{}, {"hash": "xxh64", "seed": 2**64 - 1}, {"hash": "sip13", "secret": SECRETS[0]}, {"hash": "sip13", "secret": SECRETS[1]}]
    out = []
    for a in kinds:
        for b in kinds:
            value = transition(cluster(FIVE[:3], **a), cluster(FIVE, epoch=2, **b), 1, 3, epoch=44)
            look = [query("fingerprint"), query("properties"), query("ids"), query("owner", key=KEYS[0])]
            out.append(group(value, query("fingerprint"), *of_keys("owner", KEYS[:3]), query("before", queries=look), query("after", queries=look), rewrite_step(value, query("fingerprint"), query("step"), query("after", queries=look))))
    wrong = [cluster([]), cluster([node("a", 0)]), cluster(nodes("a", "a")), cluster(FIVE, epoch=2**53), cluster(FIVE, algorithm="jump"), cluster(FIVE, hash="sip13"), cluster(FIVE, secret=SECRETS[0]), cluster(FIVE, algorithm="hierarchy-1")]
    out += [group(transition(*pair, 1, 2)) for bad in wrong for pair in [(bad, AFTER), (BEFORE, bad)]] + [group(transition(BEFORE, AFTER, 1, 2, epoch=2**53))]
    always = {"always": "old"}
    asked = [query("step"), *of_keys("passes", MIXED), *of_keys("owner", MIXED), *of_keys("candidates", MIXED), query("after", queries=[query("fingerprint")])]
    asked += [query("at", part=2, of=3, queries=of_keys("owner", MIXED)), query("with_epoch", epoch=7, queries=[query("step")])]
    asked += [query("fingerprint"), query("ranking", key=KEYS[0]), query("replicas", key=KEYS[0], r=1), query("replicas", key=KEYS[0], r=0), query("owner", key=KEYS[0], exclude=[]), query("owner", key=KEYS[0], exclude=["a"]), query("compare", other=AFTER), query("compare", other={"transition": transition(BEFORE, AFTER, 1, 2)}), query("rewrite", queries=[])]
    # Key by key, whatever the other side: a function has no slots.
    out += [group(transition(always, after, 1, 2), *asked, only=DYNAMIC) for after in [AFTER, cluster(FIVE, algorithm="slots-1", slots=9)]]
    return out + [{"cluster": AFTER, "queries": [query("compare", other={"transition": transition(always, AFTER, 1, 2)})], "only": DYNAMIC}, group(transition(BEFORE, AFTER, 1, 2), query("compare", other={"transition": transition(always, AFTER, 1, 2)}), only=DYNAMIC)]


def at_random():
    out = []
    for case in range(60):
        dice = Dice(7_000 + case)
        value = random_transition(dice)
        out.append(group(value, *random_step_queries(dice, value, 5)))
    return out


# Files

A, B = '{"keystead": 1, "nodes": ["a", "b"]}', '{"keystead": 1, "nodes": ["a", "c"]}'
HELD = [query("step"), query("fingerprint"), *of_keys("candidates", KEYS[:3])]
LOOK = [query("ids"), query("nodes"), query("properties"), query("fingerprint")]


def step_file(before=A, after=B, part="1", of="2", outer="", inner=""):
    return f'{{"keystead": 1, {outer}"transition": {{"part": {part}, "of": {of}, {inner}"before": {before}, "after": {after}}}}}'


def file(content, **fields):
    return {"transition_file": {"text": content} if isinstance(content, str) else {"hex": content.hex()}} | fields


GOOD = [
    step_file(),
    step_file(outer='"epoch": 44, "comment": "\\u0000 \\ud83d\\ude00 \U0001f600", '),
    step_file(outer='"epoch": 0, "comment": "", '),
    step_file(outer='"epoch": 9007199254740991, '),
    step_file(part="0", of="1"), step_file(part="4294967295", of="4294967295"), step_file(part="2", of="4"),
    step_file().replace(": ", ":").replace(", ", ","),
    step_file().replace(": ", "\r\n:\t").replace(", ", " ,\n") + "\n \n",
    '{"transition": {"after": %s, "before": %s, "of": 2, "part": 1}, "epoch": 7, "keystead": 1}' % (B, A),
    '{"\\u006beystead": 1, "transitio\\u006e": {"p\\u0061rt": 1, "of": 2, "before": %s, "\\u0061fter": %s}}' % (A, B),
    step_file(before='{"nodes": ["a"], "epoch": 90, "comment": "left", "keystead": 1}', after='{"keystead": 1, "epoch": 3, "comment": "entered", "levels": ["zone"], "nodes": [{"id": "a", "weight": 2, "location": ["x"], "address": "", "meta": {"": "\\u0000"}, "comment": "c"}]}'),
    step_file(before='{"keystead": 1, "algorithm": "ring-1", "space": "10", "nodes": [{"id": "a", "tokens": ["5", "0"]}]}', after='{"keystead": 1, "algorithm": "slots-1", "slots": 8, "headroom": 0, "nodes": ["a", "b"]}'),
]  # fmt: skip

# One fault each, and its place known.
FAULTS = [
    *[step_file(part=part) for part in ['"1"', "1.0", "-1", "-0", "1e0", "null", "true", "[1]", "01"]],
    *[step_file(of=of) for of in ['"2"', "2.0", "-2", "2E0", "null", "false", "{}", "02"]],
    *[step_file(outer=outer) for outer in ['"epoch": "44", ', '"epoch": 1.5, ', '"epoch": null, ', '"comment": 1, ', '"comment": null, ', '"epoch": 1, "epoch": 1, ', '"keystead": 1, ', '"extra": 1, ', '"Epoch": 1, ', '"nodes": ["a"], ', '"algorithm": "rendezvous-1", ', '"hash": "xxh3", ', '"levels": ["a"], ', '"seed": "0x0000000000000000", ', '"slots": 4, ', '"part": 1, ', '"of": 2, ', '"before": %s, ' % A, '"secret": "00", ']],
    *[step_file(inner=inner) for inner in ['"part": 1, ', '"of": 2, ', '"before": %s, ' % A, '"epoch": 1, ', '"comment": "x", ', '"keystead": 1, ', '"nodes": ["a"], ', '"extra": 1, ', '"Part": 1, ', '"p\\u0061rt": 1, ', '"transition": 1, ', '"secret": "00", ']],
    *['{"keystead": 1, "transition": %s}' % value for value in ["null", "1", "true", '"x"', "[]", "[%s]" % A, "{}", '{"part": 1}', '{"part": 1, "of": 2}', '{"part": 1, "of": 2, "before": %s}' % A, '{"part": 1, "of": 2, "after": %s}' % A, '{"part": 1, "before": %s, "after": %s}' % (A, B), '{"of": 1, "before": %s, "after": %s}' % (A, B)]],
    "{}", "[]", "", "null", '{"keystead": 1}', step_file()[:-1], step_file()[:-2], step_file() + "}", step_file() + " x", "[" + step_file() + "]", step_file().replace('"keystead": 1, "tr', '"tr'), step_file().replace('"keystead": 1, "tr', '"keystead": 1.0, "tr'), step_file().replace('"keystead": 1, "tr', '"keystead": "1", "tr'),
    '{"keystead": 1,\n "transition": {"part": 1, "of": 2,\n  "before": %s,\n  "after": %s, "x": 1}}' % (A, B),
    '{"keystead": 1,\r\n "comment": "\U0001f600", "transition": {"part": 1, "of": 2, "before": %s,\r\n "after": {"keystead": 1,\n"nodes": ["\U0001f600", null]}}}' % A,
    # A side is a complete cluster file, and never a transition.
    *[step_file(**{side: value}) for side in ("before", "after") for value in ["null", "1", '"a"', "[]", "{}", '["a", "b"]', '{"nodes": ["a"]}', '{"keystead": 1}', '{"keystead": 1, "nodes": ["a"], "part": 1}', '{"keystead": "1", "nodes": ["a"]}', '{"keystead": 1.0, "nodes": ["a"]}', '{"keystead": 1, "keystead": 1, "nodes": ["a"]}', '{"keystead": 1, "nodes": ["a"], "transition": {"part": 1, "of": 2, "before": %s, "after": %s}}' % (A, B)]],
]  # fmt: skip

# With a code of their own, or at a place that the protocol does not fix.
OTHERS = [
    *[step_file(part=part, of=of) for part, of in [("1", "0"), ("0", "0"), ("3", "2"), ("0", "4294967296"), ("4294967296", "4294967295"), ("4294967297", "2"), ("1", "4294967298"), ("1", "1" + "0" * 400), ("1" + "0" * 400, "2"), ("18446744073709551617", "18446744073709551618")]],
    *[step_file(outer=f'"epoch": {epoch}, ') for epoch in ["9007199254740992", "18446744073709551617", "1" + "0" * 400]],
    *[step_file(outer='"comment": "\\ud800", '), step_file(before='{"keystead": 1, "comment": "\\udfff", "nodes": ["a"]}')],
    *[step_file().replace('"keystead": 1, "tr', f'"keystead": {version}, "tr') for version in ["0", "2", "-1", "1.5", "18446744073709551617"]],
    '{"keystead": 2, "transition": null}', '{"keystead": 2, "transition": {"before": {"keystead": 1}}}', '{"keystead": 2, "transition": []',
    *[step_file(**{side: '{"keystead": %s, "nodes": ["a"]}' % version}) for side in ("before", "after") for version in ["0", "2", "10", "4294967297", "18446744073709551617", "9" * 400]],
    # Transitions as sides.
    step_file(before=step_file()), step_file(after=step_file()),
    step_file(after='{"keystead": 1, "nodes": ["a"], "deep": ' + "[" * 20 + "]" * 20 + "}"), "[" * 3000, '{"keystead": 1, "transition": ' * 3000,
]  # fmt: skip


def is_whole(content):
    """Whether this is JSON with the members that a side must have: only its other faults stay what they are in a side."""
    try:
        root = parse(content)
    except KeysteadError:
        return False
    members = root.content if root.kind == "object" else []
    return [value.content for name, _, value in members if name == "keystead"] == ["1"] and any(name == "nodes" for name, _, _ in members)


def wrapped():
    """The faults of a cluster file, in a side."""
    whole = [content for content in BAD_FILES + CODED_FILES if is_whole(content)]
    return [file(step_file(**{["before", "after"][i % 2]: content}), position=content in BAD_FILES) for i, content in enumerate(whole)]


def files():
    out = [file(content, queries=[*HELD, query("before", queries=LOOK), query("after", queries=LOOK), query("rewrite", queries=[*HELD, query("before", queries=LOOK), query("after", queries=LOOK)])]) for content in GOOD]
    out += [file(content) for content in FAULTS] + [file(content, position=False) for content in OTHERS] + wrapped()
    out += [file(content) for content in [b"\xef\xbb\xbf" + step_file().encode(), step_file().encode().replace(b'"c"', b'"\xff"'), step_file().encode("utf-16")]]
    # Each kind of file in the place of the other.
    clusters_only = ["rust", *DYNAMIC]
    out += [file(A, position=False, only=clusters_only), {"file": {"text": step_file()}, "position": False, "only": clusters_only}]
    keyed = [plain_file(cluster(nodes("a", name), hash="sip13")) for name in "bc"]
    first, second = SECRETS
    secrets = [{}, {"secret": first}, {"before_secret": first}, {"after_secret": first}, {"before_secret": first, "after_secret": second}, {"before_secret": second, "after_secret": first}, {"before_secret": first, "after_secret": first}]
    for before, after in [(A, B), (keyed[0], B), (A, keyed[1]), (keyed[0], keyed[1])]:
        for given in secrets:
            uses = [name for name, content in [("before", before), ("after", after)] if content in keyed]
            lacking = [name for name in uses if "secret" not in given and f"{name}_secret" not in given]
            refused = lacking or (given and not uses)
            out.append(file(step_file(before=before, after=after), **given, **({} if refused else {"queries": [*HELD, query("rewrite", **given, queries=HELD)]})))
    for wrong in ["", "00" * 15, "00" * 17]:
        out += [file(step_file(before=keyed[0]), secret=wrong), file(step_file(before=keyed[0]), before_secret=wrong), file(step_file(after=keyed[1]), after_secret=wrong)]
    return out


def transitions():
    """Transitions (section 10): the gate, who answers, candidates, fingerprints and comparing, transition files."""
    return algorithm_pairs() + slot_tables() + fractions() + keys() + exclusion() + comparing() + sides() + files() + at_random()
