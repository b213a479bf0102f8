"""The oracle against what others published and against the protocol's guarantees; the cases of test_cases.py are run as well.

Run with `python tests/test_reference.py`. Standard library only.
"""

import hashlib
import itertools
import json
import unittest
from fractions import Fraction

import aimed
import reference_file
import reference_front
import reference_transition
from dice import Dice
from random_cases import random_cluster
from reference import Cluster, Node
from reference_hash import U64, siphash_1_3, xxh3_64, xxh64
from reference_values import Hash, KeysteadError, caps, compare_candidates, cost, draw, encode_key, jump, mix64, rank_scores, ranked
from reference_transition import Transition
from test_cases import FIELD, HEAVY, HERE, WORKED, Case, FieldCases, WorkedExamples, cluster_of, given_keys, given_nodes, owners

__all__ = ["FieldCases", "WorkedExamples"]  # run from here


class Published(Case):
    def sets(self, what):
        found = [s for s in json.loads((HERE / "vectors/published.json").read_text())["sets"] if s["what"] == what]
        self.assertTrue(found)
        return [case for s in found for case in s["cases"]]

    def sanity_buffer(self, length):
        out, generator = bytearray(), 2654435761
        for _ in range(length):
            out.append(generator >> 56)
            generator = generator * 11400714785074694797 & U64
        return bytes(out)

    def test_xxhash(self):
        for what, function in [("xxh64", xxh64), ("xxh3_64", xxh3_64)]:
            for length, seed, answer in self.sets(what):
                self.assertEqual(function(self.sanity_buffer(int(length)), int(seed)), int(answer), (what, length, seed))

    def test_siphash(self):
        key = bytes(range(16))
        k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
        for length, answer in self.sets("siphash_1_3"):
            self.assertEqual(siphash_1_3(bytes(range(int(length))), k0, k1), int(answer), length)

    def test_sha256(self):
        for text, times, answer in self.sets("sha256"):
            self.assertEqual(hashlib.sha256(text.encode() * int(times)).hexdigest(), answer)

    def test_splitmix64(self):
        for seed, *outputs in self.sets("splitmix64"):
            for i, output in enumerate(outputs, 1):
                self.assertEqual(draw(int(seed), i), int(output))

    def test_jump(self):
        for key, n, answer in self.sets("jump"):
            self.assertEqual(jump(int(key), int(n)), int(answer), (key, n))

    def test_worked_jump(self):
        for where in [WORKED["jump"], {"pairs": FIELD["B05"]["input"]["pairs"], "buckets": FIELD["B05"]["expected"]["check"]["exact"]}]:
            self.assertEqual([jump(int(key), n) for key, n in where["pairs"]], where["buckets"])


