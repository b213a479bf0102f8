"""Every node gets its share: within five standard deviations on 200,000 keys."""

from collections import Counter

import pytest
from keystead import Cluster, Node

KEYS = [f"key-{i}" for i in range(200_000)]


@pytest.mark.parametrize("weights", [[1, 2, 4, 7, 1], [1, 10], [100_000, 1], [1] * 20])
@pytest.mark.parametrize("algorithm", ["rendezvous-1", "hierarchy-1"])
def test_shares(weights: list[int], algorithm: str) -> None:
    c = Cluster([Node(f"n{i}", weight, [f"zone-{i % 2}"]) for i, weight in enumerate(weights)], algorithm=algorithm)
    counts = Counter(c.owner_many(KEYS))
    for id, share in c.shares().items():
        p = float(share)
        assert abs(counts[id] - p * len(KEYS)) <= 5 * (len(KEYS) * p * (1 - p)) ** 0.5, (id, counts)


def test_shares_of_rings_and_slots_are_of_this_very_table() -> None:
    for c in (Cluster(list("abcde"), algorithm="ring-1"), Cluster(list("abcde"), algorithm="slots-1")):
        counts = Counter(c.owner_many(KEYS))
        for id, share in c.shares().items():
            p = float(share)
            assert abs(counts[id] - p * len(KEYS)) <= 5 * (len(KEYS) * p * (1 - p)) ** 0.5, (id, counts)
