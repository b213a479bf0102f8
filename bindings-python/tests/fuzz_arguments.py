"""Hostile arguments: wrong types, huge sizes, objects whose methods raise, lie, or change what they are in, from several threads at once.

    python fuzz_arguments.py [--calls N] [--seed N] [--threads N]

Every call must answer or raise one of the exceptions below. A crash ends the process and so fails; a panic shows as RuntimeError and fails.
"""

import argparse
import array
import collections
import datetime
import decimal
import itertools
import os
import pathlib
import pickle
import random
import sys
import tempfile
import threading
import time
import traceback
import uuid
import warnings
from collections import Counter
from typing import Any, Callable

import keystead
import numpy
import pyarrow
from keystead import Cluster, KeysteadError, LiveCluster, Node, Transition
from seed import read_seed

CODES = set(
    "no_nodes too_many_nodes duplicate_node unknown_node invalid_id invalid_weight invalid_location uneven_locations invalid_tokens token_collision "
    "too_many_tokens digest_collision invalid_text invalid_key invalid_parameter missing_secret unexpected_secret not_enough_nodes not_enough_domains "
    "unsupported invalid_file unsupported_version stale_epoch epoch_conflict".split()
)
SECRET = b"TOPSECRET-abcdef"


class Mine(Exception):
    """What hostile objects raise: it has to come out as it went in."""

    def __str__(self) -> str:
        raise Mine("even when printed")


# BufferError: a memoryview that is in use. NotImplementedError: iterating over one of two dimensions. OSError: Cluster.load.
EXPECTED = (TypeError, ValueError, Mine, MemoryError, OverflowError, BufferError, NotImplementedError, OSError, RecursionError)