class Cost(Case):
    def exact(self, score):
        """-log2((score|1)/2^64) in units of 2^-56, to 40 further bits, by squaring a fraction of 200 bits."""
        n = score | 1
        e = n.bit_length() - 1
        x = n << (200 - e)  # 1 ≤ x/2^200 < 2
        bits = 0
        for _ in range(96):
            x = x * x >> 200
            bits <<= 1
            if x >> 201:
                bits, x = bits | 1, x >> 1
        return Fraction((64 - e) << 96, 2**40) - Fraction(bits, 2**40)

    def scores(self):
        dice = Dice(1)
        return [s for e in range(64) for s in (2**e - 1, 2**e, 2**e + 1)] + [U64, U64 - 1, U64 - 2] + [dice.u64() >> dice.below(64) for _ in range(500)]

    def test_bounds(self):
        self.assertEqual((cost(0), cost(1), cost(U64), cost(2**63)), (2**62, 2**62, 1, 2**56))
        for score in self.scores():
            difference = cost(score) - self.exact(score)
            self.assertTrue(-Fraction(1, 2**30) <= difference < Fraction(1012, 1000), (score, float(difference)))

    def test_never_rises(self):
        scores = sorted(set(self.scores()))
        for a, b in itertools.pairwise(scores):
            self.assertGreaterEqual(cost(a), cost(b))

    def test_shortcut_for_equal_weights(self):
        dice = Dice(2)
        for case in range(300):
            base = dice.u64()
            weight = dice.pick([1, 2, HEAVY])
            candidates = [((base + dice.below(4)) % 2**64 if dice.chance(50) else dice.u64(), weight, b"%d" % i) for i in range(dice.between(2, 8))]
            for a, b in itertools.pairwise(ranked(candidates)):
                self.assertLess(compare_candidates(a, b), 0)

    def test_ties(self):
        self.assertEqual(cost(2**62), 2 * cost(2**63))
        for a, b in [("a", "b"), ("b", "a")]:
            self.assertEqual(rank_scores([(a, 2**62, 2), (b, 2**63, 1)]), [b, a])
        powers = [(f"n{e}", 2**e, 64 - e) for e in range(64)]
        expected = sorted(powers, key=lambda c: (Fraction(cost(c[1]), c[2]), -c[1]))
        self.assertEqual(rank_scores(powers), [name for name, _, _ in expected])
        self.assertGreater(len(powers), len({Fraction(cost(score), weight) for _, score, weight in powers}) + 5)

    def test_total_and_transitive(self):
        dice = Dice(3)
        for case in range(200):
            candidates = [(dice.pick([2**63, 2**62, 2**61, 0, 1, U64, dice.u64()]), dice.pick([1, 2, 3, 4, HEAVY]), b"%02d" % i) for i in range(6)]
            order = ranked(candidates)
            for a, b in itertools.combinations(order, 2):
                self.assertLess(compare_candidates(a, b), 0)
                self.assertGreater(compare_candidates(b, a), 0)


class Encoding(Case):
    def test_by_hand(self):
        self.assertEqual(encode_key("a").hex(), "01" + "0100000000000000" + "61")
        self.assertEqual(encode_key(-1).hex(), "02" + "ff" * 16)
        self.assertEqual(encode_key(2**64 - 1).hex(), "02" + "ff" * 8 + "00" * 8)
        self.assertEqual(encode_key(("a", 2)).hex(), "03" + "0200000000000000" + "01010000000000000061" + "02" + "02" + "00" * 15)

    def test_distinct_and_prefix_free(self):
        dice = Dice(4)

        def value(depth):
            kind = dice.below(4 if depth < 3 else 2)
            if kind == 0:
                return dice.bytes(dice.below(3))
            if kind == 1:
                return dice.pick([0, 1, -1, 256, 2**63, 2**64 - 1, -(2**63)])
            return tuple(value(depth + 1) for _ in range(dice.below(3)))

        values = {value(0) for _ in range(3000)}
        encoded = {encode_key(v) for v in values}
        self.assertEqual(len(encoded), len(values))
        order = sorted(encoded)
        for a, b in itertools.pairwise(order):
            self.assertFalse(b.startswith(a))

    def test_framing(self):
        for pairs in [WORKED["framing"]["pairs"], FIELD["B12"]["input"]["composite_keys"]]:
            for a, b in pairs:
                self.assertEqual("".join(a), "".join(b))
                self.assertNotEqual(encode_key(a), encode_key(b))

    def test_equal_values(self):
        self.assertEqual(encode_key(("a",)), encode_key([b"a"]))
        self.assertNotEqual(encode_key(42), encode_key("42"))
        self.assertNotEqual(encode_key(("a",)), encode_key("a"))

    def test_refused(self):
        deep = ()
        for _ in range(31):
            deep = (deep,)
        encode_key(deep)
        self.refused("invalid_key", encode_key, (deep,))
        for bad in [1.5, float("nan"), True, None, {}, object(), ("a", 1.0), 2**64, -(2**63) - 1]:
            self.refused("invalid_key", encode_key, bad)
        self.refused("invalid_text", encode_key, "\ud83d")


