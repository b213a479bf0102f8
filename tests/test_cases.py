"""The oracle against the cases: trouble met in the field, and worked examples with answers known by hand.

Run by test_reference.py, and by itself with `python tests/test_cases.py`. Standard library only.
"""

import itertools
import json
import pathlib
import unittest

import aimed
from reference import Cluster, Node
from reference_hash import xxh3_64
from reference_values import Hash, KeysteadError, draw, modulo, rank_scores

HERE = pathlib.Path(__file__).parent
WORKED = json.loads((HERE / "cases/worked-examples.json").read_text())
FIELD = {case["id"]: case for case in json.loads((HERE / "cases/field-cases.json").read_text())["cases"]}
HEAVY = 2**32 - 1


def cluster_of(weights, **parameters):
    return Cluster([Node(id, weight) for id, weight in weights.items()], **parameters)


def given_nodes(case):
    return {node["id"]: node["weight"] for node in FIELD[case]["input"]["nodes"]}


def given_keys(spec):
    return [spec["fmt"] % i for i in range(spec.get("from", 0) * spec.get("step", 1), (spec.get("from", 0) + spec["n"]) * spec.get("step", 1), spec.get("step", 1))]


def owners(cluster, keys):
    return {key: cluster.owner(key) for key in keys}


class Case(unittest.TestCase):
    def refused(self, code, call, *arguments, **named):
        with self.assertRaises(KeysteadError) as caught:
            call(*arguments, **named)
        self.assertEqual(caught.exception.code, code)

    def assert_share(self, count, total, share, deviations=5):
        """Within five standard deviations of a sample."""
        allowed = deviations * (share * (1 - share) / total) ** 0.5
        self.assertLessEqual(abs(count / total - share), allowed)


