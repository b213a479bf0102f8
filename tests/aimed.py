"""Keys and ids with a wanted digest.

Random cases never put a key exactly on a token, two nodes on one score or two ids on one digest. Short inputs go through steps of XXH64 and XXH3-64 that can all be undone, so
such cases can be made. (That anyone can do so is why these hashes are for trusted keys.)
"""

from reference_hash import MX2, P64_1, P64_2, P64_3, P64_4, P64_5, SECRET, U32, U64, byteswap32, rotl, u64, xxh64_round
from reference_values import GOLDEN, KEY, NODE, draw


def inverse(odd):
    return pow(odd, -1, 2**64)


BY_GOLDEN, BY_P1, BY_P2, BY_P3, BY_MX2 = (inverse(odd) for odd in (GOLDEN, P64_1, P64_2, P64_3, MX2))


def undo_xorshift(x, bits):
    y = x
    for _ in range(64 // bits):
        y = x ^ (y >> bits)
    return y


def undo_mix64(x):
    x = undo_xorshift(x, 31) * inverse(0x94D049BB133111EB) & U64
    x = undo_xorshift(x, 27) * inverse(0xBF58476D1CE4E5B9) & U64
    return undo_xorshift(x, 30)


def undo_round(acc):
    """The lane that xxh64_round(0, lane) turns into `acc`."""
    return rotl(acc * BY_P1 & U64, 33) * BY_P2 & U64


def before_the_end(digest):
    """What XXH64's state, xored with the round of the last 8 bytes, must be for this digest."""
    want = undo_xorshift(digest, 32) * BY_P3 & U64
    want = undo_xorshift(want, 29) * BY_P2 & U64
    want = undo_xorshift(want, 33)
    return rotl((want - P64_4) * BY_P1 & U64, 37)


def xxh64_ending(want, seed, prefix):
    """The 8 bytes after which `prefix` (0, 8 or 16 bytes) has the XXH64 whose `before_the_end` is `want`."""
    h = (seed + P64_5 + len(prefix) + 8) & U64
    for at in range(0, len(prefix), 8):
        h = (rotl(h ^ xxh64_round(0, u64(prefix, at)), 27) * P64_1 + P64_4) & U64
    return undo_round(want ^ h).to_bytes(8, "little")


def xxh3_bytes(digest, seed):
    """The 8 bytes with this XXH3-64."""
    seed ^= byteswap32(seed & U32) << 32
    flip = ((u64(SECRET, 8) ^ u64(SECRET, 16)) - seed) & U64
    h = undo_xorshift(digest, 28) * BY_MX2 & U64
    h ^= (h >> 35) + 8
    h = h * BY_MX2 & U64
    # h ^ rotl(h, 49) ^ rotl(h, 24), done 64 times, is h again.
    for _ in range(63):
        h ^= rotl(h, 49) ^ rotl(h, 24)
    h ^= flip
    return (h >> 32).to_bytes(4, "little") + (h & U32).to_bytes(4, "little")


def key_with(digest, hash, seed):
    """A key of 8 bytes whose kd is `digest`."""
    derived = draw(seed, KEY)
    return xxh3_bytes(digest, derived) if hash == "xxh3" else xxh64_ending(before_the_end(digest), derived, b"")


def is_printable(data):
    return all(0x20 < byte < 0x7F for byte in data)


def id_with(digest, seed):
    """An id of 16 printable characters whose nd under xxh64 is `digest`."""
    derived, want = draw(seed, NODE), before_the_end(digest)
    for i in range(10**6):
        prefix = b"n%07d" % i
        ending = xxh64_ending(want, derived, prefix)
        if is_printable(ending):
            return (prefix + ending).decode()
    raise AssertionError("no printable id")


def digest_for_score(score, kd):
    """The nd with which a key of digest kd has this score."""
    return (undo_mix64(score) - kd) * BY_GOLDEN & U64


def colliding_texts(derived_seed, before):
    """Two printable texts of 96 characters that have one XXH64 under a seed already derived, when `before` stands before them.

    They differ in one lane of two neighbouring stripes: the later difference takes the earlier one back.
    """
    first = -len(before) % 8
    lane = (len(before) + first) % 32 // 8
    stripe = (len(before) + first) // 32
    start = {0: derived_seed + P64_1 + P64_2, 1: derived_seed + P64_2, 2: derived_seed, 3: derived_seed - P64_1}[lane] & U64
    fill = b"." * 96
    a = bytearray(fill)
    data = before + bytes(a)
    for s in range(stripe):
        start = xxh64_round(start, u64(data, 32 * s + 8 * lane))
    acc = xxh64_round(xxh64_round(start, u64(data, 32 * stripe + 8 * lane)), u64(data, 32 * (stripe + 1) + 8 * lane))
    for i in range(10**6):
        other = b"%08d" % i
        second = ((rotl(acc * BY_P1 & U64, 33) - xxh64_round(start, int.from_bytes(other, "little"))) * BY_P2 & U64).to_bytes(8, "little")
        if is_printable(second):
            b = bytearray(fill)
            b[first : first + 8] = other
            b[first + 32 : first + 40] = second
            return a.decode(), b.decode()
    raise AssertionError("no printable pair")
