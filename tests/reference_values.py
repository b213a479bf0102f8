"""What the protocol builds its answers from, in plain Python: texts, encoding, digests, the order of candidates, caps, functions over numbered buckets.

Written from the protocol's text, whose sections are named here, and checked by reading beside it. Standard library only.
"""

from functools import cmp_to_key, lru_cache

from reference_hash import U64, siphash_1_3, xxh3_64, xxh64

GOLDEN = 0x9E3779B97F4A7C15
KEY, NODE, SLOT, COMPOSITE_KEY, LOCATION, CHECK = 1, 2, 3, 4, 5, 6
HASHES = ["xxh3", "xxh64", "sip13"]


class KeysteadError(Exception):
    def __init__(self, code, message="", line=None, column=None):
        super().__init__(f"{code}: {message}")
        self.code, self.line, self.column = code, line, column


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def check_range(name, value, low, high, code="invalid_parameter"):
    if not is_integer(value) or not low <= value <= high:
        raise KeysteadError(code, f"{name} {value!r} is out of range: an integer from {low} to {high}")


def little(value, size):
    return value.to_bytes(size, "little")


# Section 1: texts


def text_bytes(text):
    if not isinstance(text, str):
        raise TypeError(f"{text!r} is no text")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise KeysteadError("invalid_text", f"{text!r} is not well-formed") from None


def check_name(text, code):
    """The rules of an id, which locations and levels follow as well."""
    length = len(text_bytes(text))
    if not 1 <= length <= 65535:
        raise KeysteadError(code, f"{length} bytes: from 1 to 65535")
    if any(ord(c) < 0x20 or ord(c) == 0x7F for c in text):
        raise KeysteadError(code, f"{text!r} holds a control character")


# Section 2: canonical encoding


def encode_key(key, depth=1):
    if isinstance(key, str):
        key = text_bytes(key)
    if isinstance(key, bytes):
        return b"\x01" + little(len(key), 8) + key
    if is_integer(key):
        if not -(2**63) <= key < 2**64:
            raise KeysteadError("invalid_key", f"{key} is out of range: from -2^63 to 2^64-1")
        return b"\x02" + key.to_bytes(16, "little", signed=True)
    if isinstance(key, (tuple, list)):
        if depth > 32:
            raise KeysteadError("invalid_key", "nested deeper than 32")
        return b"\x03" + little(len(key), 8) + b"".join(encode_key(item, depth + 1) for item in key)
    raise KeysteadError("invalid_key", f"{key!r} is no key")


# Section 3: digests


def mix64(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & U64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & U64
    return x ^ (x >> 31)


def draw(seed, i):
    return mix64((seed + i * GOLDEN) & U64)


def mulhi(a, b):
    return (a * b) >> 64


class Hash:
    def __init__(self, name=None, seed=None, secret=None):
        name = "xxh3" if name is None else name
        text_bytes(name)
        if name not in HASHES:
            raise KeysteadError("invalid_parameter", f"hash {name!r} is unknown")
        if name == "sip13":
            if secret is None:
                raise KeysteadError("missing_secret", "sip13 needs a secret of 16 bytes")
            if len(secret) != 16:
                raise KeysteadError("invalid_parameter", f"a secret of {len(secret)} bytes: 16 are needed")
            if seed is not None:
                raise KeysteadError("invalid_parameter", "sip13 takes no seed")
        else:
            if secret is not None:
                raise KeysteadError("unexpected_secret", f"{name} takes no secret")
            seed = 0 if seed is None else seed
            check_range("seed", seed, 0, U64)
        self.name, self.seed, self.secret = name, seed, secret

    def digest(self, domain, data):
        if self.name == "xxh3":
            return xxh3_64(data, draw(self.seed, domain))
        if self.name == "xxh64":
            return xxh64(data, draw(self.seed, domain))
        k0 = int.from_bytes(self.secret[:8], "little")
        k1 = int.from_bytes(self.secret[8:], "little")
        s0 = siphash_1_3(bytes([domain, 0]), k0, k1)
        s1 = siphash_1_3(bytes([domain, 1]), k0, k1)
        return siphash_1_3(data, s0, s1)

    def key_digest(self, key):
        """kd: text and bytes as they are, composite keys by their encoding, in a domain of their own."""
        if isinstance(key, str):
            key = text_bytes(key)
        if isinstance(key, bytes):
            return self.digest(KEY, key)
        return self.digest(COMPOSITE_KEY, encode_key(key))


# Section 4: cost and order


@lru_cache(maxsize=100_000)
def cost(score):
    n = score | 1
    e = n.bit_length() - 1
    m = n << (63 - e)
    r = e
    for _ in range(56):
        square = m * m
        h, low = square >> 64, square & U64
        if h >= 2**63:
            r, m = 2 * r + 1, h
        else:
            r, m = 2 * r, (h << 1) | (low >> 63)
    return 2**62 - r


def compare_candidates(a, b):
    """Negative where a ranks before b; a candidate is (score, weight, id as bytes, …)."""
    left, right = cost(a[0]) * b[1], cost(b[0]) * a[1]
    if left != right:
        return left - right
    if a[0] != b[0]:
        return b[0] - a[0]
    return -1 if a[2] < b[2] else 1


def ranked(candidates):
    """The candidates of weight above 0, best first."""
    candidates = [c for c in candidates if c[1] > 0]
    if len({c[1] for c in candidates}) == 1:
        # Cost never rises as the score rises, so among equal weights the larger score is first: stated in section 4, tested in test_reference.py.
        return sorted(candidates, key=lambda c: (-c[0], c[2]))
    return sorted(candidates, key=cmp_to_key(compare_candidates))


def rank_scores(candidates):
    """The same order over given (id, score, weight)."""
    seen = set()
    for name, score, weight in candidates:
        check_name(name, "invalid_id")
        check_range("score", score, 0, U64)
        check_range("weight", weight, 0, 2**32 - 1, "invalid_weight")
        if name in seen:
            raise KeysteadError("duplicate_node", name)
        seen.add(name)
    return [c[3] for c in ranked([(score, weight, text_bytes(name), name) for name, score, weight in candidates])]


# Section 6: caps


def caps(slots, headroom, weights):
    """The most slots that each node may get; `weights` belong to nodes in the order of their ids."""
    total = sum(weights)
    if headroom > 0:
        return [-(-(slots * w * (100 + headroom)) // (100 * total)) for w in weights]
    quotas = [slots * w // total for w in weights]
    remainders = [slots * w % total for w in weights]
    left_over = slots - sum(quotas)
    largest_first = sorted(range(len(weights)), key=lambda i: (-remainders[i], i))
    for i in largest_first[:left_over]:
        quotas[i] += 1
    return quotas


# Section 7: functions over numbered buckets


def check_buckets(n):
    check_range("n", n, 1, 2**31 - 1)


def jump(key, n):
    check_buckets(n)
    check_range("key", key, 0, U64)
    b, j = -1, 0
    while j < n:
        b = j
        key = (key * 2862933555777941757 + 1) & U64
        q = 2147483648.0 / float((key >> 33) + 1)
        j = int(float(b + 1) * q)
    return b


def jump_bucket(key, n, hash=None, seed=None, secret=None):
    check_buckets(n)
    return jump(Hash(hash, seed, secret).key_digest(key), n)


def modulo(key, n, hash=None, seed=None, secret=None):
    check_buckets(n)
    return Hash(hash, seed, secret).key_digest(key) % n
