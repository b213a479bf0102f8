"""Python's owner beside other packages, in one process and in interleaved rounds.

bench.py [--quick]: prints JSON; `cargo xtask bench` makes it readable.
"""

import importlib.metadata
import json
import statistics
import sys
import time
from collections.abc import Callable

import keystead
import uhashring

PEERS = ["keystead", "uhashring"]

# What does an operation once for each of many keys.
Work = Callable[[], object]


class Bench:
    """Every case has its turn in each round, so that what the machine does meanwhile hits all alike."""

    def __init__(self, quick: bool) -> None:
        self.rounds, self.turn = (7, 0.02) if quick else (21, 0.06)
        self.rows: list[dict[str, object]] = []

    def measure(self, operation: str, keys: int, cases: list[tuple[str, Work]]) -> None:
        """Measures the cases of one operation, ours first; `keys` is how many operations one call of a case is."""
        repetitions = [self.repetitions(work) for _, work in cases]
        rounds: list[list[float]] = [[] for _ in cases]
        for _ in range(self.rounds):
            for (_, work), times, taken in zip(cases, repetitions, rounds, strict=True):
                start = time.perf_counter_ns()
                for _ in range(times):
                    work()
                taken.append((time.perf_counter_ns() - start) / times / keys)
        for (who, _), taken in zip(cases, rounds, strict=True):
            self.rows.append({"operation": operation, "who": who, "unit": "ns", "rounds": taken})
        print(f"{operation}: {statistics.median(rounds[0]):.0f} ns", file=sys.stderr)

    def repetitions(self, work: Work) -> int:
        """How often a case fits into its turn, at least once. Warms up as well."""
        work()
        start = time.perf_counter()
        work()
        return max(1, int(self.turn / (time.perf_counter() - start)))


def each(function: Callable[[str], object], keys: list[str]) -> Work:
    def work() -> None:
        for key in keys:
            function(key)

    return work


def main() -> None:
    bench = Bench("--quick" in sys.argv)
    keys = [f"user:{i:011}" for i in range(5_000)]
    for nodes in (10, 100):
        ids = [f"node-{i}" for i in range(nodes)]
        cluster = keystead.Cluster(ids)
        ring = uhashring.HashRing(nodes=ids)
        bench.measure(
            f"owner(str), {nodes} nodes",
            len(keys),
            [("keystead", each(cluster.owner, keys)), ("uhashring", each(ring.get_node, keys))],
        )
        bench.measure(
            f"owner_many(list), {nodes} nodes, a key",
            len(keys),
            [("keystead", lambda cluster=cluster: cluster.owner_many(keys)), ("uhashring, in a loop", each(ring.get_node, keys))],
        )
    versions = {name: importlib.metadata.version(name) for name in PEERS}
    print(json.dumps({"language": "Python", "versions": versions, "rows": bench.rows, "memory": []}))


main()
