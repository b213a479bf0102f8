"""Cases for encoding, digests, the order of candidates, jump and modulo, caps."""

from dice import Dice, bytes_key, functions, int_key, query, seq_key, text_key

SEEDS = [0, 1, 2**32 - 1, 2**32, 2**32 + 1, 2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1]
SECRETS = ["000102030405060708090a0b0c0d0e0f", "ffffffffffffffffffffffffffffffff", "00000000000000000000000000000000", "9f86d081884c7d659a2feaa0c55ad015"]
HASHES = [{"hash": name, "seed": str(seed)} for name in ("xxh3", "xxh64") for seed in SEEDS] + [{"hash": "sip13", "secret": secret} for secret in SECRETS]
# Where the hashes change their formula, and one beside it.
LENGTHS = [0, 1, 3, 4, 8, 9, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 240, 241, 1024, 1025, 2049]

TEXTS = [
    "", "a", "user:42", " user:42", "user:42 ", "USER:42", "item:7917", "caf\u00e9", "cafe\u0301", "gr\u00f6\u00dfe-7", "\u039a\u03b1\u03bb\u03b7\u03bc\u03ad\u03c1\u03b1", "\u041f\u0440\u0438\u0432\u0435\u0442",
    "\u0645\u0641\u062a\u0627\u062d", "\u05de\u05e4\u05ea\u05d7", "\u0915\u0941\u0902\u091c\u0940", "\u0e01\u0e38\u0e0d\u0e41\u0e08", "\u9375", "\u30ad\u30fc", "\uc5f4\uc1e0", "\U0001d518", "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0010ffff", "\ue000", "\ufffd", "\ufeff", "\u2028",
    "\u0000", "\u0000nul", "a\u0000b", "\u007f", "\t\n", "\"quoted\\\"", "/path/to/../file", "%2F", "{}", "null", "0", "-1", "1e3", "__proto__", "$request_uri$http_x_user",
]  # fmt: skip
INTEGERS = [0, 1, -1, 42, 127, 128, 255, 256, -128, -129, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**32 + 1, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) + 1, -(2**53), -(2**53) - 1, 2**63 - 1, 2**63, 2**63 + 1, -(2**63), -(2**63) + 1, 2**64 - 2, 2**64 - 1]  # fmt: skip
BAD = ["float", "nan", "bool", "null", "object"]
DYNAMIC = ["python", "node"]


def pattern(n, step=1):
    return bytes(step * i % 256 for i in range(n))


def nest(depth, inner=None):
    value = seq_key() if inner is None else seq_key(inner)
    for _ in range(depth - 1):
        value = seq_key(value)
    return value


def random_key(dice, depth=0):
    kind = dice.below(5 if depth < 4 else 4)
    if kind == 0:
        return text_key(dice.pick(TEXTS))
    if kind == 1:
        return bytes_key(dice.bytes(dice.below(20)))
    if kind == 2:
        return int_key(dice.pick(INTEGERS))
    if kind == 3:
        return int_key(dice.u64() - dice.below(2) * 2**63)
    return seq_key(*[random_key(dice, depth + 1) for _ in range(dice.below(5))])


COMPOSITE_KEYS = [int_key(n) for n in INTEGERS] + [
    seq_key(), seq_key(seq_key()), seq_key(seq_key(), seq_key()), seq_key(text_key("")), seq_key(text_key("a")), seq_key(bytes_key(b"a")), seq_key(int_key(42)), seq_key(text_key("42")),
    seq_key(text_key("tenant-7"), int_key(42)), seq_key(int_key(42), text_key("tenant-7")), seq_key(text_key("ab"), text_key("c")), seq_key(text_key("a"), text_key("bc")),
    seq_key(text_key("a"), text_key("b"), text_key("c")), seq_key(text_key(""), text_key("ab")), seq_key(text_key("ab"), text_key("")), seq_key(text_key("t1"), text_key("k")), seq_key(text_key("t"), text_key("1k")),
    seq_key(seq_key(text_key("a")), text_key("b")), seq_key(text_key("a"), seq_key(text_key("b"))), seq_key(int_key(1), seq_key(int_key(2), seq_key(int_key(3)))), nest(32), nest(31, text_key("x")),
]  # fmt: skip


def encoding():
    """Canonical encoding (section 2): the bytes of every kind of key, the limits, what is no key."""
    keys = [text_key(text) for text in TEXTS] + COMPOSITE_KEYS
    keys += [bytes_key(pattern(n)) for n in [0, 1, 2, 7, 8, 9, 255, 256, 257]] + [bytes_key(b"\xff"), bytes_key(b"\xc3\x28"), bytes_key(b"\xff\xfe\x00")]
    keys += [nest(32, text_key("deep")), nest(32, int_key(-1)), seq_key(*[int_key(n) for n in range(300)])]
    dice = Dice(1)
    keys += [random_key(dice) for _ in range(100)]
    queries = [query("encode_key", key=key) for key in keys]
    # Refused: a sequence at depth 33, integers out of range, inside sequences too.
    for key in [nest(33), nest(33, text_key("x")), seq_key(text_key("a"), nest(32)), nest(40)]:
        queries.append(query("encode_key", key=key))
    for n in [2**64, 2**64 + 1, -(2**63) - 1, 2**65, 2**127, 2**128, -(2**127), -(2**200)]:
        for key in [int_key(n), seq_key(text_key("a"), int_key(n))]:
            fits = -(2**127) <= n < 2**127
            queries.append(query("encode_key", key=key) | ({} if fits else {"only": DYNAMIC}))
    for bad in BAD + ["lone_surrogate"]:
        for key in [{"bad": bad}, seq_key(text_key("a"), {"bad": bad}), seq_key(seq_key({"bad": bad}))]:
            queries.append(query("encode_key", key=key) | {"only": DYNAMIC})
    return [functions(*queries)]


