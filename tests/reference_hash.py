"""The published hash functions that the protocol builds on, written out.

XXH3-64 and XXH64 after xxHash 0.8, SipHash-1-3 after Aumasson and Bernstein; `vectors/published.json` holds their authors' numbers against this file.
Standard library only. Every value is a Python integer cut to 64 bits where the published algorithm wraps.
"""

U32 = 2**32 - 1
U64 = 2**64 - 1

P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def rotl(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & U64


def u32(data, at):
    return int.from_bytes(data[at : at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at : at + 8], "little")


# XXH64


def xxh64_round(acc, lane):
    return rotl((acc + lane * P64_2) & U64, 31) * P64_1 & U64


def xxh64_avalanche(h):
    h = (h ^ (h >> 33)) * P64_2 & U64
    h = (h ^ (h >> 29)) * P64_3 & U64
    return h ^ (h >> 32)


def xxh64(data, seed):
    at = 0
    if len(data) >= 32:
        v = [(seed + P64_1 + P64_2) & U64, (seed + P64_2) & U64, seed, (seed - P64_1) & U64]
        while at + 32 <= len(data):
            for lane in range(4):
                v[lane] = xxh64_round(v[lane], u64(data, at + 8 * lane))
            at += 32
        h = (rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18)) & U64
        for lane in range(4):
            h = ((h ^ xxh64_round(0, v[lane])) * P64_1 + P64_4) & U64
    else:
        h = (seed + P64_5) & U64
    h = (h + len(data)) & U64
    while at + 8 <= len(data):
        h = (rotl(h ^ xxh64_round(0, u64(data, at)), 27) * P64_1 + P64_4) & U64
        at += 8
    if at + 4 <= len(data):
        h = (rotl(h ^ (u32(data, at) * P64_1 & U64), 23) * P64_2 + P64_3) & U64
        at += 4
    while at < len(data):
        h = rotl(h ^ (data[at] * P64_5 & U64), 11) * P64_1 & U64
        at += 1
    return xxh64_avalanche(h)


# XXH3-64: one formula for each class of lengths


def byteswap32(x):
    return int.from_bytes(x.to_bytes(4, "little"), "big")


def byteswap64(x):
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def fold(a, b):
    """The 128-bit product of two u64, its halves xored."""
    product = a * b
    return (product >> 64) ^ (product & U64)


def xxh3_avalanche(h):
    h = (h ^ (h >> 37)) * MX1 & U64
    return h ^ (h >> 32)


def xxh3_0(seed):
    return xxh64_avalanche(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))


def xxh3_1_to_3(data, seed):
    n = len(data)
    combined = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
    flip = ((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed) & U64
    return xxh64_avalanche(combined ^ flip)


def xxh3_4_to_8(data, seed):
    n = len(data)
    seed ^= byteswap32(seed & U32) << 32
    flip = ((u64(SECRET, 8) ^ u64(SECRET, 16)) - seed) & U64
    h = (u32(data, n - 4) + (u32(data, 0) << 32)) ^ flip
    h ^= rotl(h, 49) ^ rotl(h, 24)
    h = h * MX2 & U64
    h ^= (h >> 35) + n
    h = h * MX2 & U64
    return h ^ (h >> 28)


def xxh3_9_to_16(data, seed):
    n = len(data)
    flip1 = ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed) & U64
    flip2 = ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed) & U64
    low = u64(data, 0) ^ flip1
    high = u64(data, n - 8) ^ flip2
    return xxh3_avalanche((n + byteswap64(low) + high + fold(low, high)) & U64)


def mix16(data, at, secret_at, seed):
    low = u64(data, at) ^ ((u64(SECRET, secret_at) + seed) & U64)
    high = u64(data, at + 8) ^ ((u64(SECRET, secret_at + 8) - seed) & U64)
    return fold(low, high)


