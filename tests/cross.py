"""Random cases through every front and the oracle.

    python tests/cross.py --cases 20000 --rust target/release/examples/cross --cli target/release/keystead

The seed is printed; the same seed gives the same cases. Differences are shown smallest first, each shrunk as far as it still differs. README.md describes requests and answers.
"""

import argparse
import collections
import json
import secrets
import sys
import threading
import time

import reference_front
from cross_file import broken_file, random_file, random_transition_file
from cross_fronts import Command, front_of
from dice import Dice
from random_cases import random_cluster, random_fault, random_functions, random_queries
from random_transitions import random_step_queries, random_transition, secrets_beside
from reference_values import draw

# The table of README.md.
RUST_ONLY = {"limit", "digest", "draw", "cost"}
NOT_ASKED = {"rust": {"owner_many", "slot_indices"}, "python": RUST_ONLY, "node": RUST_ONLY}


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
    if kind >= 75:
        return random_step_request(dice)
    value = random_cluster(dice)
    if kind < 14:
        return {"cluster": random_fault(dice, value), "queries": []}
    if kind < 28:
        content = random_file(dice, value)
        request = {"file": {"text": content}} | ({"secret": value["secret"]} if "secret" in value else {})
        if kind < 20:
            return request | {"file": {"hex": broken_file(dice, content).hex()}, "queries": []}
        return request | {"queries": random_queries(dice, value, 6)}
    return {"cluster": value, "queries": with_explanations(random_queries(dice, value, 9))}


def with_explanations(queries):
    """Some of the questions once more with the reasons, asked of the fronts only, which must agree among themselves."""
    asked = [query for query in queries if query["op"] in ("owner", "replicas") and "only" not in query][:2]
    return queries + [{"r": "1"} | query | {"op": "explain"} for query in asked]


def random_step_request(dice):
    value = random_transition(dice)
    kind = dice.below(100)
    if kind < 8:
        side = dice.pick(["before", "after"])
        return {"transition": value | {side: random_fault(dice, value[side])}, "queries": []}
    if kind < 12:
        part, of = dice.pick([(2, 1), (1, 0), (0, 0), (0, 2**32), (2**32 - 1, 2**32 - 2)])
        return {"transition": value | {"part": str(part), "of": str(of)}, "queries": []}
    if kind < 40:
        content = random_transition_file(dice, value)
        request = {"transition_file": {"text": content}} | secrets_beside(value)
        if kind < 24:
            return request | {"transition_file": {"hex": broken_file(dice, content).hex()}, "queries": []}
        return request | {"queries": random_step_queries(dice, value, 6)}
    return {"transition": value, "queries": with_explanations(random_step_queries(dice, value, 9))}


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
    asked_for = json.dumps(request["queries"])
    if "cluster" in request:
        for smaller in smaller_clusters(request["cluster"], asked_for):
            yield request | {"cluster": smaller}
    elif "transition" in request:
        value = request["transition"]
        for side in ("before", "after"):
            for smaller in smaller_clusters(value[side], asked_for):
                yield request | {"transition": value | {side: smaller}}
        if "epoch" in value:
            yield request | {"transition": {n: v for n, v in value.items() if n != "epoch"}}
    else:
        return
    for query in request["queries"]:
        for name in ("exclude", "spread", "relaxed", "limit"):
            if name in query:
                yield request | {"queries": [{n: v for n, v in query.items() if n != name}]}
        if "key" in query:
            yield request | {"queries": [query | {"key": {"text": "a"}}]} if query["key"] != {"text": "a"} else request | {"queries": []}


def smaller_clusters(value, asked_for):
    for i, node in enumerate(value["nodes"]):
        if json.dumps(node["id"]) in asked_for:
            continue  # without it the question is another
        yield value | {"nodes": value["nodes"][:i] + value["nodes"][i + 1 :]}
    for name in value:
        if name != "nodes":
            yield {n: v for n, v in value.items() if n != name}
    for i, node in enumerate(value["nodes"]):
        for name in node:
            if name != "id":
                yield value | {"nodes": value["nodes"][:i] + [{n: v for n, v in node.items() if n != name}] + value["nodes"][i + 1 :]}


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