def digests():
    """Digests by hash, seed or secret and domain (section 3) at every length where a formula changes; draw."""
    queries = []
    for hash in HASHES:
        full = hash.get("seed") in (None, "0", str(2**64 - 1))
        for n in LENGTHS if full else LENGTHS[:18]:
            queries.append(query("digest", **hash, domain=1, bytes=pattern(n, 7).hex()))
        for domain in range(2, 8):
            for data in [b"", b"\x00", b"cache-a", b"\x00\x00\x00\x00", pattern(40)]:
                queries.append(query("digest", **hash, domain=domain, bytes=data.hex()))
    for n in range(66):
        queries.append(query("digest", hash="sip13", secret=SECRETS[0], domain=1, bytes=pattern(n).hex()))
        queries.append(query("digest", hash="xxh64", seed=2**53 + 1, domain=1, bytes=pattern(n, 255).hex()))
    draws = [query("draw", seed=seed, i=i) for seed in SEEDS for i in [0, 1, 2, 7, 2**32, 2**64 - 1]]
    return [functions(*queries), functions(*draws)]


def order():
    """Cost and order (section 4) over given scores: ties, neighbours, powers of two, the heaviest weights."""
    scores = sorted({s for e in range(64) for s in (2**e - 1, 2**e, 2**e + 1)} | {0, 2, 6, 7, 2**64 - 1, 2**64 - 2, 2**64 - 3, 3 * 2**62, 0xB504F333F9DE6484, 0xB504F333F9DE6485})
    costs = [query("cost", score=score) for score in scores]
    dice = Dice(2)
    costs += [query("cost", score=dice.u64() >> dice.below(64)) for _ in range(60)]
    heavy = 2**32 - 1

    def ranks(*candidates):
        return query("rank_scores", candidates=[[id, str(score), str(weight)] for id, score, weight in candidates])

    queries = [
        ranks(),
        ranks(("a", 0, 1)),
        ranks(("a", 0, 0)),
        ranks(("n-b", 7, 1), ("n-a", 7, 1), ("n-c", 3, 1)),
        ranks(("n-c", 3, 1), ("n-a", 7, 1), ("n-b", 7, 1)),
        # Costs over weights tie; the larger score is first, and with equal scores the smaller id.
        ranks(("a", 2**62, 2), ("b", 2**63, 1)),
        ranks(("b", 2**62, 2), ("a", 2**63, 1)),
        ranks(("a", 2**62, heavy - 1), ("b", 2**63, heavy // 2)),
        ranks(*[(f"n{e:02}", 2**e, 64 - e) for e in range(64)]),
        ranks(*[(f"n{e:02}", 2**e, 64 - e) for e in reversed(range(64))]),
        ranks(*[(f"n{e:02}", 2**e, (64 - e) * 67108863) for e in range(64)]),
        ranks(*[(f"n{63 - e:02}", 2**e + 1, 64 - e) for e in range(64)]),
        # Neighbours: 2k and 2k + 1 have one cost, the larger is first all the same.
        ranks(("a", 6, 1), ("b", 7, 1)),
        ranks(("a", 2**63, 5), ("b", 2**63 + 1, 5)),
        ranks(("a", 2**64 - 2, heavy), ("b", 2**64 - 1, heavy), ("c", 2**64 - 1, 1)),
        ranks(("a", 0, heavy), ("b", 1, heavy), ("c", 2**64 - 1, 1)),
        ranks(("a", 0, heavy), ("b", 2**64 - 1, 1)),
        ranks(("light", 2**64 - 1, 1), ("heavy", 2**63, heavy)),
        # Ids: one the prefix of another, and an order that differs in UTF-16 code units.
        ranks(("ab", 5, 1), ("a", 5, 1), ("abc", 5, 1), ("b", 5, 1)),
        ranks(("\U0001f600", 5, 1), ("\uff5e", 5, 1), ("\u00e9", 5, 1), ("z", 5, 1)),
        ranks(("10", 5, 1), ("9", 5, 1), ("1", 5, 1), ("__proto__", 5, 1)),
        ranks(("a", 1, 0), ("b", 2, 0)),
        ranks(("a", 2**64 - 1, 0), ("b", 0, 1)),
        # Refused.
        ranks(("a", 1, 1), ("b", 2, 1), ("a", 3, 1)),
        ranks(("a", 1, 1), ("a", 1, 0)),
        ranks(("", 1, 1)),
        ranks(("a\u0000", 1, 1)),
        ranks(("a\u007f", 1, 1)),
        ranks(({"repeat": "x", "times": "65536"}, 1, 1)),
        ranks(("a", 1, 2**32)) | {"only": DYNAMIC},
        ranks(("a", 1, -1)) | {"only": DYNAMIC},
        ranks(({"bad": "lone_surrogate"}, 1, 1)) | {"only": DYNAMIC},
    ]
    for case in range(120):
        weights = dice.pick([[1], [1, 2], [0, 1, 2, 100000, heavy], list(range(1, 9)), [heavy, heavy - 1], [100000, 1]])
        near = dice.chance(30)
        base = dice.u64()
        count = dice.between(1, 12)
        queries.append(ranks(*[(f"n{dice.below(1000) * 12 + i}", (base + dice.below(3)) % 2**64 if near else dice.u64() >> dice.below(8), dice.pick(weights)) for i in range(count)]))
    return [functions(*costs), functions(*queries)]


def functions_of_keys():
    """jump, jump_bucket and modulo (section 7)."""
    limit = 2**31 - 1
    pairs = [(0, 1), (1, 10), (9007199254740993, 1000), (18446744073709551615, 1000), (10863919174838991, 11), (2862933555777941757, 10000)]
    pairs += [(2016238256797177309, 11), (1673758223894951030, 11), (2, 100001), (2201, 100001), (2202, 100001), (42, 57), (256, 1024), (3735883980, 1), (3735883980, 666), (16045690984833335023, 255)]
    pairs += [(key, 100) for key in range(20)]
    pairs += [(key, n) for key in [0, 1, 2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1] for n in [1, 2, 3, 10, 1000, 65536, 1000000, 2**30, limit - 1, limit]]
    dice = Dice(3)
    pairs += [(dice.u64(), 1 + dice.below(limit) // 2 ** dice.below(31)) for _ in range(250)]
    queries = [query("jump", key=key, n=n) for key, n in pairs]
    for n in [0, 2**31, 2**31 + 1, 2**32, 2**32 + 1, 2**53 - 1]:
        queries += [query("jump", key=1, n=n), query("jump_bucket", key=text_key("a"), n=n), query("modulo", key=text_key("a"), n=n)]
    for key, n in [(2**64, 10), (-1, 10)]:
        queries.append(query("jump", key=key, n=n) | {"only": DYNAMIC})
    for op in ["jump_bucket", "modulo"]:
        queries.append(query(op, key=text_key("a"), n=-1) | {"only": DYNAMIC})
        for bad in BAD + ["lone_surrogate"]:
            queries.append(query(op, key={"bad": bad}, n=10) | {"only": DYNAMIC})
        queries.append(query(op, key=nest(33), n=10))
        queries += [query(op, key=text_key("a"), n=10, **wrong) for wrong in WRONG_HASHES]
        for key in [text_key(text) for text in TEXTS] + COMPOSITE_KEYS:
            queries.append(query(op, key=key, n=dice.pick([1, 2, 10, 1000, limit])))
        for hash in HASHES:
            for n in LENGTHS if op == "modulo" and hash.get("seed", "0") == "0" else [0, 8, 16, 40, 241]:
                queries.append(query(op, key=bytes_key(pattern(n, 7)), n=limit, **hash))
    return [functions(*queries)]


WRONG_HASHES = [
    {"hash": "md5"},
    {"hash": ""},
    {"hash": "XXH3"},
    {"hash": "sip13"},
    {"hash": "sip13", "secret": ""},
    {"hash": "sip13", "secret": "00" * 15},
    {"hash": "sip13", "secret": "00" * 17},
    {"hash": "sip13", "secret": "00" * 32},
    {"hash": "sip13", "secret": "00" * 16, "seed": "0"},
    {"hash": "sip13", "secret": "00" * 16, "seed": "7"},
    {"hash": "xxh3", "secret": "00" * 16},
    {"hash": "xxh64", "secret": "00" * 16},
    {"secret": "00" * 16},
]


def caps():
    """Caps and quotas of slots-1 alone (section 6), beyond 64 bits too."""
    heavy = 2**32 - 1
    queries = []
    for headroom in [0, 1, 5, 25, 100, 413, 924, 925, 999, 1000]:
        for slots in [1, 2, 3, 271, 16384, 2**22]:
            for weights in [[1], [1, 1, 1], [1, 2, 4, 7, 1], [heavy], [heavy, heavy], [heavy, 1], [0, heavy, heavy, 0, heavy - 1], [100000, 1, 0]]:
                queries.append(query("caps", slots=slots, headroom=headroom, weights=[str(w) for w in weights]))
    dice = Dice(4)
    for _ in range(60):
        weights = [str(dice.below(2 ** dice.between(1, 32))) for _ in range(dice.between(1, 8))] + ["1"]
        queries.append(query("caps", slots=dice.between(1, 2 ** dice.between(0, 22)), headroom=dice.pick([0, 0, 1, 5, 25, 413, 1000]), weights=weights))
    return [functions(*queries)]
