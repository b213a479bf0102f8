"""Random cases through every front and the oracle.

    python tests/cross.py --cases 20000 --rust target/release/examples/cross --cli target/release/keystead

The seed is printed; the same seed gives the same cases. Differences are shown smallest first, each shrunk as far as it still differs. README.md describes requests and answers.
"""

import argparse
import collections
import json
import os
import pathlib
import secrets
import subprocess
import sys
import tempfile
import threading
import time

import reference_front
from cross_file import broken_file, plain_file, random_file
from dice import Dice
from random_cases import random_cluster, random_fault, random_functions, random_queries
from reference_front import text
from reference_values import draw

ROOT = pathlib.Path(__file__).parent.parent
# The table of README.md.
RUST_ONLY = {"limit", "digest", "draw", "cost"}
NOT_ASKED = {"rust": {"owner_many", "slot_indices"}, "python": RUST_ONLY, "node": RUST_ONLY}


class Pipe:
    """A front that is a program: one request a line, one answer a line."""

    def __init__(self, command):
        self.command = command
        self.process = None

    def ask(self, request):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", cwd=ROOT)
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            status = self.process.wait()
            self.process = None
            return {"error": f"crash: the front ended with status {status}"}
        return json.loads(line)

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


class Command:
    """The command: a cluster is a file, and questions with the same options are asked in one run."""

    ASKED = {"owner", "replicas", "limit", "ranking", "slot", "fingerprint", "shares"}

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.folder = tempfile.TemporaryDirectory()
        self.cluster_file = os.path.join(self.folder.name, "cluster.json")
        self.secret_file = os.path.join(self.folder.name, "secret")

    def run(self, verb, *options, keys=""):
        done = subprocess.run([self.path, verb, self.cluster_file, *self.secret_options, *options], input=keys.encode(), capture_output=True, close_fds=False)
        if done.returncode == 0:
            return done.stdout.decode()
        # The one line on standard error is `keystead: code: message`.
        words = done.stderr.decode().split(": ")
        raise Refused(words[1] if len(words) > 2 else f"crash: {done.stderr.decode()}")

    def ask(self, request):
        if "file" in request:
            content = request["file"]
            data = bytes.fromhex(content["hex"]) if "hex" in content else content["text"].encode()
        elif "cluster" in request:
            data = plain_file(request["cluster"]).encode()
        else:
            return {"answers": []}
        pathlib.Path(self.cluster_file).write_bytes(data)
        secret = request.get("secret", request.get("cluster", {}).get("secret"))
        if secret is not None:
            pathlib.Path(self.secret_file).write_text(secret)
        self.secret_options = [] if secret is None else ["--secret-file", self.secret_file]
        if not request["queries"]:
            return self.built()
        levels = request["cluster"].get("levels", []) if "cluster" in request else json.loads(data).get("levels", [])
        together = collections.defaultdict(list)
        for place, query in enumerate(request["queries"]):
            # A refused question ends a run, so it has one of its own.
            alone = place if "error" in request["expected"][place] else -1
            together[self.asked(query, levels), alone].append(place)
        answers = [None] * len(request["queries"])
        for ((verb, *options), _), places in together.items():
            queries = [request["queries"][place] for place in places]
            try:
                found = self.answers(verb, options, queries)
            except Refused as refused:
                found = [{"error": refused.args[0]}] * len(queries)
            for place, answer in zip(places, found):
                answers[place] = answer
        return {"answers": answers}

    def built(self):
        try:
            self.run("show", "--json")
        except Refused as refused:
            return {"error": refused.args[0]}
        return {"answers": []}

    def asked(self, query, levels):
        """The verb and its options."""
        if query["op"] in ("fingerprint", "shares"):
            return ("show", "--json")
        options = ["--json", "--keys-format", "json", "--keys", "-"]
        if query["op"] in ("replicas", "limit"):
            options += ["-r", query["r"]]
        options += [f"--exclude={text(id)}" for id in query.get("exclude", [])]
        if "spread" in query:
            level = query["spread"].get("level", query["spread"].get("name"))
            # On a command line digits are a level's number, so a level of such a name is said by its number.
            options.append(f"--spread={levels.index(level) if 'name' in query['spread'] and level.isdigit() else level}")
        if query.get("relaxed"):
            options.append("--relaxed")
        return ("explain" if query["op"] == "ranking" else "owner", *options)

    def answers(self, verb, options, queries):
        if verb == "show":
            shown = json.loads(self.run(verb, *options))
            return [shown["fingerprint"] if query["op"] == "fingerprint" else [node["share"] for node in shown["nodes"]] for query in queries]
        lines = self.run(verb, *options, keys="".join(json_key(query["key"]) + "\n" for query in queries)).split("\n")[:-1]
        if len(lines) != len(queries):
            return [{"error": f"crash: {len(lines)} lines for {len(queries)} keys"}] * len(queries)
        return [self.answer(query, json.loads(line)) for query, line in zip(queries, lines)]

    def answer(self, query, line):
        if query["op"] == "ranking":
            limit = int(query["limit"]) if "limit" in query else None
            return [candidate["id"] for candidate in line["candidates"]][:limit]
        if query["op"] == "limit":
            return str(line.get("limit", 1))
        if query["op"] == "slot":
            return str(line["slot"]) if "slot" in line else {"error": "unsupported"}
        return line["owner" if query["op"] == "owner" else "replicas"]

    def close(self):
        self.folder.cleanup()