class Fuzz:
    """One thread's dice and calls. `shared` is what all threads use and change at the same time."""

    def __init__(self, seed: int, shared: dict[str, Any]) -> None:
        self.dice = random.Random(seed)
        self.shared = shared
        self.outcomes: Counter[str] = Counter()
        self.clusters = shared["clusters"]
        self.steps = shared["steps"]

    # ---- hostile objects

    def hostile(self) -> Any:
        fuzz = self

        def act() -> Any:
            """What a hostile method does: change a shared thing, ask again, raise, or give something odd."""
            dice = fuzz.dice.random()
            shared = fuzz.shared
            if dice < 0.2:
                raise Mine
            if dice < 0.3:
                raise fuzz.dice.choice([KeyError("x"), AttributeError("x"), StopIteration("x"), TypeError("x"), LookupError])
            if dice < 0.4:
                shared["list"].clear()
            elif dice < 0.5:
                shared["list"].extend(["a", 1, ("b",)])
            elif dice < 0.55:
                try:
                    shared["bytes"].extend(b"more")
                except BufferError:
                    pass
            elif dice < 0.6:
                fuzz.dice.choice(fuzz.clusters + fuzz.steps).owner(fuzz.dice.choice(["k", 7, ("t", 1)]))
            return fuzz.dice.choice([0, 1, -1, 2**64, 10**500, True, None, "text", 1.5, [], fuzz.value(2)])

        class Index:
            def __index__(self) -> Any:
                return act()

        class Iterable:
            def __iter__(self) -> Any:
                act()
                return fuzz.dice.choice([iter(["a", "b"]), iter([1, Index()]), self, None, (act() for _ in range(3))])

            def __next__(self) -> Any:
                if fuzz.dice.random() < 0.3:
                    raise StopIteration
                return act()

            def __len__(self) -> Any:
                return fuzz.dice.choice([0, 3, 2**40, -1, "x", 2**62])

        class Text(str):
            def __str__(self) -> Any:
                return act()

            def __len__(self) -> int:
                return 2**40

            def encode(self, *_: Any) -> Any:
                return act()

            __hash__ = str.__hash__

            def __eq__(self, other: object) -> Any:
                return act()

        class Listed(list[Any]):
            def __iter__(self) -> Any:
                return iter([act(), act()])

            def __len__(self) -> int:
                return 2**50

            def __getitem__(self, index: Any) -> Any:
                return act()

        class Tupled(tuple[Any, ...]):
            def __len__(self) -> int:
                return 2**50

            def __iter__(self) -> Any:
                return act()

        class Mapped(dict[Any, Any]):
            def items(self) -> Any:
                return fuzz.dice.choice([[("a", 1)], [("a",)], [1, 2], "ab", act(), [(act(), act())]])

            def keys(self) -> Any:
                return act()

        class Mapping(collections.UserDict[Any, Any]):
            def __getitem__(self, key: Any) -> Any:
                return act()

            def __iter__(self) -> Any:
                return iter([act(), act()])

        class Path:
            def __fspath__(self) -> Any:
                return act()

        class Function:
            """A placement: what a transition can come from."""

            def __call__(self, *arguments: Any) -> Any:
                return act()

            def __eq__(self, other: object) -> Any:
                return act()

            __hash__ = None

        class Liar:
            """Says that it is a str, a Cluster, a list."""

            @property
            def __class__(self) -> Any:
                return fuzz.dice.choice([str, bytes, int, list, Cluster, Node, dict])

            def __getattr__(self, name: str) -> Any:
                return act()

        class Buffer:
            """Python's own buffers, from 3.12 on."""

            def __buffer__(self, flags: int) -> Any:
                act()
                return memoryview(fuzz.dice.choice([b"abc", bytearray(b"abc")]))

            def __release_buffer__(self, view: memoryview) -> None:
                view.release()

        class Named(type):
            @property
            def __name__(cls) -> Any:
                return act()

        class Nameless(metaclass=Named):
            pass

        class Big(int):
            def __index__(self) -> int:
                return act()

            def bit_length(self) -> int:
                return act()

            def __str__(self) -> str:
                return act()

            def __gt__(self, other: object) -> Any:
                return act()

        def view() -> Any:
            try:
                return memoryview(Buffer())
            except Exception:
                return memoryview(fuzz.shared["bytes"])

        def raising() -> Any:
            yield "a"
            act()
            yield act()

        return self.dice.choice(
            [
                Index,
                Index,
                Iterable,
                lambda: Text(self.dice.choice(["a", "", "\ud800", "n1"])),
                lambda: Listed(["a", 1]),
                lambda: Tupled(("a", 1)),
                lambda: Mapped(a=1),
                lambda: Mapping(a=1),
                Path,
                Function,
                Liar,
                Buffer,
                Nameless,
                lambda: Big(self.dice.choice([0, 1, 2**70, -5])),
                view,
                raising,
            ]
        )()

    # ---- values of every kind

    def number(self) -> int:
        bits = self.dice.choice([0, 1, 2, 3, 8, 31, 32, 53, 63, 64, 65, 127, 128, 200, 20_000])
        return self.dice.choice([1, -1]) * ((1 << bits) + self.dice.choice([-1, 0, 1]))

    def text(self) -> str:
        return self.dice.choice(["", "a", "n1", "n2", "naïve", "𝔘", "\0", "\n", "\ud800", "x\udfff", "x" * 70_000, "zone", "ring-1", "sip13", "xxh3", "user:42"])

    def view(self) -> memoryview:
        view = self.dice.choice(
            [
                memoryview(b"abcdef")[::2],
                memoryview(b"abcdef")[::-1],
                memoryview(array.array("d", [1.5, 2])),
                memoryview(bytes(24)).cast("I", (2, 3)),
                memoryview(b""),
                memoryview(b"xyz"),
            ]
        )
        if self.dice.random() < 0.2:
            view = view[:]
            view.release()
        return view

    def nested(self) -> Any:
        value: Any = self.dice.choice(["a", 1, 1.5, None])
        kind = self.dice.random()
        if kind < 0.3:
            holds_itself: list[Any] = ["a"]
            holds_itself.append(holds_itself)
            return holds_itself
        for _ in range(self.dice.choice([1, 5, 31, 32, 33, 500])):
            value = [value] if self.dice.random() < 0.5 else (value,)
        if kind < 0.5:
            value = "a"
            for _ in range(self.dice.randrange(11)):
                value = (value, value)
        return value

    def value(self, depth: int = 0) -> Any:
        kind = self.dice.randrange(22)
        if kind < 3:
            return self.hostile()
        if kind < 6:
            return self.number()
        if kind < 9:
            return self.text()
        if kind < 11 and depth < 3:
            items = [self.value(depth + 1) for _ in range(self.dice.randrange(4))]
            return self.dice.choice([list, tuple, iter])(items)
        return self.dice.choice(
            [
                lambda: None,
                lambda: self.dice.choice([True, False]),
                lambda: self.dice.choice([1.5, float("nan"), float("inf"), -0.0, 1j]),
                lambda: self.dice.choice([b"", b"abc", b"\xff" * 16, SECRET, bytes(100_000)]),
                lambda: self.shared["bytes"],
                lambda: self.shared["list"],
                self.view,
                self.nested,
                lambda: {self.text(): self.number()},
                lambda: {self.text(): self.text()},
                lambda: {"a", "n1"},
                lambda: self.dice.choice([uuid.uuid4(), datetime.datetime.now(), decimal.Decimal(1), pathlib.Path("x"), object(), object, len, range(5), ...]),
                lambda: self.dice.choice(self.clusters + self.steps),
                self.node,
                lambda: (i for i in ("a", 1, "b")),
                lambda: [self.node(), "n9"],
                lambda: self.dice.choice(self.shared["texts"]),
            ]
        )()

    def node(self) -> Node:
        tokens = self.dice.choice([None, None, [1], [5, 9], [2**64 - 1]])
        return Node(f"n{self.dice.randrange(6)}", self.dice.choice([0, 1, 1, 2, 2**32 - 1]), ["z"] * self.dice.randrange(3), tokens=tokens)

    # ---- calls

    def given(self, names: str, chance: float = 0.35) -> dict[str, Any]:
        """Some of these keyword arguments, sane more often than not."""
        sane: dict[str, Callable[[], Any]] = {
            "algorithm": lambda: self.dice.choice(["rendezvous-1", "ring-1", "slots-1", "hierarchy-1"]),
            "hash": lambda: self.dice.choice(["xxh3", "xxh64", "sip13"]),
            "seed": lambda: self.dice.getrandbits(64),
            "secret": lambda: self.dice.choice([SECRET, SECRET[:15], None]),
            "epoch": lambda: self.dice.choice([0, 7, 2**53 - 1, 2**53]),
            "levels": lambda: self.dice.choice([["zone"], ("zone", "host"), [], ["a", "a"]]),
            "tokens_per_weight": lambda: self.dice.choice([1, 2, 16, 65_537]),
            "space": lambda: self.dice.choice([1, 32, 2**64 - 1]),
            "slots": lambda: self.dice.choice([1, 3, 271, 2**22 + 1]),
            "headroom": lambda: self.dice.choice([0, 5, 1000, 1001]),
            "exclude": lambda: self.dice.choice([[], ["n1"], {"n1", "n2"}, ["nobody"], [f"n{i}" for i in range(10)]]),
            "spread": lambda: self.dice.choice([0, 1, 8, "zone", "nowhere"]),
            "relaxed": lambda: self.dice.choice([True, False]),
            "limit": lambda: self.dice.choice([0, 1, 3, 10**30, -1]),
            "r": lambda: self.dice.choice([0, 1, 2, 3, 99, 10**30, -1]),
            "add": lambda: self.dice.choice([["new"], [self.node()], []]),
            "remove": lambda: self.dice.choice([["n1"], [], ["nobody"]]),
            "drain": lambda: self.dice.choice([["n1"], [], ["nobody"]]),
            "before_secret": lambda: self.dice.choice([SECRET, None]),
            "after_secret": lambda: self.dice.choice([SECRET, None]),
            "weight": lambda: self.dice.choice([{"n1": 5}, {"n1": -1}, {}, {"nobody": 1}]),
        }
        chosen = [name for name in names.split() if self.dice.random() < chance]
        return {name: sane[name]() if self.dice.random() < 0.6 else self.value() for name in chosen}

    def key(self) -> Any:
        return self.dice.choice(["user:42", 42, ("t", 1), b"x"]) if self.dice.random() < 0.3 else self.value()

    def keys(self) -> Any:
        if self.dice.random() < 0.2:
            return self.column()
        return [self.key() for _ in range(self.dice.randrange(5))] if self.dice.random() < 0.5 else self.value()

    def column(self) -> Any:
        """Keys that lie side by side; a few of them are shared, and written to meanwhile."""
        some = numpy.array([self.dice.getrandbits(63) for _ in range(self.dice.randrange(5))], self.dice.choice(["u8", "i8", ">i4", "u1", "f8", "?", "S3", "U3", "V2", "M8[s]"]))
        self.shared["array"][self.dice.randrange(5000)] = self.dice.choice([b"", b"abc", b"\0a"])
        return self.dice.choice(
            [
                lambda: some,
                lambda: some[::-2],
                lambda: some.reshape(1, -1),
                lambda: memoryview(some) if some.dtype.kind in "iuf" else some,
                lambda: self.shared["array"],
                lambda: pyarrow.array(some.tolist()) if some.dtype.kind in "iuf?U" else pyarrow.nulls(3),
                lambda: pyarrow.table({name: ["a", None] for name in self.dice.choice(["", "k", "kl"])}),
                lambda: self.shared["reader"],
                lambda: pyarrow.array(["a", None, "b"] * 3).dictionary_encode()[self.dice.randrange(9) :],
            ]
        )()

    def nodes(self) -> Any:
        return [self.node() for _ in range(self.dice.randrange(6))] if self.dice.random() < 0.4 else self.value()

    def build(self) -> Cluster:
        c = Cluster(self.nodes(), **self.given("algorithm hash seed secret epoch levels tokens_per_weight space slots headroom", 0.2))
        if len(c) < 1000 and not c.has_secret:
            self.clusters[self.dice.randrange(len(self.clusters))] = c
        return c

    def read(self) -> Any:
        text = self.dice.choice(self.shared["texts"])
        cut = self.dice.randrange(len(text) + 1)
        damaged = text[:cut] + self.dice.choice(["", "\0", "1", "}", '"', "\\ud800", "é", "\ud800", "[" * 20]) + text[cut + self.dice.randrange(3) :]
        encoded = damaged.encode(errors="surrogatepass")
        read = self.dice.choice([text, damaged, encoded, self.value()])
        if self.dice.random() < 0.4:
            return Transition.from_json(read, **self.given("secret before_secret after_secret", 0.1))
        return Cluster.from_json(read, **self.given("secret", 0.1))

    def step(self) -> Any:
        """A transition is made, or asked."""
        c: Cluster = self.dice.choice(self.clusters)
        t: Transition = self.dice.choice(self.steps)

        def make() -> Transition:
            sides = [self.dice.choice([*self.clusters, self.value()]), self.dice.choice([*self.clusters, self.value()])]
            fraction = self.dice.choice([(0, 1), (1, 2), (7, 7), (self.value(), self.value())])
            made = Transition(*sides, *fraction, **self.given("epoch"))
            self.steps[self.dice.randrange(len(self.steps))] = made
            return made

        live: LiveCluster = self.shared["live"]

        def publish() -> None:
            """What the file of the live cluster holds next, good or bad: often with an epoch, seldom a larger one."""
            text = self.dice.choice([*self.shared["texts"], "{", ""])
            beside = f"{live.path}.{threading.get_ident()}"
            pathlib.Path(beside).write_text(text, "utf-8")
            os.replace(beside, live.path)

        def difference() -> list[Any]:
            return [self.dice.choice([*self.clusters, *self.steps, self.value()])]

        def limit() -> Any:
            return self.dice.choice(["1keys", "3B", "40%", "9%/node,5keys", "0keys", "1.5.5MB", "x" * 10_000, self.value()])

        return self.dice.choice(
            [
                make,
                make,
                lambda: t.owner(self.key(), **self.given("exclude", 0.2)),
                lambda: t.candidates(self.key()),
                lambda: t.passes(self.key()),
                lambda: t.ranking(self.key(), **self.given("limit exclude")),
                lambda: t.replicas(self.key(), **{"r": 2} | self.given("r spread relaxed exclude")),
                lambda: t.explain(self.key(), **self.given("r spread relaxed exclude")),
                lambda: t.at(self.value(), self.value()),
                lambda: t.with_epoch(self.value()),
                lambda: t.compare(self.value()),
                lambda: self.dice.choice([c, t]).diff(*difference(), self.keys(), **self.given("r spread relaxed exclude", 0.1)),
                lambda: self.dice.choice([c, t]).diff(*difference(), self.keys(), self.value()),
                lambda: keystead.plan(*difference(), *difference(), self.keys(), limit=limit()),
                lambda: keystead.plan(c, t, *self.dice.choice([[], [self.keys(), self.value()]]), limit=limit()),
                lambda: list(itertools.islice(self.dice.choice([c, t]).diff_keys(*difference(), self.keys()), 9)),
                lambda: c.compare(t),
                lambda: t == self.value(),
                lambda: t == self.dice.choice(self.steps),
                lambda: (hash(t), repr(t), t.before, t.after, t.part, t.of, t.epoch, t.comment),
                lambda: Transition.from_json(t.to_json()).fingerprint,
                lambda: pickle.dumps(t),
                lambda: live.refresh(),
                lambda: live.owner(self.key(), **self.given("exclude", 0.2)),
                lambda: live.candidates(self.key()),
                lambda: live.ranking(self.key(), **self.given("limit exclude")),
                lambda: live.replicas(self.key(), **{"r": 2} | self.given("r spread relaxed exclude")),
                lambda: live.explain(self.key(), **self.given("r spread relaxed exclude")),
                lambda: (live.path, live.current, repr(live)),
                publish,
                lambda: LiveCluster(self.dice.choice([live.path, self.value()]), **self.given("secret before_secret after_secret", 0.2)),
                lambda: Transition.load(self.dice.choice(["missing", self.value(), b"\0", pathlib.Path(".")])),
            ]
        )()

    def call(self) -> Any:
        c: Cluster = self.dice.choice(self.clusters)
        return self.dice.choice(
            [
                lambda: c.owner(self.key(), **self.given("exclude")),
                lambda: c[self.key()],
                lambda: c.ranking(self.key(), **self.given("limit exclude")),
                lambda: c.replicas(self.key(), **{"r": 2} | self.given("r spread relaxed exclude")),
                lambda: c.explain(self.key(), **self.given("r spread relaxed exclude")),
                lambda: c.owner_many(self.keys()),
                lambda: c.owner_indices(self.keys()).tolist(),
                lambda: c.replica_indices(self.keys(), **{"r": 2} | self.given("r")).tolist(),
                lambda: c.slot_indices(self.keys()),
                lambda: c.group_by_owner(self.keys()),
                lambda: c.slot(self.key()),
                lambda: c.slots_of(self.value()),
                lambda: c.slot_ranking(self.value(), **self.given("limit")),
                lambda: c.owner_at(self.value()),
                lambda: (c.slot_owners() if self.dice.random() < 0.5 else c.arcs()),
                lambda: c.node(self.value()),
                lambda: self.value() in c,
                lambda: c == self.value(),
                lambda: c.compare(self.value()),
                lambda: c.with_node(self.value()),
                lambda: c.without_node(self.value()),
                lambda: c.with_weight(self.dice.choice(["n1", self.value()]), self.value()),
                lambda: c.with_epoch(self.value()),
                lambda: c.change(**self.given("add remove weight drain")),
                lambda: Node(self.value(), self.value()),
                lambda: Node("n1", location=self.value()),
                lambda: Node("n1", tokens=self.value(), meta=self.value()),
                lambda: Node("n1", address=self.value(), comment=self.value()),
                lambda: repr(self.node()) + repr(c),
                lambda: self.node() == self.value(),
                self.build,
                self.build,
                self.read,
                self.step,
                self.step,
                self.step,
                lambda: Cluster.load(self.dice.choice(["missing", self.value(), b"\0", pathlib.Path(".")])),
                lambda: Cluster.from_json(c.to_json()).fingerprint,
                lambda: keystead.encode_key(self.key()),
                lambda: keystead.jump(self.value(), self.value()),
                lambda: keystead.jump_bucket(self.key(), self.value(), **self.given("hash seed secret")),
                lambda: keystead.modulo(self.key(), 7, **self.given("hash seed secret")),
                lambda: keystead.rank_scores(self.dice.choice([[("a", self.value())], [("a", 1, self.value())], [self.value()], self.value()])),
                lambda: (hash(c), c.shares(), c.description(), c.nodes, list(c), len(c)),
                lambda: getattr(keystead, self.dice.choice(keystead.__all__[:-1]))(self.value(), self.value()),
            ]
        )()

    def run(self, calls: int, failures: list[str]) -> None:
        for _ in range(calls):
            if failures:
                return
            try:
                self.call()
                outcome = "answered"
            except KeysteadError as error:
                outcome = error.code
                message = BaseException.__str__(error)
                if error.code not in CODES and type(error) is not KeysteadError or len(message) > 2000 or "TOPSECRET" in message:
                    failures.append(f"{error.code}: {message[:500]}")
            except EXPECTED as error:
                outcome = type(error).__name__
            except (KeyError, AttributeError, StopIteration, LookupError, RuntimeError) as error:
                # What a hostile method raised itself; a generator turns its StopIteration into a RuntimeError.
                outcome = type(error).__name__
                if isinstance(error, RuntimeError) and "StopIteration" not in str(error):
                    failures.append(traceback.format_exc())
            except BaseException:  # pyo3's PanicException is one
                failures.append(traceback.format_exc())
                return
            self.outcomes[outcome] += 1
            if self.dice.random() < 0.02:
                self.shared["list"][:] = ["a", 1, ("b", 2)]


