"""Clusters are shared between threads as they are, and leave nothing behind when they are dropped."""

import gc
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import keystead
import pytest
from keystead import Cluster, Node

CLUSTERS = [
    Cluster([Node(f"n{i}", i % 4, [f"z{i % 3}"]) for i in range(40)], **parameters)
    for parameters in ({}, {"algorithm": "ring-1", "tokens_per_weight": 16}, {"algorithm": "slots-1"}, {"algorithm": "hierarchy-1"})
]


def everything(c: Cluster, key: Any) -> Any:
    return [
        c.owner(key),
        c.ranking(key, exclude=["n1"]),
        c.replicas(key, 3, spread=0),
        c.owner_many([key, "other"]),
        c.replica_indices([key], 1).tolist(),
        [node.id for node in c.nodes],
        c.with_node(Node("new", location=["z0"])).owner(key),
        c.fingerprint,
    ]


def test_threads_agree() -> None:
    keys: list[Any] = [f"key-{i}" for i in range(40)] + [("t", i) for i in range(20)]
    # A cluster that no thread has asked before: what is made on first use is made once.
    fresh = [Cluster.from_json(c.to_json()) for c in CLUSTERS]
    wanted = [[everything(c, key) for key in keys] for c in CLUSTERS]
    found: list[Any] = []
    start = threading.Barrier(8)

    def ask() -> None:
        start.wait()
        found.append(all([everything(c, key) for key in keys] == answers for c, answers in zip(fresh, wanted, strict=True)))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8
    assert all(c.nodes is c.nodes for c in fresh)


def test_building_lets_other_threads_run() -> None:
    ran = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ran
        while not done.is_set():
            ran += 1

    counter = threading.Thread(target=count)
    counter.start()
    before = ran
    Cluster([Node(f"n{i}", 100) for i in range(100)], algorithm="ring-1")  # 2.6 million tokens
    during = ran - before
    done.set()
    counter.join()
    assert during > 1000


def peak() -> int:
    """The most memory that this process has ever had, in KiB (bytes on macOS)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def churn(n: int) -> None:
    nodes = [Node(f"n{i}", i % 3 + 1, ["z"], meta={"a": "b"}) for i in range(8)]
    parameters: list[Any] = [{}, {"algorithm": "ring-1", "tokens_per_weight": 4}, {"algorithm": "slots-1", "slots": 64}, {"algorithm": "hierarchy-1"}]
    for i in range(n):
        c = Cluster(nodes, **parameters[i % 4])
        c.owner(i)
        c.nodes
        c.owner_indices([i, "k"])
        c.with_node(Node("x", location=["z"]))
        try:
            c.owner(1.5)
        except keystead.KeysteadError:
            pass


def test_100_000_clusters_leave_memory_flat() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import test_threads_and_memory as t\n"
        "t.churn(5_000); before = t.peak()\n"
        "t.churn(100_000)\n"
        "print(before, t.peak())\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    before, after = map(int, told)
    assert after - before < before // 50, told


def test_nothing_is_kept_by_the_garbage_collector() -> None:
    churn(10)
    gc.collect()
    before = len(gc.get_objects())
    churn(500)
    gc.collect()
    assert len(gc.get_objects()) - before < 50


@pytest.mark.parametrize("make", [lambda: Cluster(["a"]), lambda: Node("a")])
def test_reference_counts_come_back(make: Any) -> None:
    item = make()
    key, exclude = "some key", ["nobody"]
    counts = [sys.getrefcount(each) for each in (item, key, exclude)]
    if isinstance(item, Cluster):
        for _ in range(2000):
            item.owner(key, exclude=exclude)
            item.owner_many([key])
            item.group_by_owner([key])
            item.ranking(key)
            item.owner_indices((key,)).tolist()
    else:
        for _ in range(2000):
            repr(item), hash(item), item.meta, item == item
    gc.collect()
    assert [sys.getrefcount(each) for each in (item, key, exclude)] == counts
