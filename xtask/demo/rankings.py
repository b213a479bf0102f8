"""Places every key of a file, before and after a node is added: one of the three programs of `cargo xtask demo`.

rankings.py CLUSTER KEYS FOLDER ID WEIGHT LOCATION...: what crates/keystead/examples/rankings.rs does, in Python.
"""

import sys
import time
from pathlib import Path

from keystead import Cluster, Node


def table(cluster: Cluster, keys: list[str]) -> str:
    lines = ("\t".join([cluster.owner(key), *cluster.ranking(key)]) for key in keys)
    return "".join(line + "\n" for line in lines)


def main() -> None:
    cluster_file, key_file, folder, name, weight, *location = sys.argv[1:]
    keys = Path(key_file).read_text(encoding="utf-8").split("\n")[:-1]

    before = Cluster.load(cluster_file)
    after = before.with_node(Node(name, weight=int(weight), location=location))

    for when, cluster in (("before", before), ("after", after)):
        Path(folder, f"{when}.tsv").write_bytes(table(cluster, keys).encode())
        print(f"fingerprint-{when} {cluster.fingerprint}")
    for node, share in after.shares().items():
        print(f"share {node} {share.numerator} {share.denominator}")

    start = time.perf_counter_ns()
    for key in keys:
        before.owner(key)
    print(f"owner-nanoseconds {(time.perf_counter_ns() - start) // max(len(keys), 1)}")


main()