class Guarantees(Case):
    """Section 4's table, for a node added or removed; what does not hold is shown by an example."""

    KEEPING = [("rendezvous-1", {}), ("ring-1", {"tokens_per_weight": 9}), ("slots-1", {"slots": 300})]
    KEYS = [f"k{i}" for i in range(300)]
    NODES = {"a": 1, "b": 3, "c": 2, "d": 0, "e": 7, "f": 1}

    def changes(self, cluster):
        return [
            ("up", "g", cluster.change(add=[Node("g", 3)])),
            ("up", "b", cluster.change(weight=[("b", 5)])),
            ("up", "d", cluster.change(weight=[("d", 2)])),
            ("down", "e", cluster.change(remove=["e"])),
            ("down", "e", cluster.change(weight=[("e", 2)])),
            ("down", "c", cluster.change(drain=["c"])),
        ]

    def test_movement_and_relative_order(self):
        for algorithm, parameters in self.KEEPING:
            cluster = cluster_of(self.NODES, algorithm=algorithm, **parameters)
            for direction, id, changed in self.changes(cluster):
                for key in self.KEYS:
                    before, after = cluster.ranking(key), changed.ranking(key)
                    if before[0] != after[0]:
                        self.assertEqual((after if direction == "up" else before)[0], id)
                    self.assertEqual([n for n in before if n != id], [n for n in after if n != id])

    def test_undoing(self):
        for algorithm, parameters in self.KEEPING + [("slots-1", {"slots": 100, "headroom": 5})]:
            cluster = cluster_of(self.NODES, algorithm=algorithm, **parameters)
            for again in [cluster.change(add=[Node("g")]).change(remove=["g"]), cluster.change(drain=["e"]).change(weight=[("e", 7)]), cluster.change(remove=["b"]).change(add=[Node("b", 3)])]:
                self.assertEqual(again.description(), cluster.description())
                for key in self.KEYS[:30]:
                    self.assertEqual(again.ranking(key), cluster.ranking(key))

    def test_exclusion_is_removal(self):
        for algorithm, parameters in self.KEEPING:
            cluster = cluster_of(self.NODES, algorithm=algorithm, **parameters)
            without = cluster.change(remove=["e", "b"])
            for key in self.KEYS[:100]:
                self.assertEqual(cluster.ranking(key, exclude=["e", "b", "nobody"]), without.ranking(key))

    def test_top_r(self):
        for algorithm, parameters in self.KEEPING:
            cluster = cluster_of(self.NODES, algorithm=algorithm, **parameters)
            fewer, more = cluster.change(remove=["e"]), cluster.change(add=[Node("g", 4)])
            for key in self.KEYS[:100]:
                top = cluster.replicas(key, 3)
                expected = top if "e" not in top else [n for n in cluster.replicas(key, 4) if n != "e"]
                self.assertEqual(fewer.replicas(key, 3), expected)
                inserted = more.replicas(key, 3)
                if inserted != top:
                    self.assertEqual([n for n in inserted if n != "g"], top[:2])

    def test_what_does_not_hold(self):
        for algorithm, parameters, located in [("hierarchy-1", {}, True), ("slots-1", {"slots": 200, "headroom": 0}, False)]:
            nodes = [Node(f"n{i}", 1 + i % 3, [f"z{i % 4}"] if located else ()) for i in range(12)]
            cluster = Cluster(nodes, algorithm=algorithm, **parameters)
            grown = cluster.change(add=[Node("new", 5, ["z1"] if located else ())])
            pairs = [(cluster.owner(k), grown.owner(k)) for k in self.KEYS]
            self.assertTrue(any(a != b and b != "new" for a, b in pairs), algorithm)

    def test_hierarchy_moves_only_beneath_the_path(self):
        cluster = Cluster([Node(f"n{i}", 1 + i % 3, [f"z{i % 4}", f"h{i % 2}"]) for i in range(16)], algorithm="hierarchy-1")
        zone = {node.id: node.location[0] for node in cluster.nodes}
        grown, shrunk = cluster.change(add=[Node("new", 5, ["z1", "h0"])]), cluster.change(remove=["n5"])
        zone["new"] = "z1"
        for key in self.KEYS:
            if cluster.owner(key) != grown.owner(key):
                self.assertEqual(zone[grown.owner(key)], "z1")
            if cluster.owner(key) != shrunk.owner(key):
                self.assertEqual(zone[cluster.owner(key)], zone["n5"])
        again = grown.change(remove=["new"])
        self.assertEqual([again.ranking(k) for k in self.KEYS[:50]], [cluster.ranking(k) for k in self.KEYS[:50]])

    def test_scaling_weights(self):
        for algorithm, parameters in [("rendezvous-1", {}), ("slots-1", {"slots": 60}), ("slots-1", {"slots": 60, "headroom": 5}), ("hierarchy-1", {})]:
            for factor in [2, 3, 613566756]:
                one, scaled = (Cluster([Node(id, w * f, [id[0]]) for id, w in self.NODES.items()], algorithm=algorithm, **parameters) for f in (1, factor))
                for key in self.KEYS[:60]:
                    self.assertEqual(one.ranking(key), scaled.ranking(key))

    def test_order_of_nodes_and_drained_ones_do_not_matter(self):
        dice = Dice(6)
        for case in range(60):
            value = random_cluster(dice)
            shuffled = dict(value) | {"nodes": dice.sample(value["nodes"], len(value["nodes"]))}
            a, b = reference_front.cluster(value), reference_front.cluster(shuffled)
            self.assertEqual(a.description(), b.description())
            for key in self.KEYS[:5]:
                self.assertEqual(a.ranking(key), b.ranking(key))
            if 0 in a.weights and a.algorithm != "hierarchy-1":
                without = a.change(remove=[node.id for node in a.nodes if node.weight == 0])
                for key in self.KEYS[:5]:
                    self.assertEqual(a.ranking(key), without.ranking(key))

    def test_replicas_are_prefixes(self):
        dice = Dice(7)
        for case in range(120):
            cluster = reference_front.cluster(random_cluster(dice, depth=dice.between(1, 2)))
            for relaxed in [False, True]:
                longest = []
                for r in range(len(cluster.nodes) + 2):
                    try:
                        found, limit = cluster.replica_indices("key", r, spread=0, relaxed=relaxed)
                    except KeysteadError as error:
                        self.assertIn(error.code, ["not_enough_nodes"] if relaxed else ["not_enough_nodes", "not_enough_domains"])
                        break
                    self.assertEqual(found[:-1], longest)
                    longest = found
                    domains = [cluster.nodes[i].location[:1] for i in found]
                    self.assertTrue(all(domains.count(d) <= limit for d in domains))
                    self.assertEqual(len(set(found)), r)


    def test_with_spread_a_change_moves_one_member(self):
        for case in range(500):
            dice = Dice(1000 + case)
            algorithm, parameters = dice.pick(self.KEEPING)
            nodes = [Node(f"n{i}", dice.pick([1, 1, 2]), [f"z{dice.below(4)}"]) for i in range(dice.between(3, 9))]
            cluster = Cluster(nodes, algorithm=algorithm, **parameters)
            id = dice.pick(nodes).id
            changes = [{"add": [Node("new", 3, [f"z{dice.below(5)}"])]}, {"remove": [id]}, {"weight": [(id, dice.pick([1, 2, 5]))]}]
            changed = cluster.change(**dice.pick(changes))
            for relaxed in [False, True]:
                for r in range(1, len(nodes)):
                    try:
                        before, after = (c.replicas("key", r, spread=0, relaxed=relaxed) for c in (cluster, changed))
                    except KeysteadError:
                        break
                    self.assertLessEqual(len(set(after) - set(before)), 1)


