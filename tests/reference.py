"""The placement protocol in plain Python: nodes, clusters and what they answer. This is the oracle.

Written from the protocol's text and from nothing else; the sections named here are the protocol's, and the two can be read side by side. Nothing is done cleverly, nothing is fast.
Standard library only; a refused input raises KeysteadError with `.code`. What stands under it is in reference_values.py and reference_hash.py, cluster files are in reference_file.py.
"""

import bisect
import hashlib
from fractions import Fraction

from reference_hash import U64
from reference_values import CHECK, HASHES, LOCATION, NODE, SLOT
from reference_values import Hash, KeysteadError, caps, check_name, check_range, draw, encode_key, is_integer, little, mulhi, ranked, text_bytes

ALGORITHMS = ["rendezvous-1", "ring-1", "slots-1", "hierarchy-1"]


class Node:
    def __init__(self, id, weight=1, location=(), tokens=None, address=None, meta=None, comment=None):
        check_name(id, "invalid_id")
        check_range("weight", weight, 0, 2**32 - 1, "invalid_weight")
        if len(location) > 8:
            raise KeysteadError("invalid_location", f"{len(location)} texts: at most 8")
        for part in location:
            check_name(part, "invalid_location")
        if tokens is not None:
            if len(tokens) == 0 or len(set(tokens)) < len(tokens):
                raise KeysteadError("invalid_tokens", "a non-empty list of distinct integers is needed")
            for token in tokens:
                check_range("token", token, 0, U64, "invalid_tokens")
            tokens = sorted(tokens)
        meta = {} if meta is None else dict(meta)
        for text in [address, comment, *meta.keys(), *meta.values()]:
            if text is not None:
                text_bytes(text)
        self.id, self.weight, self.location, self.tokens = id, weight, tuple(location), tokens
        self.address, self.meta, self.comment = address, meta, comment

    def with_weight(self, weight):
        return Node(self.id, weight, self.location, self.tokens, self.address, self.meta, self.comment)


