"""Random Arrow columns, most of them against the rules: lengths, offsets, indices and buffers that do not agree, callbacks that fail.

    python fuzz_capsules.py [--columns N] [--seed N]

Every call must answer or refuse, and release what it was lent. Arrow's buffers carry no sizes, so what no consumer can see is left out: numbers here are
either far too large for any memory or small enough for the buffers below, which are larger than all that the numbers can point at.
"""

import argparse
import gc
import random
import struct
import sys
import time
from collections import Counter
from typing import Any

from capsules import Array, Chunks, Column, Producer, Schema
from keystead import Cluster, KeysteadError, Node
from seed import read_seed

ROOM = 8192
INTEGERS = [b"c", b"C", b"s", b"S", b"i", b"I", b"l", b"L"]
FORMATS = [b"u", b"U", b"z", b"Z", b"vu", b"vz", b"n", b"w:0", b"w:3", b"w:16", b"w:9223372036854775807", b"w:-1", b"w:", b"g", b"b", b"+l", b"", b"\xff", *INTEGERS]


class Fuzz:
    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.cluster = Cluster([Node("a", 3), "b", Node("drained", 0)])
        self.slots = Cluster(["a", "b"], algorithm="slots-1", slots=7)
        self.outcomes: Counter[str] = Counter()
        # Strings of random numbers, of which a buffer is any.
        self.numbers = {
            kind: [b"".join(struct.pack(f"={kind}", number()) for _ in range(ROOM // struct.calcsize(kind))) for _ in range(20)]
            for kind, number in (
                ("i", lambda: self.dice.choice([-1, 0, 3, 12, 13, self.dice.randrange(4000)])),
                ("q", lambda: self.dice.choice([-1, 0, 3, self.dice.randrange(4000)])),
                ("B", lambda: self.dice.choice([0, 255, self.dice.randrange(256), self.dice.randrange(128)])),
            )
        }
        rising = [[i * step for i in range(ROOM // 8)] for step in (0, 1, 3)]
        self.rising = {kind: [struct.pack(f"={len(row)}{kind}", *row).ljust(ROOM, b"\0") for row in rising] for kind in "iq"}

    def buffer(self, kind: str) -> bytes | None:
        if self.dice.random() < 0.02:
            return None
        if kind in self.rising and self.dice.random() < 0.7:
            return self.dice.choice(self.rising[kind])
        return self.dice.choice(self.numbers[kind])

    def length(self) -> int:
        dice = self.dice.random()
        return self.dice.randrange(65) if dice < 0.96 else self.dice.choice([-1, -(2**63), 2**63 - 1])

    def column(self, producer: Producer, deep: int = 0) -> tuple[Schema, Array]:
        dice = self.dice.random()
        format, dictionary, children = self.dice.choice(FORMATS), None, []
        if dice < 0.15 and deep < 2:
            format, children = b"+s", [self.column(producer, deep + 1) for _ in range(self.dice.choice([0, 1, 1, 1, 1, 2]))]
        elif dice < 0.3 and deep < 2:
            format, dictionary = self.dice.choice([*INTEGERS, b"u"]), self.column(producer, deep + 1)
        validity = None if self.dice.random() < 0.5 else self.dice.choice(self.numbers["B"])
        last = "q" if format in (b"vu", b"vz") else "B"
        wide = "q" if format in (b"U", b"Z") else "B" if format in INTEGERS else "i"
        buffers = [validity, self.buffer(wide), self.buffer("B"), *(self.buffer("B") for _ in range(self.dice.randrange(2) if last == "q" else 0)), self.buffer(last)]
        members = {
            "offset": self.length() if self.dice.random() < 0.3 else 0,
            "null_count": self.dice.choice([-1, -1, 0, 3]),
            "n_buffers": len(buffers) if self.dice.random() < 0.95 else self.dice.choice([-1, 0, 1, 2]),
        }
        schema = producer.schema(None if self.dice.random() < 0.01 else format, [child for child, _ in children], dictionary and dictionary[0])
        # Rows that take no memory can be without end.
        length = self.dice.randrange(65) if format in (b"n", b"w:0") else self.length()
        array = producer.array(length, buffers, [child for _, child in children], dictionary and dictionary[1], **members)
        if self.dice.random() < 0.02:
            schema.n_children = self.dice.choice([-1, 0])
        if self.dice.random() < 0.02:
            array.n_children = self.dice.choice([-1, 0])
        return schema, array

    def keys(self, producer: Producer) -> Any:
        schema, array = self.column(producer)
        if self.dice.random() < 0.5:
            return Column(producer.capsule(schema), producer.capsule(array))
        arrays = [array] * self.dice.randrange(2)
        return Chunks(producer.capsule(producer.stream(schema, arrays, self.dice.choice([0, 0, 0, 5, 12]))))

    def ask(self) -> None:
        producer = Producer()
        keys = self.keys(producer)
        asked = self.dice.choice(
            [
                lambda: self.cluster.owner_many(keys),
                lambda: self.cluster.owner_indices(keys),
                lambda: self.cluster.replica_indices(keys, self.dice.randrange(3)),
                lambda: self.slots.slot_indices(keys),
                lambda: self.cluster.group_by_owner(keys),
                lambda: self.cluster.diff(self.slots, keys),
            ]
        )
        try:
            asked()
            outcome = "answered"
        except KeysteadError as error:
            assert error.code in ("invalid_key", "invalid_text"), error
            outcome = error.code
        except (MemoryError, RuntimeError) as error:
            assert "internal error" not in str(error), error
            outcome = type(error).__name__
        self.outcomes[outcome] += 1
        del keys, asked
        assert producer.released == producer.lent > 0, (producer.released, producer.lent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=5_000)
    parser.add_argument("--seed", type=read_seed, default=None, help="a number or random; KEYSTEAD_SEED's or 1 where none is given")
    options = parser.parse_args()
    seed = read_seed() if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    fuzz = Fuzz(seed)
    started = time.monotonic()
    for number in range(options.columns):
        fuzz.ask()
        if number % 1000 == 0:
            gc.collect()
    print(f"{fuzz.outcomes.total()} columns in {time.monotonic() - started:.1f} s: {dict(fuzz.outcomes.most_common())}")
    return 0 if fuzz.outcomes["answered"] > options.columns // 20 else 1


if __name__ == "__main__":
    sys.exit(main())
