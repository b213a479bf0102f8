"""Python's owner beside other packages, in one process and in interleaved rounds.

bench.py [--quick], or bench.py point PLOT WHO NODES for one point of a growth plot. Prints JSON; `cargo xtask bench` makes it readable.
"""

import contextlib
import importlib
import importlib.metadata
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import keystead

# What is installed under which name, and what it is imported as.
PEERS = {
    "clandestined": "clandestined",
    "hash-ring-rs": "hash_ring_rs",
    "jump-consistent-hash": "jump",
    "pymemcache": "pymemcache.client.rendezvous",
    "uhashring": "uhashring",
    "xxhash": "xxhash",
    "numpy": "numpy",
    "pyarrow": "pyarrow",
}

# Does an operation for each of the first n keys, and says for how many it did.
Work = Callable[[int], int]


class Missing(Exception):
    """A peer that does not install here is left out and said to be."""


def module(name: str) -> Any:
    try:
        return importlib.import_module(PEERS[name])
    except ImportError as error:
        raise Missing(f"not installed: {error}") from error


class Bench:
    """Every case has its turn in each round, so that what the machine does meanwhile hits all alike."""

    def __init__(self, quick: bool) -> None:
        self.rounds, self.turn = (5, 0.006) if quick else (15, 0.025)
        self.rows: list[dict[str, object]] = []
        self.left_out: list[dict[str, str]] = []

    def measure(self, topic: str, operation: str, cases: Sequence[tuple[str, Callable[[], Work]]]) -> None:
        """Measures the cases of one operation, ours first; nanoseconds for one key."""
        ready: list[tuple[str, Work, int]] = []
        for who, make in cases:
            try:
                work = make()
                ready.append((who, work, self.fitting(work)))
            except Missing as missing:
                self.left_out.append({"topic": topic, "operation": operation, "who": who, "reason": str(missing)})
        rounds: list[list[float]] = [[] for _ in ready]
        for _ in range(self.rounds):
            for (_, work, keys), taken in zip(ready, rounds, strict=True):
                taken.append(timed(work, keys))
        for (who, _, _), taken in zip(ready, rounds, strict=True):
            self.rows.append({"topic": topic, "operation": operation, "who": who, "rounds": taken})
        print(f"{topic}, {operation}: {statistics.median(rounds[0]) if ready else 0:.0f} ns", file=sys.stderr)

    def fitting(self, work: Work) -> int:
        """How many keys fit into a turn. Warms up as well."""
        keys = 1
        while True:
            taken = timed(work, keys) * keys / 1e9
            if taken >= self.turn / 4:
                return max(1, int(keys * self.turn / taken))
            keys *= 4


def timed(work: Work, keys: int) -> float:
    start = time.perf_counter_ns()
    done = work(keys)
    return (time.perf_counter_ns() - start) / done


KEYS = [f"user:{i:011}" for i in range(5_000)]