def shared_things(folder: str) -> dict[str, Any]:
    nodes = [Node(f"n{i}", i % 3, [f"z{i % 2}", f"h{i}"]) for i in range(6)]
    clusters = [
        Cluster(nodes, levels=["zone", "host"]),
        Cluster(nodes, algorithm="ring-1", tokens_per_weight=8),
        Cluster([Node("n1", tokens=[1, 7]), Node("n2", tokens=[9])], algorithm="ring-1", space=32),
        Cluster(nodes, algorithm="slots-1", slots=97, headroom=5),
        Cluster(nodes, algorithm="hierarchy-1", levels=["zone", "host"]),
    ]
    steps = [
        Transition(clusters[0], clusters[4], 1, 2),
        Transition(clusters[3], clusters[3].with_weight("n1", 5), 1, 3, epoch=7),
        Transition(lambda key: "old", clusters[1], 1, 2),
    ]
    path = pathlib.Path(folder) / "live.json"
    path.write_text(clusters[0].to_json(), "utf-8")
    return {
        "clusters": clusters,
        "live": LiveCluster(path),
        "steps": steps,
        "list": ["a", 1, ("b", 2)],
        "bytes": bytearray(b"abc"),
        "array": numpy.zeros(5000, "S3"),
        "reader": pyarrow.table({"key": ["a", "b"]}).to_reader(),
        "texts": [described.to_json() for described in [*clusters, *steps[:2]]],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=read_seed, default=None, help="a number or random; KEYSTEAD_SEED's or 1 where none is given")
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    options.seed = read_seed() if options.seed is None else options.seed
    print(f"seed {options.seed}, {options.calls} calls in {options.threads} threads, again as many in one", flush=True)
    sys.setswitchinterval(1e-5)
    warnings.simplefilter("ignore", DeprecationWarning)  # Python's own, of a hostile __index__ that gives a bool
    failures: list[str] = []
    outcomes: Counter[str] = Counter()
    started = time.monotonic()
    folder = tempfile.TemporaryDirectory()
    for threads in (1, options.threads):
        shared = shared_things(folder.name)
        workers = [Fuzz(options.seed + number, shared) for number in range(threads)]
        share = -(-options.calls // threads)
        running = [threading.Thread(target=worker.run, args=(share, failures)) for worker in workers]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        outcomes += sum((worker.outcomes for worker in workers), Counter())
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{outcomes.total()} calls in {time.monotonic() - started:.1f} s: {dict(outcomes.most_common())}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