class Rings(Case):
    def ring(self, tokens, space=32):
        return Cluster([Node(id, tokens=given) for id, given in tokens.items()], algorithm="ring-1", space=space)

    def counts(self, cluster):
        positions = [cluster.owner_at(at) for at in range(32)]
        return {node.id: positions.count(node.id) for node in cluster.nodes}

    def test_worked_ring(self):
        worked = WORKED["ring"]
        ring = self.ring(worked["tokens"])
        for id, positions in worked["owned"].items():
            self.assertEqual([at for at in range(32) if ring.owner_at(at) == id], sorted(positions))
        joined = ring.change(add=[Node("E", tokens=[12])])
        moved = {str(at): [ring.owner_at(at), joined.owner_at(at)] for at in range(32) if ring.owner_at(at) != joined.owner_at(at)}
        self.assertEqual(moved, worked["add_E_at_12"]["moved"])
        self.assertEqual(self.counts(joined), worked["add_E_at_12"]["counts"])
        left = joined.change(remove=["B"])
        self.assertEqual([at for at in range(32) if joined.owner_at(at) != left.owner_at(at)], worked["then_remove_B"]["moved"])
        self.assertEqual(self.counts(left), worked["then_remove_B"]["counts"])
        self.refused("token_collision", self.ring, worked["duplicate_token"]["tokens"])
        self.assertEqual(self.counts(self.ring(worked["one_token"]["tokens"])), worked["one_token"]["counts"])
        away = WORKED["mapping_is_not_data"]
        self.assertEqual((ring.owner_at(away["key_coordinate"]), joined.owner_at(away["key_coordinate"])), (away["before"], away["after"]))

    def test_virtual_nodes(self):
        worked = WORKED["virtual_nodes"]
        ring = self.ring(worked["tokens"])
        self.assertEqual(self.counts(ring), worked["counts"])
        for key in range(40):
            self.assertEqual(len(set(ring.replicas(key, 3))), 3)
        self.refused(worked["too_many"]["error"], ring.replicas, "k", worked["too_many"]["replicas"])

    def test_every_token_serves_its_arc(self):
        dice = Dice(8)
        for case in range(60):
            cluster = reference_front.cluster(random_cluster(dice, "ring-1"))
            size = cluster.size_of_space()
            arcs = cluster.arcs()
            self.assertEqual(sum(arc[2] for arc in arcs), size)
            self.assertEqual(sum(cluster.shares()), 1)
            for start, end, length, index in arcs[:20]:
                self.assertEqual(cluster.owner_at(end), cluster.nodes[index].id)
                self.assertEqual(cluster.owner_at((start + 1) % size), cluster.nodes[index].id)
            if size < 2000:
                for at in range(size):
                    (owner,) = [cluster.nodes[i].id for start, end, length, i in arcs if (end - at) % size < length]
                    self.assertEqual(cluster.owner_at(at), owner)

    def test_shared_coordinate_is_the_smaller_ids(self):
        near = Hash("xxh64", 0).digest(2, b"base")
        other = aimed.id_with((near + aimed.GOLDEN) % 2**64, 0)
        cluster = Cluster([Node("base"), Node(other)], algorithm="ring-1", hash="xxh64", tokens_per_weight=4)
        shared = set(draw(near, j) for j in range(2, 5))
        self.assertEqual(len(set(cluster.coordinates)), 5)
        for token in shared:
            self.assertEqual(cluster.owner_at(token), "base")

    def test_token_counts_do_not_depend_on_the_number_of_nodes(self):
        for n in FIELD["B25"]["input"]["equal_weight_node_counts"]:
            for points in FIELD["B25"]["input"]["points"]:
                cluster = Cluster([Node(f"n{i}") for i in range(n)], algorithm="ring-1", tokens_per_weight=points)
                self.assertEqual([sum(i == node for _, i in cluster.ring) for node in range(n)], [points] * n)

    def test_tokens_have_an_effect(self):
        nodes = given_nodes("B51")
        one, many = (cluster_of(nodes, algorithm="ring-1", tokens_per_weight=n) for n in (1, 160))
        keys = given_keys(FIELD["B51"]["input"]["keys"])
        self.assertNotEqual(owners(one, keys), owners(many, keys))
        for bad in [0, -1, "160", 4294967296]:
            self.refused("invalid_parameter", cluster_of, nodes, algorithm="ring-1", tokens_per_weight=bad)

    def test_history_does_not_matter(self):
        fresh = Cluster([Node(f"cache-{i}") for i in range(40)], algorithm="ring-1", tokens_per_weight=16)
        for id in ["cache-0", "cache-17", "cache-39"]:
            without = Cluster([node for node in fresh.nodes if node.id != id], algorithm="ring-1", tokens_per_weight=16)
            removed = fresh.change(remove=[id])
            self.assertEqual((removed.ring, removed.change(add=[Node(id)]).ring), (without.ring, fresh.ring))


