"""Which random cases the tests ask. The same ones in every run: a change is to be judged by what it does, not by the luck of the day.
KEYSTEAD_SEED asks others: a number, or `random`."""

import os
import random


def read_seed(word: str | None = None) -> int:
    """The seed that a word means; the environment's where none is given."""
    word = os.environ.get("KEYSTEAD_SEED", "1") if word is None else word
    if word == "random":
        return random.SystemRandom().getrandbits(32)
    if not (word.isascii() and word.isdigit() and int(word) < 2**64):
        raise ValueError(f"KEYSTEAD_SEED is {word!r}: a number below 2^64, or the word random")
    return int(word)