def each(function: Callable[[str], object]) -> Work:
    """Key by key, in the plain loop that a program has."""

    def work(keys: int) -> int:
        for _ in range(keys // len(KEYS)):
            for key in KEYS:
                function(key)
        for key in KEYS[: keys % len(KEYS)]:
            function(key)
        return keys

    return work


def whole(function: Callable[[object], object], column: Sequence[object]) -> Work:
    """A column at a time, as often as it takes."""
    function(column)

    def work(keys: int) -> int:
        times = max(1, keys // len(column))
        for _ in range(times):
            function(column)
        return times * len(column)

    return work


# How each peer answers for one key, as its documentation says.


def uhashring(ids: list[str]) -> Callable[[str], object]:
    return module("uhashring").HashRing(nodes=list(ids)).get_node


def clandestined(ids: list[str]) -> Callable[[str], object]:
    return module("clandestined").RendezvousHash(list(ids)).find_node


def pymemcache(ids: list[str]) -> Callable[[str], object]:
    return module("pymemcache").RendezvousHash(list(ids)).get_node


def hash_ring_rs(ids: list[str]) -> Callable[[str], object]:
    """160 tokens for each node, as uhashring has."""
    ring = module("hash-ring-rs").HashRing(160)
    for id in ids:
        ring.add_node(id)
    # Without it, lookups search among tokens in the order of nodes.
    ring.sort()
    return ring.get_node


def highest(ids: list[str]) -> Callable[[str], object]:
    """Rendezvous hashing in one line."""
    digest = module("xxhash").xxh64_intdigest
    nodes = [id.encode() for id in ids]

    def owner(key: str) -> bytes:
        end = key.encode()
        return max(nodes, key=lambda node: digest(node + end))

    return owner


def remainder(ids: list[str]) -> Callable[[str], object]:
    """No consistent hashing: nearly every key moves when a node joins."""
    digest = module("xxhash").xxh64_intdigest
    n = len(ids)
    return lambda key: ids[digest(key.encode()) % n]


def jumping(ids: list[str]) -> Callable[[str], object]:
    digest = module("xxhash").xxh64_intdigest
    jump = module("jump-consistent-hash").hash
    n = len(ids)
    return lambda key: ids[jump(digest(key.encode()), n)]


def ours(algorithm: str) -> Callable[[list[str]], Callable[[str], object]]:
    return lambda ids: keystead.Cluster(ids, algorithm=algorithm).owner


ANSWERS: dict[str, Callable[[list[str]], Callable[[str], object]]] = {
    "rendezvous-1": ours("rendezvous-1"),
    "ring-1": ours("ring-1"),
    "slots-1": ours("slots-1"),
    "uhashring": uhashring,
    "clandestined": clandestined,
    "pymemcache": pymemcache,
    "hash-ring-rs": hash_ring_rs,
    "max() over xxhash": highest,
    "nodes[xxh64(k) % n]": remainder,
    "jump-consistent-hash": jumping,
}


def single(bench: Bench) -> None:
    """A key, an answer."""
    for nodes in (10, 100):
        ids = [f"node-{i}" for i in range(nodes)]
        peers = ["uhashring", "hash-ring-rs", "max() over xxhash", "clandestined", "pymemcache"]
        cases = [("keystead", lambda: each(ANSWERS["rendezvous-1"](ids)))]
        cases += [(who, lambda who=who: each(ANSWERS[who](ids))) for who in peers]
        bench.measure("owner(str), rendezvous-1", f"{nodes:,} nodes", cases)
    for algorithm in ("slots-1", "ring-1"):
        for nodes in (10, 100, 1_000):
            ids = [f"node-{i}" for i in range(nodes)]
            peers = ["hash-ring-rs", "nodes[xxh64(k) % n]", "jump-consistent-hash", "uhashring"]
            cases = [("keystead", lambda: each(ANSWERS[algorithm](ids)))]
            cases += [(who, lambda who=who: each(ANSWERS[who](ids))) for who in peers]
            bench.measure(f"owner(str), {algorithm}", f"{nodes:,} nodes", cases)


def many(bench: Bench) -> None:
    """Many keys in one call, and the peers in a loop."""
    ids = [f"node-{i}" for i in range(10)]
    cluster = keystead.Cluster(ids)
    loops = [(who, lambda who=who: each(ANSWERS[who](ids))) for who in ("uhashring", "hash-ring-rs", "nodes[xxh64(k) % n]")]
    bench.measure("owner_many(list), a key", "10 nodes", [("keystead", lambda: whole(cluster.owner_many, KEYS)), *loops])
    bench.measure("owner_indices(list), a key", "10 nodes", [("keystead", lambda: whole(cluster.owner_indices, KEYS)), *loops])
    # As many keys as a column has that is worth a call.
    lots = [f"user:{i:011}" for i in range(100_000)]
    columns: list[tuple[str, Callable[[], Sequence[object]]]] = [
        ("NumPy S16", lambda: module("numpy").array(lots, dtype="S16")),
        ("NumPy u64", lambda: module("numpy").arange(len(lots), dtype="uint64")),
        ("Arrow string", lambda: module("pyarrow").array(lots)),
    ]
    for name, column in columns:
        bench.measure(
            "owner_indices(column), a key",
            f"10 nodes, {name}",
            [("keystead", lambda column=column: whole(cluster.owner_indices, column())), *loops[1:]],
        )


def resident() -> int:
    """The memory of this process, where the system tells."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0


def point(who: str, nodes: int) -> None:
    ids = [f"node-{i}" for i in range(nodes)]
    before, start = resident(), time.perf_counter_ns()
    answer = ANSWERS[who](ids)
    build, held = time.perf_counter_ns() - start, resident() - before
    work = each(answer)
    keys = 1
    while timed(work, keys) * keys < 5e6:
        keys *= 2
    print(json.dumps({"build": build, "lookup": min(timed(work, keys) for _ in range(5)), "bytes": held}))


def versions() -> dict[str, str]:
    found = {}
    for name in ["keystead", *PEERS]:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def main() -> None:
    if sys.argv[1:2] == ["point"]:
        _, _, _, who, nodes = sys.argv
        try:
            point(who, int(nodes))
        except Missing as missing:
            sys.exit(f"left out: {missing}")
        return
    bench = Bench("--quick" in sys.argv)
    single(bench)
    many(bench)
    print(json.dumps({"language": "Python", "versions": versions(), "rows": bench.rows, "memory": [], "left_out": bench.left_out}))


main()