class Cluster:
    def __init__(self, nodes, algorithm=None, hash=None, seed=None, secret=None, epoch=None, levels=None, tokens_per_weight=None, space=None, slots=None, headroom=None, comment=None):
        self.algorithm = "rendezvous-1" if algorithm is None else algorithm
        text_bytes(self.algorithm)
        if self.algorithm not in ALGORITHMS:
            raise KeysteadError("invalid_parameter", f"algorithm {algorithm!r} is unknown")
        self.hash = Hash(hash, seed, secret)
        self.nodes = sorted(nodes, key=lambda node: text_bytes(node.id))
        self.weights = [node.weight for node in self.nodes]
        self.epoch, self.levels, self.comment = epoch, levels, comment
        self.tokens_per_weight, self.space, self.slots, self.headroom = tokens_per_weight, space, slots, headroom
        self.check_nodes()
        self.check_parameters()
        self.digests = [self.hash.digest(NODE, text_bytes(node.id)) for node in self.nodes]
        if len(set(self.digests)) < len(self.digests):
            raise KeysteadError("digest_collision", "two nodes have one digest")
        if self.algorithm == "ring-1":
            self.build_ring()
        if self.algorithm == "hierarchy-1":
            self.build_hierarchy()
        self.table = {}  # slots-1: the assigned owner of each slot, filled when first asked for

    def check_nodes(self):
        if len(self.nodes) > 2**20:
            raise KeysteadError("too_many_nodes", f"{len(self.nodes)} nodes: at most {2**20}")
        for a, b in zip(self.nodes, self.nodes[1:]):
            if a.id == b.id:
                raise KeysteadError("duplicate_node", a.id)
        if sum(self.weights) == 0:
            raise KeysteadError("no_nodes", f"{len(self.nodes)} drained")

    def check_parameters(self):
        if self.epoch is not None:
            check_range("epoch", self.epoch, 0, 2**53 - 1)
        if self.levels is not None:
            if not 1 <= len(self.levels) <= 8 or len(set(self.levels)) < len(self.levels):
                raise KeysteadError("invalid_parameter", "levels are 1 to 8 distinct texts")
            for level in self.levels:
                check_name(level, "invalid_parameter")
        for name, owner in [("tokens_per_weight", "ring-1"), ("space", "ring-1"), ("slots", "slots-1"), ("headroom", "slots-1")]:
            if getattr(self, name) is not None and self.algorithm != owner:
                raise KeysteadError("invalid_parameter", f"{name} belongs to {owner}")
        if self.algorithm != "ring-1" and any(node.tokens is not None for node in self.nodes):
            raise KeysteadError("invalid_parameter", "tokens belong to ring-1")
        if self.algorithm == "slots-1":
            self.slots = 16384 if self.slots is None else self.slots
            check_range("slots", self.slots, 1, 2**22)
            if self.headroom is not None:
                check_range("headroom", self.headroom, 0, 1000)

    # Section 5: rings

    def build_ring(self):
        explicit = [node.tokens is not None for node in self.nodes]
        if any(explicit) and not all(explicit):
            raise KeysteadError("invalid_tokens", "some nodes give tokens and some do not")
        if all(explicit):
            if self.tokens_per_weight is not None:
                raise KeysteadError("invalid_parameter", "tokens_per_weight beside explicit tokens")
            self.check_explicit_tokens()
            given = [node.tokens for node in self.nodes]
        else:
            if self.space is not None:
                raise KeysteadError("invalid_parameter", "space without explicit tokens")
            self.tokens_per_weight = 256 if self.tokens_per_weight is None else self.tokens_per_weight
            check_range("tokens_per_weight", self.tokens_per_weight, 1, 65536)
            if sum(self.weights) * self.tokens_per_weight > 2**26:
                raise KeysteadError("too_many_tokens", f"at most {2**26}")
            given = [[draw(nd, j) for j in range(1, w * self.tokens_per_weight + 1)] for nd, w in zip(self.digests, self.weights)]
        # Indices are in the order of ids, so this is the order by (coordinate, id). Tokens of drained nodes serve nothing.
        self.ring = sorted((t, i) for i, tokens in enumerate(given) if self.weights[i] > 0 for t in tokens)
        self.coordinates = [t for t, _ in self.ring]

    def check_explicit_tokens(self):
        if self.space is not None:
            check_range("space", self.space, 2, U64)
        holder = {}
        count = 0
        for node in self.nodes:
            count += len(node.tokens)
            if count > 2**26:
                raise KeysteadError("too_many_tokens", f"at most {2**26}")
            if node.weight > 1:
                raise KeysteadError("invalid_weight", f"{node.id} has explicit tokens and weight {node.weight}: 1 or 0")
            for token in node.tokens:
                if token >= self.size_of_space():
                    raise KeysteadError("invalid_tokens", f"token {token} is not below the space {self.space}")
                if token in holder:
                    raise KeysteadError("token_collision", f"{token} is given by {holder[token]} and {node.id}")
                holder[token] = node.id

    def size_of_space(self):
        return 2**64 if self.space is None else self.space

    def rank_ring(self, coordinate):
        start = bisect.bisect_left(self.coordinates, coordinate)  # the first token ≥ the coordinate
        met = []
        for _, index in self.ring[start:] + self.ring[:start]:
            if index not in met:
                met.append(index)
                if len(met) == sum(w > 0 for w in self.weights):
                    break
        return met

    def arcs(self):
        """(start, end, length, index) for every distinct coordinate of a serving token."""
        self.only_for("ring-1")
        first = {}
        for token, index in self.ring:
            first.setdefault(token, index)
        ends = sorted(first)
        size = self.size_of_space()
        return [(ends[k - 1], end, (end - ends[k - 1]) % size or size, first[end]) for k, end in enumerate(ends)]

    # Section 6: slots

    def slot_digest(self, slot):
        return self.hash.digest(SLOT, little(slot, 4))

    def slot_owner_index(self, slot):
        if self.headroom is None:
            return self.rank_rendezvous(self.slot_digest(slot))[0]
        if not self.table:
            free = caps(self.slots, self.headroom, self.weights)
            for s in range(self.slots):
                owner = next(i for i in self.rank_rendezvous(self.slot_digest(s)) if free[i] > 0)
                free[owner] -= 1
                self.table[s] = owner
        return self.table[slot]

    def rank_slot(self, slot):
        natural = self.rank_rendezvous(self.slot_digest(slot))
        owner = natural[0] if self.headroom is None else self.slot_owner_index(slot)
        return [owner] + [i for i in natural if i != owner]

    def slot(self, key):
        self.only_for("slots-1")
        return mulhi(self.hash.key_digest(key), self.slots)

    def slot_owners(self):
        self.only_for("slots-1")
        return [self.slot_owner_index(s) for s in range(self.slots)]

    def slots_of(self, id):
        self.only_for("slots-1")
        index = self.index_of(id)
        return [s for s, owner in enumerate(self.slot_owners()) if owner == index]

    def slot_ranking(self, slot, limit=None):
        self.only_for("slots-1")
        check_range("slot", slot, 0, self.slots - 1)
        return self.limited(self.rank_slot(slot), limit)

    # Section 8: hierarchy

    def build_hierarchy(self):
        depths = {len(node.location) for node in self.nodes}
        if len(depths) > 1 or 0 in depths:
            raise KeysteadError("uneven_locations", "every node needs a location of one depth, at least 1")
        self.location_digests = {}
        taken = set()
        for path in sorted({node.location[:k] for node in self.nodes for k in range(1, len(node.location) + 1)}):
            digest = self.hash.digest(LOCATION, encode_key(path))
            if (path[:-1], digest) in taken:
                raise KeysteadError("digest_collision", "two sibling domains have one digest")
            taken.add((path[:-1], digest))
            self.location_digests[path] = digest

    def rank_hierarchy(self, kd, indices, level):
        if level == len(self.nodes[0].location):
            return self.rank_rendezvous(kd, indices)
        beneath = {}
        for i in indices:
            if self.weights[i] > 0:
                beneath.setdefault(self.nodes[i].location[: level + 1], []).append(i)
        domains = [(draw(kd, self.location_digests[path]), sum(self.weights[i] for i in inside), text_bytes(path[-1]), path) for path, inside in beneath.items()]
        order = []
        for domain in ranked(domains):
            order += self.rank_hierarchy(kd, beneath[domain[3]], level + 1)
        return order

    # Rankings, as indices

    def rank_rendezvous(self, kd, indices=None):
        indices = range(len(self.nodes)) if indices is None else indices
        return [c[2] for c in ranked([(draw(kd, self.digests[i]), self.weights[i], i) for i in indices])]

    def full_ranking(self, kd):
        """Every node of weight above 0 once, for a key of digest kd."""
        if self.algorithm == "rendezvous-1":
            return self.rank_rendezvous(kd)
        if self.algorithm == "ring-1":
            return self.rank_ring(kd if self.space is None else mulhi(kd, self.space))
        if self.algorithm == "slots-1":
            return self.rank_slot(mulhi(kd, self.slots))
        return self.rank_hierarchy(kd, range(len(self.nodes)), 0)

    # Section 9: answers

    def left_after(self, exclude, order):
        for id in exclude:
            text_bytes(id)
        return [i for i in order if self.nodes[i].id not in exclude]

    def check_something_left(self, order, exclude):
        if not order:
            raise KeysteadError("no_nodes", f"{self.weights.count(0)} drained, the others excluded")

    def owner(self, key, exclude=()):
        order = self.left_after(exclude, self.full_ranking(self.hash.key_digest(key)))
        self.check_something_left(order, exclude)
        return self.nodes[order[0]].id

    def limited(self, order, limit):
        if limit is not None and limit < 0:
            raise KeysteadError("invalid_parameter", f"limit {limit} is negative")
        return [self.nodes[i].id for i in order[:limit]]

    def ranking(self, key, limit=None, exclude=()):
        order = self.left_after(exclude, self.full_ranking(self.hash.key_digest(key)))
        if limit != 0:
            self.check_something_left(order, exclude)
        return self.limited(order, limit)

    def spread_level(self, spread):
        if isinstance(spread, str):
            text_bytes(spread)
            if self.levels is None or spread not in self.levels:
                raise KeysteadError("invalid_parameter", f"level {spread!r} is unknown")
            return list(self.levels).index(spread)
        check_range("spread", spread, 0, 7)
        return spread

    def check_replicas(self, r, spread=None):
        """The checks that come before the key; the level to spread over, or None."""
        if not is_integer(r) or r < 0:
            raise KeysteadError("invalid_parameter", f"r {r} is negative")
        if r == 0:
            return None
        level = None
        if spread is not None:
            level = self.spread_level(spread)
        elif self.algorithm == "hierarchy-1" and r > 1:
            raise KeysteadError("invalid_parameter", "hierarchy-1 needs a spread for r above 1")
        if level is not None and any(node.weight > 0 and len(node.location) <= level for node in self.nodes):
            raise KeysteadError("uneven_locations", f"a node has no location text at level {level}")
        return level

    def replica_indices(self, key, r, exclude=(), spread=None, relaxed=False):
        """The picked indices and the final limit. The order of the checks is section 9's."""
        level = self.check_replicas(r, spread)
        if r == 0:
            return [], 1
        kd = self.hash.key_digest(key)
        order = self.left_after(exclude, self.full_ranking(kd))
        self.check_something_left(order, exclude)
        if r > len(order):
            raise KeysteadError("not_enough_nodes", f"{r} asked for, {len(order)} there")
        if level is None:
            return order[:r], 1
        limit, picked = 1, []
        while True:
            for i in order:
                domain = self.nodes[i].location[: level + 1]
                in_domain = sum(self.nodes[p].location[: level + 1] == domain for p in picked)
                if i in picked or in_domain >= limit:
                    continue
                picked.append(i)
                if len(picked) == r:
                    return picked, limit
            if not relaxed:
                raise KeysteadError("not_enough_domains", f"{r} asked for, {len(picked)} there")
            limit += 1

    def replicas(self, key, r, exclude=(), spread=None, relaxed=False):
        return [self.nodes[i].id for i in self.replica_indices(key, r, exclude, spread, relaxed)[0]]

    def owner_at(self, at):
        """Without hashing: a ring's coordinate; for slots a u64 in place of kd."""
        self.only_for("ring-1", "slots-1")
        check_range("coordinate", at, 0, (self.size_of_space() if self.algorithm == "ring-1" else 2**64) - 1)
        order = self.rank_ring(at) if self.algorithm == "ring-1" else self.rank_slot(mulhi(at, self.slots))
        return self.nodes[order[0]].id

    def only_for(self, *algorithms):
        if self.algorithm not in algorithms:
            raise KeysteadError("unsupported", f"{self.algorithm} cannot do this")

    def index_of(self, id):
        text_bytes(id)
        for index, node in enumerate(self.nodes):
            if node.id == id:
                return index
        raise KeysteadError("unknown_node", id)

    def shares(self):
        """Each node's exact share of the keys, by index; for slots its share of the slots."""
        if self.algorithm == "ring-1":
            lengths = [0] * len(self.nodes)
            for _, _, length, index in self.arcs():
                lengths[index] += length
            return [Fraction(length, self.size_of_space()) for length in lengths]
        if self.algorithm == "slots-1":
            owners = self.slot_owners()
            return [Fraction(owners.count(i), self.slots) for i in range(len(self.nodes))]
        return [Fraction(w, sum(self.weights)) for w in self.weights]

    # Section 10: description, fingerprint, epoch

    def description(self):
        ring, slots = self.algorithm == "ring-1", self.algorithm == "slots-1"
        out = b"KSTD\x01" + bytes([ALGORITHMS.index(self.algorithm) + 1, HASHES.index(self.hash.name) + 1])
        out += little(self.hash.digest(CHECK, b""), 8) + little(self.hash.digest(CHECK, b"\x00"), 8)
        if ring:
            out += little(self.tokens_per_weight or 0, 4) + little(self.space or 0, 8)
        if slots:
            out += little(self.slots, 4) + little(0xFFFFFFFF if self.headroom is None else self.headroom, 4)
        out += little(len(self.nodes), 4)
        for node in self.nodes:
            id = text_bytes(node.id)
            out += little(len(id), 8) + id + little(node.weight, 4) + little(len(node.location), 4)
            for part in node.location:
                out += little(len(text_bytes(part)), 8) + text_bytes(part)
            if ring and node.tokens is None:
                out += little(0xFFFFFFFF, 4)
            elif ring:
                out += little(len(node.tokens), 4) + b"".join(little(token, 8) for token in node.tokens)
        if self.levels is not None:
            section = encode_key(list(self.levels))
            out += b"\x01" + little(len(section), 8) + section
        return out

    def fingerprint(self):
        return hashlib.sha256(self.description()).digest()[:16].hex()

    def compare(self, other):
        if self.fingerprint() == other.fingerprint():
            return "same"
        if self.epoch is None or other.epoch is None:
            return "different"
        if self.epoch == other.epoch:
            return "conflict"
        return "newer" if self.epoch > other.epoch else "older"

    # Changes

    def rebuilt(self, nodes, epoch):
        explicit = any(node.tokens is not None for node in self.nodes)
        return Cluster(
            nodes, self.algorithm, self.hash.name, self.hash.seed, self.hash.secret, epoch, self.levels,
            None if explicit else self.tokens_per_weight, self.space, self.slots, self.headroom, self.comment,
        )  # fmt: skip

    def change(self, add=(), remove=(), weight=(), drain=()):
        """Removes, adds, sets weights, drains, in this order; `weight` is a list of (id, weight). The result carries no epoch."""
        nodes = {node.id: node for node in self.nodes}

        def present(id):
            text_bytes(id)
            if id not in nodes:
                raise KeysteadError("unknown_node", id)
            return nodes[id]

        for id in remove:
            present(id)
            del nodes[id]
        for node in add:
            if node.id in nodes:
                raise KeysteadError("duplicate_node", node.id)
            nodes[node.id] = node
        for id, new_weight in list(weight) + [(id, 0) for id in drain]:
            nodes[id] = present(id).with_weight(new_weight)
        return self.rebuilt(nodes.values(), None)

    def with_epoch(self, epoch):
        return self.rebuilt(self.nodes, epoch)
