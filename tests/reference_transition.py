"""Transitions (section 10): a change of membership put into force key by key, and its file. Written from the protocol's text; standard library only."""

import hashlib

import reference_file
from reference import Cluster, Node
from reference_file import Reader, decode, judge_version, parse
from reference_hash import xxh64
from reference_values import KeysteadError, check_range, draw, encode_key, little, mulhi, text_bytes

GATE = 7


class Transition:
    """`before` is a cluster or any function from key to node id, `after` a cluster."""

    def __init__(self, before, after, part, of, epoch=None, comment=None):
        check_range("of", of, 1, 2**32 - 1)
        check_range("part", part, 0, of)
        if epoch is not None:
            check_range("epoch", epoch, 0, 2**53 - 1)
        self.before, self.after, self.part, self.of = before, after, part, of
        self.epoch, self.comment = epoch, comment

    def cuts_by_slot(self):
        """Both slots-1 with equal hash, seed or secret, and slot count; headroom and nodes may differ."""
        a, b = self.before, self.after
        if not isinstance(a, Cluster) or a.algorithm != "slots-1" or b.algorithm != "slots-1":
            return False
        return (a.hash.name, a.hash.seed, a.hash.secret, a.slots) == (b.hash.name, b.hash.seed, b.hash.secret, b.slots)

    def gate(self, key):
        if self.cuts_by_slot():
            data = little(self.after.slot(key), 4)
        elif isinstance(key, (str, bytes)):
            data = text_bytes(key) if isinstance(key, str) else key
        else:
            data = encode_key(key)
        return xxh64(data, draw(0, GATE))

    def is_passed(self, key):
        return mulhi(self.gate(key), self.of) < self.part

    def check_clusters(self, what):
        if not isinstance(self.before, Cluster):
            raise KeysteadError("unsupported", f"a transition from a function has no {what}")

    def answering(self, key):
        self.check_clusters("cluster that answers")
        return self.after if self.is_passed(key) else self.before

    def owner_before(self, key):
        return self.before.owner(key) if isinstance(self.before, Cluster) else self.before(key)

    def owner(self, key, exclude=None):
        """`exclude` applies to the cluster that answers; there is no falling back to the other."""
        if exclude is not None:
            return self.answering(key).owner(key, exclude)
        return self.after.owner(key) if self.is_passed(key) else self.owner_before(key)

    def ranking(self, key, limit=None, exclude=()):
        return self.answering(key).ranking(key, limit, exclude)

    def replica_indices(self, key, r, exclude=(), spread=None, relaxed=False):
        """The cluster that answers, the picked indices in it and the final limit. Without a key it is not known which cluster that is, so all checks but r = 0 come behind the key."""
        self.check_clusters("copies")
        if r == 0:
            return self.after, [], 1
        cluster = self.answering(key)
        return cluster, *cluster.replica_indices(key, r, exclude, spread, relaxed)

    def candidates(self, key):
        """The answer, then the other cluster's; one name where both agree."""
        names = [self.owner_before(key), self.after.owner(key)]
        if self.is_passed(key):
            names.reverse()
        return names[:1] if names[0] == names[1] else names

    def fingerprint(self):
        self.check_clusters("fingerprint")
        described = b"KSTT\x01" + bytes.fromhex(self.before.fingerprint()) + bytes.fromhex(self.after.fingerprint()) + little(self.part, 4) + little(self.of, 4)
        return hashlib.sha256(described).digest()[:16].hex()

    # By fingerprint and the outer epoch, between clusters and transitions alike.
    compare = Cluster.compare

    def at(self, part, of):
        """Further on, or back. As any change made in a program it carries no epoch."""
        return Transition(self.before, self.after, part, of, None, self.comment)

    def with_epoch(self, epoch):
        return Transition(self.before, self.after, self.part, self.of, epoch, self.comment)


class TransitionReader(Reader):
    def transition(self, root):
        whole = {"keystead": self.number, "epoch": self.number, "comment": self.text_of, "transition": self.steps}
        return self.read_members(self.members(root, ["keystead", "transition"], whole), whole)

    def steps(self, value):
        inside = {"part": self.number, "of": self.number, "before": self.cluster, "after": self.cluster}
        return self.read_members(self.members(value, list(inside), inside), inside)


def from_json(data, before_secret=None, after_secret=None):
    """`before_secret` and `after_secret` are the same where one secret serves both. Each goes to its cluster if that has sip13; a secret is unexpected only if neither has it."""
    text = decode(data)
    root = parse(text)
    judge_version(text, root)
    reader = TransitionReader(text)
    reader.check_everywhere(root)
    given = reader.transition(root)
    steps = given["transition"]
    clusters = {}
    uses = [name for name in ["before", "after"] if steps[name].get("hash") == "sip13"]
    if not uses and (before_secret is not None or after_secret is not None):
        raise KeysteadError("unexpected_secret", "neither cluster uses one")
    for name, secret in [("before", before_secret), ("after", after_secret)]:
        members = dict(steps[name])
        if members.pop("keystead") != 1:
            raise KeysteadError("unsupported_version", f"{name} is of another version")
        nodes = [Node(**node) for node in members.pop("nodes")]
        clusters[name] = Cluster(nodes, secret=secret if name in uses else None, **members)
    return Transition(clusters["before"], clusters["after"], steps["part"], steps["of"], given.get("epoch"), given.get("comment"))


def to_json(transition):
    transition.check_clusters("file")
    outer = "".join(f'"{name}": {reference_file.json.dumps(value)}, ' for name, value in [("epoch", transition.epoch), ("comment", transition.comment)] if value is not None)
    before, after = reference_file.to_json(transition.before), reference_file.to_json(transition.after)
    return f'{{"keystead": 1, {outer}"transition": {{"part": {transition.part}, "of": {transition.of}, "before": {before}, "after": {after}}}}}'
