"""The fronts of cross.py: programs that answer requests, and the command, which is driven."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from cross_file import plain_file, plain_transition_file
from random_transitions import secrets_beside
from reference_front import content, text

ROOT = pathlib.Path(__file__).parent.parent


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
    """The command: a cluster or a transition is a file, and questions with the same options are asked in one run."""

    ASKED = {"owner", "replicas", "limit", "ranking", "slot", "fingerprint", "shares", "candidates", "passes"}

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.folder = tempfile.TemporaryDirectory()
        self.cluster_file = os.path.join(self.folder.name, "cluster.json")

    def run(self, verb, *options, keys=""):
        done = subprocess.run([self.path, verb, self.cluster_file, *self.secret_options, *options], input=keys.encode(), capture_output=True, close_fds=False)
        if done.returncode == 0:
            return done.stdout.decode()
        # The one line on standard error is `keystead: code: message`.
        words = done.stderr.decode().split(": ")
        raise Refused(words[1] if len(words) > 2 else f"crash: {done.stderr.decode()}")

    def ask(self, request):
        secrets = {name: request[name] for name in ("secret", "before_secret", "after_secret") if name in request}
        if "file" in request or "transition_file" in request:
            data = content(request.get("file") or request["transition_file"])
        elif "transition" in request:
            data = plain_transition_file(request["transition"]).encode()
            secrets = secrets_beside(request["transition"])
        elif "cluster" in request:
            data = plain_file(request["cluster"]).encode()
            secrets = {name: request["cluster"][name] for name in ("secret",) if name in request["cluster"]}
        else:
            return {"answers": []}
        pathlib.Path(self.cluster_file).write_bytes(data)
        self.secret_options = []
        for name, secret in secrets.items():
            path = os.path.join(self.folder.name, name)
            pathlib.Path(path).write_text(secret)
            self.secret_options += [f"--{name.replace('_', '-')}-file", path]
        if not request["queries"]:
            return self.built()
        levels = json.loads(data).get("levels", [])
        together = collections.defaultdict(list)
        for place, query in enumerate(request["queries"]):
            # A refused question ends a run, so it has one of its own.
            expected = request["expected"][place]
            alone = place if isinstance(expected, dict) and "error" in expected else -1
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
        if query["op"] == "candidates":
            options.append("--candidates")
        return ("explain" if query["op"] in ("ranking", "passes") else "owner", *options)

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
        if query["op"] == "passes":
            return line["transition"]["passed"]
        if query["op"] == "candidates":
            return line["candidates"]
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