class Refused(Exception):
    pass


def json_key(key):
    ((tag, content),) = key.items()
    if tag == "seq":
        return "[" + ",".join(json_key(item) for item in content) + "]"
    return {"text": lambda: json.dumps(text(content)), "hex": lambda: json.dumps(key), "int": lambda: content}[tag]()


def is_for(front, query):
    if front not in query.get("only", [front]):
        return False
    if front == "cli":
        # Where no copy is asked for, the protocol does not look at the key, and the command has to read it.
        return query["op"] in Command.ASKED and query.get("r") != "0"
    return query["op"] not in NOT_ASKED[front]


def random_request(dice):
    kind = dice.below(100)
    if kind < 8:
        return {"queries": random_functions(dice, 8)}
    value = random_cluster(dice)
    if kind < 14:
        return {"cluster": random_fault(dice, value), "queries": []}
    if kind < 28:
        content = random_file(dice, value)
        request = {"file": {"text": content}} | ({"secret": value["secret"]} if "secret" in value else {})
        if kind < 20:
            return request | {"file": {"hex": broken_file(dice, content).hex()}, "queries": []}
        return request | {"queries": random_queries(dice, value, 6)}
    queries = random_queries(dice, value, 9)
    for query in [q for q in queries if q["op"] in ("owner", "replicas") and "only" not in q][:2]:
        # Asked of the fronts only, which must agree among themselves.
        queries.append({"r": "1"} | query | {"op": "explain"})
    return {"cluster": value, "queries": queries}


class Expected:
    """What the oracle says to a request."""

    def __init__(self, request):
        asked = [query for query in request["queries"] if query["op"] != "explain"]
        answer = reference_front.answer(request | {"queries": asked})
        self.refusal = answer if "error" in answer else None
        answers = iter(answer.get("answers", []))
        self.answers = [{} if query["op"] == "explain" else next(answers, None) for query in request["queries"]]


def refusal_differs(expected, answer):
    """A place is compared where both give one: the command's is in its message only."""
    if expected is None:
        return "error" in answer
    return answer.get("error") != expected["error"] or any(answer.get(name) not in (None, expected.get(name)) for name in ("line", "column") if expected["error"] == "invalid_file")


class Run:
    def __init__(self, fronts):
        self.fronts = fronts
        self.cases = self.failed = 0
        self.compared = collections.Counter()
        self.differences = []

    def ask(self, front, request, expected):
        """The front's answers at the places of the request's queries, or its refusal."""
        places = [i for i, query in enumerate(request["queries"]) if is_for(front, query)]
        asked = {name: content for name, content in request.items()} | {"queries": [request["queries"][i] for i in places]}
        if front == "cli":
            asked["expected"] = [expected.answers[i] if expected.refusal is None else {} for i in places]
        try:
            answer = self.fronts[front].ask(asked)
        except Exception as error:  # whatever goes wrong is a difference, and the others go on
            answer = {"error": f"crash: {error!r}"}
        if "error" in answer:
            return answer, {}
        return answer, dict(zip(places, answer["answers"]))

    def differs(self, front, request, place):
        """Whether the front differs from the oracle on the query at `place`, or on the whole where that is None."""
        expected = Expected(request)
        answer, answers = self.ask(front, request, expected)
        if place is None or "error" in answer or expected.refusal is not None:
            return place is None and refusal_differs(expected.refusal, answer)
        return answers[place] != expected.answers[place]

    def compare(self, request, expected, found):
        queries = request["queries"]
        whole = expected.refusal is not None or not queries
        self.cases += 1 if whole else sum(query["op"] != "explain" for query in queries)
        bad = set()
        for front, (answer, answers) in found.items():
            self.compared[front] += 1 if whole else len(answers)
            if "error" in answer or whole:
                if refusal_differs(expected.refusal, answer):
                    bad.update([None] if whole else range(len(queries)))
                    self.add(front, request, None, expected.refusal or "built", answer)
                continue
            for place, given in answers.items():
                if queries[place]["op"] != "explain" and given != expected.answers[place]:
                    bad.add(place)
                    self.add(front, request, place, expected.answers[place], given)
        for place, query in enumerate(queries):
            explained = {front: answers[place] for front, (_, answers) in found.items() if query["op"] == "explain" and place in answers}
            if any(answer != next(iter(explained.values())) for answer in explained.values()):
                bad.add(place)
                self.add("explain", request, place, "the same from all fronts", explained)
        self.failed += len(bad)

    def add(self, front, request, place, expected, given):
        one = dict(request) | {"queries": [] if place is None else [request["queries"][place]]}
        self.differences.append((len(json.dumps(one)), len(self.differences), front, one, place, expected, given))

    def shrink(self, front, request, place):
        """Takes away nodes and parameters one by one as long as the difference stays."""
        place = None if place is None else 0
        attempts = 0
        smaller = True
        while smaller and attempts < 300:
            smaller = False
            for candidate in reductions(request):
                attempts += 1
                try:
                    stays = self.differs(front, candidate, place)
                except (AssertionError, KeyError, IndexError, ValueError):
                    stays = False
                if stays:
                    request, smaller = candidate, True
                    break
        return request