def xxh3_17_to_128(data, seed):
    n = len(data)
    acc = n * P64_1
    # From the outside in: the first and the last 16 bytes, then the next ones, as far as the length reaches.
    for pair in range((n - 1) // 32 + 1):
        acc += mix16(data, 16 * pair, 32 * pair, seed)
        acc += mix16(data, n - 16 * (pair + 1), 32 * pair + 16, seed)
    return xxh3_avalanche(acc & U64)


def xxh3_129_to_240(data, seed):
    n = len(data)
    acc = n * P64_1
    for i in range(8):
        acc += mix16(data, 16 * i, 16 * i, seed)
    acc = xxh3_avalanche(acc & U64)
    for i in range(8, n // 16):
        acc += mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
    acc += mix16(data, n - 16, 136 - 17, seed)
    return xxh3_avalanche(acc & U64)


def accumulate(acc, data, at, secret, secret_at):
    for i in range(8):
        value = u64(data, at + 8 * i)
        key = value ^ u64(secret, secret_at + 8 * i)
        acc[i ^ 1] = (acc[i ^ 1] + value) & U64
        acc[i] = (acc[i] + (key & U32) * (key >> 32)) & U64


def xxh3_long(data, seed):
    n = len(data)
    secret = b""
    for i in range(0, 192, 16):
        secret += ((u64(SECRET, i) + seed) & U64).to_bytes(8, "little")
        secret += ((u64(SECRET, i + 8) - seed) & U64).to_bytes(8, "little")
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
    blocks = (n - 1) // 1024
    for block in range(blocks):
        for stripe in range(16):
            accumulate(acc, data, 1024 * block + 64 * stripe, secret, 8 * stripe)
        for i in range(8):
            acc[i] = ((acc[i] ^ (acc[i] >> 47)) ^ u64(secret, 128 + 8 * i)) * P32_1 & U64
    for stripe in range((n - 1 - 1024 * blocks) // 64):
        accumulate(acc, data, 1024 * blocks + 64 * stripe, secret, 8 * stripe)
    accumulate(acc, data, n - 64, secret, 192 - 64 - 7)
    h = n * P64_1
    for i in range(4):
        h += fold(acc[2 * i] ^ u64(secret, 11 + 16 * i), acc[2 * i + 1] ^ u64(secret, 11 + 16 * i + 8))
    return xxh3_avalanche(h & U64)


def xxh3_64(data, seed):
    n = len(data)
    if n == 0:
        return xxh3_0(seed)
    if n <= 3:
        return xxh3_1_to_3(data, seed)
    if n <= 8:
        return xxh3_4_to_8(data, seed)
    if n <= 16:
        return xxh3_9_to_16(data, seed)
    if n <= 128:
        return xxh3_17_to_128(data, seed)
    if n <= 240:
        return xxh3_129_to_240(data, seed)
    return xxh3_long(data, seed)


# SipHash-1-3


def sip_round(v0, v1, v2, v3):
    v0 = (v0 + v1) & U64
    v1 = rotl(v1, 13) ^ v0
    v0 = rotl(v0, 32)
    v2 = (v2 + v3) & U64
    v3 = rotl(v3, 16) ^ v2
    v0 = (v0 + v3) & U64
    v3 = rotl(v3, 21) ^ v0
    v2 = (v2 + v1) & U64
    v1 = rotl(v1, 17) ^ v2
    v2 = rotl(v2, 32)
    return v0, v1, v2, v3


def siphash_1_3(data, k0, k1):
    v0 = k0 ^ 0x736F6D6570736575
    v1 = k1 ^ 0x646F72616E646F6D
    v2 = k0 ^ 0x6C7967656E657261
    v3 = k1 ^ 0x7465646279746573
    full = len(data) // 8 * 8
    words = [u64(data, at) for at in range(0, full, 8)]
    words.append(int.from_bytes(data[full:], "little") | (len(data) & 0xFF) << 56)
    for word in words:
        v3 ^= word
        v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
        v0 ^= word
    v2 ^= 0xFF
    for _ in range(3):
        v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3