class FieldCases(Case):
    def test_b04_b08_keys_are_bytes(self):
        cluster = cluster_of(given_nodes("B08"))
        for key in FIELD["B08"]["input"]["keys_utf8"]:
            self.assertEqual(cluster.owner(key), cluster.owner(key.encode()))
        for key in FIELD["B08"]["input"]["bytes_hex"]:
            cluster.owner(bytes.fromhex(key))
        self.assertNotEqual(cluster.hash.key_digest("caf\u00e9"), cluster.hash.key_digest("cafe\u0301"))
        self.refused("invalid_text", cluster.owner, "\ud83d")
        zero = aimed.key_with(0, "xxh3", 0)
        self.assertEqual(Hash().key_digest(zero), 0)
        self.assertEqual(Cluster([Node("a")], algorithm="slots-1").slot(zero), 0)

    def test_b11_no_hidden_prefix(self):
        cluster = cluster_of(given_nodes("B11"))
        for key in given_keys(FIELD["B11"]["input"]["keys"])[:100]:
            self.assertEqual(cluster.hash.key_digest("app1:" + key), xxh3_64(("app1:" + key).encode(), draw(0, 1)))

    def test_b15_b37_refusals(self):
        self.refused("duplicate_node", Cluster, [Node(n["id"], n["weight"], address=n["address"]) for n in FIELD["B15"]["input"]["nodes"]])
        for bad in [-1, 5e-324, 1e-9, "1", None, True, float("nan"), float("inf"), 9007199254740993, 2**32]:
            self.refused("invalid_weight", Node, "a", bad)
        self.refused("no_nodes", cluster_of, {"n1": 0, "n2": 0})

    def test_b18_order_and_placeholders(self):
        nodes = given_nodes("B18")
        plain, placed = cluster_of(nodes), cluster_of({"127.0.0.1:1": 0} | nodes)
        grown = cluster_of(nodes | {"10.7.1.60:80": 1})
        keys = given_keys(FIELD["B18"]["input"]["keys"])[:5000]
        moved = 0
        for key in keys:
            self.assertEqual(plain.owner(key), placed.owner(key))
            if grown.owner(key) != plain.owner(key):
                moved += 1
                self.assertEqual(grown.owner(key), "10.7.1.60:80")
        self.assert_share(moved, len(keys), 0.2)

    def test_b20_ties_by_id(self):
        scores = FIELD["B20"]["input"]["forced_scores"]
        for order in itertools.permutations(scores):
            self.assertEqual(rank_scores([(id, scores[id], 1) for id in order]), FIELD["B20"]["expected"]["check"]["exact_rank"])

    def test_b23_b29_movement(self):
        for case, change, gainer in [("B23", {"add": [Node("mc9", 500)]}, "mc9"), ("B29", {"weight": [("osd.2", 3)]}, "osd.2")]:
            cluster = cluster_of(given_nodes(case))
            changed = cluster.change(**change)
            keys = given_keys(FIELD[case]["input"]["keys"])[:8000]
            moved = [key for key in keys if cluster.owner(key) != changed.owner(key)]
            self.assertTrue(all(changed.owner(key) == gainer for key in moved))
            self.assert_share(len(moved), len(keys), FIELD[case]["expected"]["check"]["moved_p"])

    def test_b24_b26_b27_removal_and_exclusion(self):
        for case, gone in [("B24", "C"), ("B26", "n4"), ("B27", "r3")]:
            cluster = cluster_of(given_nodes(case))
            changed = cluster.change(remove=[gone])
            keys = given_keys(FIELD[case]["input"]["keys"])[:4000]
            moved = [key for key in keys if cluster.owner(key) != changed.owner(key)]
            self.assertTrue(all(cluster.owner(key) == gone for key in moved))
            self.assertTrue(all(cluster.owner(key, exclude=[gone]) == changed.owner(key) for key in keys[:500]))
            self.assert_share(len(moved), len(keys), FIELD[case]["expected"]["check"]["moved_p"])

    def test_b30_b31_b32_b39_shares(self):
        for case in ["B30", "B31", "B32", "B39"]:
            nodes = given_nodes(case)
            cluster = cluster_of(nodes)
            specs = [FIELD[case]["input"]["keys"]] + FIELD[case]["input"].get("more_keys", [])
            for spec in specs:
                keys = given_keys(spec | {"n": 4000})
                found = list(owners(cluster, keys).values())
                for id, weight in nodes.items():
                    self.assert_share(found.count(id), len(keys), weight / sum(nodes.values()))

    def test_b38_copies_are_flatter_than_weights(self):
        nodes = given_nodes("B38")
        cluster = cluster_of(nodes)
        keys = given_keys(FIELD["B38"]["input"]["keys"])[:4000]
        for r, expected in FIELD["B38"]["expected"]["check"]["inclusion_p"].items():
            held = sum("n0" in cluster.replicas(key, int(r)) for key in keys)
            self.assert_share(held, len(keys), expected["n0"])

    def test_b41_counts(self):
        for case in FIELD["B41"]["input"]["cases"]:
            nodes, r = case["nodes"], case["replicas"]
            if not nodes:
                self.refused("no_nodes", Cluster, [])
                continue
            cluster = Cluster([Node(id) for id in nodes])
            for key in given_keys(FIELD["B41"]["input"]["keys"])[:200]:
                if r > len(nodes):
                    self.refused("not_enough_nodes", cluster.replicas, key, r)
                else:
                    self.assertEqual(len(set(cluster.replicas(key, r))), r)

    def test_b43_failure_domains(self):
        given = FIELD["B43"]["input"]
        cluster = Cluster([Node(n["id"], n["weight"], [n["zone"], n["host"]]) for n in given["nodes"]], levels=["zone", "host"])
        for key in given_keys(given["keys"])[:300]:
            for level in given["spread"]:
                for r in given["replicas"]:
                    self.assertEqual(len({id.split(":")[0] for id in cluster.replicas(key, r, spread=level)}), r)

    def test_b47_subsets(self):
        given = FIELD["B47"]["input"]
        cluster = Cluster([Node(n["id"], n["weight"], [n["zone"]]) for n in given["nodes"]])
        grown = cluster.change(add=[Node(n["id"], n["weight"], [n["zone"]]) for n in given["change"]["add_zone"]])
        zone = {n["id"]: n["zone"] for n in given["nodes"]}
        for tenant in given_keys(given["tenants"])[:120]:
            previous = []
            for size in given["sizes"][:-1]:
                subset = cluster.replicas(tenant, size, spread=0, relaxed=True)
                self.assertEqual(subset[:-1] if size else [], previous)
                counts = [[zone[id] for id in subset].count(z) for z in ("z0", "z1", "z2")]
                if size <= 9:
                    self.assertLessEqual(max(counts) - min(counts), 1)
                previous = subset
                after = grown.replicas(tenant, size, spread=0, relaxed=True)
                self.assertLessEqual(len(set(after) - set(subset)), 1)
            self.refused("not_enough_nodes", cluster.replicas, tenant, 12, spread=0, relaxed=True)