def reductions(request):
    value = request.get("cluster")
    if value is None:
        return
    asked_for = json.dumps(request["queries"])
    for i, node in enumerate(value["nodes"]):
        if json.dumps(node["id"]) in asked_for:
            continue  # without it the question is another
        yield request | {"cluster": value | {"nodes": value["nodes"][:i] + value["nodes"][i + 1 :]}}
    for name in value:
        if name != "nodes":
            yield request | {"cluster": {n: v for n, v in value.items() if n != name}}
    for i, node in enumerate(value["nodes"]):
        for name in node:
            if name != "id":
                yield request | {"cluster": value | {"nodes": value["nodes"][:i] + [{n: v for n, v in node.items() if n != name}] + value["nodes"][i + 1 :]}}
    for query in request["queries"]:
        for name in ("exclude", "spread", "relaxed", "limit"):
            if name in query:
                yield request | {"queries": [{n: v for n, v in query.items() if n != name}]}
        if "key" in query:
            yield request | {"queries": [query | {"key": {"text": "a"}}]} if query["key"] != {"text": "a"} else request | {"queries": []}


def front_of(name, given):
    if name == "rust":
        if given.rust is None:
            return Pipe(["cargo", "run", "-q", "--release", "-p", "keystead", "--features", "json", "--example", "cross"])
        return Pipe([os.path.abspath(given.rust)])
    if name == "python":
        return Pipe([given.python, "bindings-python/tests/cross_front.py"])
    if name == "node":
        return Pipe([given.node, "bindings-node/test/cross-front.mjs"])
    if given.cli is None:
        sys.exit("the front cli needs --cli PATH, the command to drive")
    return Command(given.cli)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cases", type=int, default=2000, help="at least so many cases (default 2000)")
    arguments.add_argument("--seed", type=int, help="a number below 2^64; random if left out")
    arguments.add_argument("--fronts", default="rust,python,node,cli", help="of rust, python, node, cli (default: all)")
    arguments.add_argument("--rust", help="the built example `cross`; by default cargo is asked to run it")
    arguments.add_argument("--python", default=sys.executable, help="the Python that has the package")
    arguments.add_argument("--node", default="node", help="the Node that runs the package")
    arguments.add_argument("--cli", help="the command")
    arguments.add_argument("--show", type=int, default=5, help="how many differences to show (default 5)")
    given = arguments.parse_args()
    seed = secrets.randbits(64) if given.seed is None else given.seed % 2**64
    print(f"seed {seed}", flush=True)
    run = Run({name: front_of(name, given) for name in given.fronts.split(",")})
    started, asked, batch = time.monotonic(), 0, 50
    while run.cases < given.cases:
        # The fronts answer one batch of requests while the oracle does; its answers are needed first for the command only.
        requests = [random_request(Dice(draw(seed, asked + i))) for i in range(batch)]
        asked += batch
        expected = [None] * batch
        ready = [threading.Event() for _ in requests]
        found = [{} for _ in requests]

        def serve(front):
            for i, request in enumerate(requests):
                if front == "cli":
                    ready[i].wait()
                found[i][front] = run.ask(front, request, expected[i])

        threads = [threading.Thread(target=serve, args=[front]) for front in run.fronts]
        for thread in threads:
            thread.start()
        for i, request in enumerate(requests):
            expected[i] = Expected(request)
            ready[i].set()
        for thread in threads:
            thread.join()
        for request, oracle, answers in zip(requests, expected, found):
            run.compare(request, oracle, answers)
        if sys.stderr.isatty():
            print(f"\r{run.cases:,} of {given.cases:,}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    shown = set()
    for _, _, front, request, place, expected, answer in sorted(run.differences, key=lambda d: d[:2]):
        # One example for each front and op first.
        kind = (front, request["queries"][0]["op"] if request["queries"] else "build")
        if len(shown) == given.show or kind in shown:
            continue
        shown.add(kind)
        if front in run.fronts:
            request = run.shrink(front, request, place)
            oracle = Expected(request)
            expected = oracle.refusal or (oracle.answers[0] if oracle.answers else "built")
            whole, answers = run.ask(front, request, oracle)
            answer = answers.get(0, whole)
        print(f"\n{front} differs:\n  request  {json.dumps(request)}\n  oracle   {json.dumps(expected)}\n  {front:8} {json.dumps(answer)}")
    if run.differences:
        print(f"\n{len(run.differences)} differences; once more with: python tests/cross.py --seed {seed} --cases {given.cases} …")
    for front in run.fronts.values():
        front.close()
    compared = ", ".join(f"{front} {run.compared[front]:,}" for front in run.fronts)
    print(f"{asked:,} requests in {time.monotonic() - started:.1f} s; answers compared: {compared}")
    print(f"{run.cases - run.failed} passed, {run.failed} failed")
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