class Slots(Case):
    def test_caps(self):
        dice = Dice(9)
        for nodes in range(1, 41):
            for headroom in [0, 1, 5, 25, 100]:
                slots = dice.between(1, 500)
                weights = [dice.pick([1, 1, 2, 5, 0]) for _ in range(nodes)]
                weights[0] += sum(weights) == 0
                limits = caps(slots, headroom, weights)
                self.assertGreaterEqual(sum(limits), slots)
                self.assertTrue(all(limit == 0 for limit, w in zip(limits, weights) if w == 0))
                if headroom == 0:
                    self.assertEqual(sum(limits), slots)
                    self.assertTrue(all(0 <= limit - slots * w // sum(weights) <= 1 for limit, w in zip(limits, weights)))

    def test_assignment(self):
        dice = Dice(10)
        for case in range(60):
            nodes, slots, headroom = dice.between(1, 12), dice.between(1, 120), dice.pick([0, 1, 5, 25, 100])
            cluster = Cluster([Node(f"n{i}", dice.pick([0, 1, 2, 9]) if i else 1) for i in range(nodes)], algorithm="slots-1", slots=slots, headroom=headroom)
            table = cluster.slot_owners()
            limits = caps(slots, headroom, cluster.weights)
            self.assertEqual(len(table), slots)
            for index, limit in enumerate(limits):
                self.assertLessEqual(table.count(index), limit)
            free = list(limits)
            for slot, owner in enumerate(table):
                natural = cluster.rank_rendezvous(cluster.slot_digest(slot))
                self.assertEqual(cluster.rank_slot(slot), [owner] + [i for i in natural if i != owner])
                self.assertTrue(all(free[i] == 0 for i in natural[: natural.index(owner)]))
                free[owner] -= 1

    def test_equal_weights_within_one_slot(self):
        for nodes in [1, 3, 7]:
            table = Cluster([Node(f"n{i}") for i in range(nodes)], algorithm="slots-1", slots=100, headroom=0).slot_owners()
            counts = [table.count(i) for i in range(nodes)]
            self.assertLessEqual(max(counts) - min(counts), 1)

    def test_first_and_last_slot(self):
        for slots in [1, 3, 271, 16384]:
            cluster = Cluster([Node("a"), Node("b")], algorithm="slots-1", slots=slots)
            for kd, slot in [(0, 0), (U64, slots - 1)]:
                self.assertEqual(cluster.slot(aimed.key_with(kd, "xxh3", 0)), slot)


class Files(Case):
    def test_written_is_read_back(self):
        dice = Dice(11)
        for case in range(100):
            value = random_cluster(dice)
            cluster = reference_front.cluster(value)
            again = reference_file.from_json(reference_file.to_json(cluster).encode(), cluster.hash.secret)
            self.assertEqual((again.description(), again.epoch), (cluster.description(), cluster.epoch))

    def test_stock_parser_agrees_on_what_is_json(self):
        """Python's own parser, made strict, accepts exactly the texts that this one calls well-formed."""

        def not_json(name):
            raise ValueError(name)  # NaN and the infinities

        good = '{"keystead": 1, "comment": "a\\u00e9\\n", "nodes": ["a", {"id": "b", "weight": 2, "meta": {}}], "x": [1.5e+3, -0, true, null, []]}'
        dice = Dice(12)
        for case in range(20000):
            text = list(good)
            for _ in range(dice.between(1, 3)):
                at = dice.below(len(text))
                text[at : at + dice.below(3)] = dice.pick(["", '"', "{", "}", "[", "]", ",", ":", "\\", "u", "0", "1", "-", "+", ".", "e", "t", "null", " ", "\n", "\t", "\x00", "\u00a0"])
            text = "".join(text)
            try:
                json.loads(text, parse_constant=not_json)
                accepted = True
            except ValueError:
                accepted = False
            try:
                reference_file.parse(text)
                ours = True
            except KeysteadError as error:
                self.assertEqual(error.code, "invalid_file")
                self.assertGreaterEqual(min(error.line, error.column), 1)
                ours = False
            self.assertEqual(ours, accepted, text)

    def test_version(self):
        for text, one in [("1", True), ("1.0", True), ("1e0", True), ("10e-1", True), ("0.1e1", True), ("100E-2", True), ("1e+0", True), ("0", False), ("-1", False), ("1e1", False), ("0.1", False), ("10", False), ("1e-999999999999", False), ("0e5", False)]:
            self.assertEqual(reference_file.is_one(text), one, text)


class Transitions(Case):
    KEYS = [f"k{i}" for i in range(400)] + [7, ("t", 1), b"\xff"]

    def pairs(self):
        """Clusters of every algorithm, before and after."""
        small, large = ([Node(f"n{i}", 1 + i % 3, [f"z{i % 3}"]) for i in range(n)] for n in (5, 7))
        kinds = [{}, {"algorithm": "ring-1", "tokens_per_weight": 8}, {"algorithm": "slots-1", "slots": 50, "headroom": 0}, {"algorithm": "hierarchy-1"}]
        return [(Cluster(small, **a), Cluster(large, **b)) for a in kinds for b in kinds]

    def test_each_key_passes_once_and_steps_add_up(self):
        for before, after in self.pairs():
            steps = [Transition(before, after, part, 6) for part in range(7)]
            for key in self.KEYS:
                passed = [step.is_passed(key) for step in steps]
                self.assertEqual(passed, sorted(passed))
                self.assertEqual((passed[0], passed[6]), (False, True))
                names = {before.owner(key), after.owner(key)}
                for step in steps:
                    self.assertEqual(set(step.candidates(key)), names)
                    self.assertEqual(step.candidates(key)[0], step.owner(key))
            self.assert_share(sum(steps[2].is_passed(f"key-{i}") for i in range(2000)), 2000, 2 / 6, 30 if steps[2].cuts_by_slot() else 5)

    def test_a_slot_is_never_cut(self):
        nodes = [Node("a"), Node("b"), Node("c")]
        before, after = Cluster(nodes[:2], algorithm="slots-1", slots=20), Cluster(nodes, algorithm="slots-1", slots=20, headroom=5)
        step = Transition(before, after, 1, 2)
        passed = {}
        for key in self.KEYS:
            self.assertEqual(passed.setdefault(after.slot(key), step.is_passed(key)), step.is_passed(key))
        for other in [{"slots": 21}, {"slots": 20, "seed": 1}, {"slots": 20, "hash": "xxh64"}]:
            self.assertFalse(Transition(Cluster(nodes, algorithm="slots-1", **other), after, 1, 2).cuts_by_slot())

    def test_fractions_and_fingerprints(self):
        before, after = Cluster([Node("a")]), Cluster([Node("a"), Node("b")])
        half, two_quarters = Transition(before, after, 1, 2), Transition(before, after, 2, 4)
        self.assertEqual([half.owner(k) for k in self.KEYS], [two_quarters.owner(k) for k in self.KEYS])
        self.assertNotEqual(half.fingerprint(), two_quarters.fingerprint())
        for part, of in [(0, 0), (-1, 2), (3, 2), (0, 2**32)]:
            self.refused("invalid_parameter", Transition, before, after, part, of)
        Transition(before, after, 2**32 - 1, 2**32 - 1)
        from_function = Transition(lambda key: "old", after, 1, 2)
        self.assertEqual({from_function.owner(k) for k in self.KEYS}, {"old", "a", "b"})
        self.refused("unsupported", from_function.fingerprint)
        for ask in [lambda: from_function.ranking("k"), lambda: from_function.replica_indices("k", 1), lambda: from_function.owner("k", []), lambda: reference_transition.to_json(from_function)]:
            self.refused("unsupported", ask)
        further = Transition(before, after, 1, 4, epoch=7, comment="x").at(2, 4)
        self.assertEqual((further.part, further.epoch, further.comment, further.with_epoch(8).epoch), (2, None, "x", 8))
        self.assertEqual(further.fingerprint(), two_quarters.fingerprint())
        self.assertEqual(half.compare(after), "different")
        self.assertEqual(Transition(before, after, 1, 2, epoch=4).compare(after.with_epoch(3)), "newer")

    def test_file(self):
        secret = bytes(range(16))
        plain, keyed = Cluster([Node("a"), Node("b")], epoch=3), Cluster([Node("a"), Node("c", 2)], hash="sip13", secret=secret)
        for before, after in [(plain, keyed), (keyed, plain), (keyed, keyed)]:
            step = Transition(before, after, 2, 6, epoch=44, comment="x")
            again = reference_transition.from_json(reference_transition.to_json(step).encode(), secret, secret)
            self.assertEqual((again.fingerprint(), again.epoch, again.comment, again.before.epoch), (step.fingerprint(), 44, "x", before.epoch))
        text = reference_transition.to_json(Transition(plain, plain, 2, 6))
        self.refused("unexpected_secret", reference_transition.from_json, text.encode(), secret, secret)
        keyed_text = reference_transition.to_json(Transition(plain, keyed, 2, 6))
        # Of two secrets one may be of no use; it is a mistake where both are.
        self.assertEqual(reference_transition.from_json(keyed_text.encode(), bytes(16), secret).fingerprint(), Transition(plain, keyed, 2, 6).fingerprint())
        self.refused("missing_secret", reference_transition.from_json, keyed_text.encode(), secret)
        self.refused("missing_secret", reference_transition.from_json, keyed_text.encode())
        for old, new, code in [('"part": 2', '"part": 7', "invalid_parameter"), ('"of": 6', '"of": 4294967296', "invalid_parameter"), ('"of": 6, ', "", "invalid_file"), ('"part": 2', '"part": "2"', "invalid_file"), ('"keystead": 1, ', '"keystead": 1, "nodes": ["a"], ', "invalid_file"), ('{"keystead": 1, "t', '{"keystead": 2, "t', "unsupported_version")]:
            self.assertIn(old, text)
            self.refused(code, reference_transition.from_json, text.replace(old, new, 1).encode())


class Aimed(Case):
    def test_digests(self):
        dice = Dice(13)
        for case in range(100):
            digest, seed = dice.u64(), dice.u64()
            for name in ["xxh3", "xxh64"]:
                self.assertEqual(Hash(name, seed).key_digest(aimed.key_with(digest, name, seed)), digest)
            self.assertEqual(mix64(aimed.undo_mix64(digest)), digest)
            self.assertEqual(draw(seed, aimed.digest_for_score(digest, seed)), digest)
        id = aimed.id_with(2**63, 5)
        self.assertEqual(Hash("xxh64", 5).digest(2, id.encode()), 2**63)

    def test_collisions(self):
        a, b = aimed.colliding_texts(draw(0, 2), b"")
        self.assertNotEqual(a, b)
        self.assertEqual(Hash("xxh64", 0).digest(2, a.encode()), Hash("xxh64", 0).digest(2, b.encode()))
        for weight in [0, 1]:
            self.refused("digest_collision", Cluster, [Node(a), Node(b, weight)], hash="xxh64")


if __name__ == "__main__":
    unittest.main()