class WorkedExamples(Case):
    def test_scores(self):
        worked = WORKED["scores"]

        def rank(names, key):
            return rank_scores([(name, worked["keys"][key][name], 1) for name in names])

        for key, given in worked["keys"].items():
            self.assertEqual(rank("ABCD", key)[0], given["owner"])
            self.assertEqual(rank("ABCDE", key)[0], given["owner_with_E"])
        moved = {key: [rank("ABCD", key)[0], rank("ABCDE", key)[0]] for key in worked["keys"] if rank("ABCD", key)[0] != rank("ABCDE", key)[0]}
        self.assertEqual(moved, worked["add_E"]["moved"])
        moved = {key: [rank("ABCD", key)[0], rank("ABD", key)[0]] for key in worked["keys"] if rank("ABCD", key)[0] != rank("ABD", key)[0]}
        self.assertEqual(moved, worked["remove_C"]["moved"])
        alpha = worked["remove_C"]["candidates_only"]["alpha"]
        self.assertEqual((rank("ABCD", "alpha")[:2], rank("ABD", "alpha")[:2]), (alpha["top2_before"], alpha["top2_after"]))
        views = worked["membership_disagreement"]
        self.assertEqual((rank("ABD", views["key"])[0], rank("BD", views["key"])[0]), (views["view_ABD"], views["view_BD"]))

    def test_naive_weight(self):
        cluster = cluster_of({"a": 2, "b": 1})
        keys = [f"k{i}" for i in range(6000)]
        found = list(owners(cluster, keys).values())
        self.assert_share(found.count("a"), len(keys), 2 / 3)
        naive = sum(2 * draw(Hash().key_digest(k), cluster.digests[0]) > draw(Hash().key_digest(k), cluster.digests[1]) for k in keys)
        self.assert_share(naive, len(keys), 3 / 4)

    def test_modulo_contrast(self):
        keys = [f"k{i}" for i in range(4000)]
        small, large = (Cluster([Node(f"n{i}") for i in range(n)]) for n in (5, 6))
        self.assert_share(sum(modulo(k, 5) != modulo(k, 6) for k in keys), len(keys), 5 / 6)
        self.assert_share(sum(small.owner(k) != large.owner(k) for k in keys), len(keys), 1 / 6)
        self.assert_share(sum(set(small.replicas(k, 3)) != set(large.replicas(k, 3)) for k in keys), len(keys), 3 / 6)

    def test_weights(self):
        for weights in [{"a": 1, "b": 10}, {"a": 100000, "b": 1}]:
            cluster = cluster_of(weights)
            keys = [f"w{i}" for i in range(10000)]
            found = list(owners(cluster, keys).values())
            for id, weight in weights.items():
                self.assert_share(found.count(id), len(keys), weight / sum(weights.values()))


if __name__ == "__main__":
    unittest.main()
