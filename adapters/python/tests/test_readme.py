"""The examples of the adapters' README, with real servers behind them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import servers
from conftest import cluster
from test_fleet import KEYS, STEPS

from keystead import Transition

ADAPTERS = Path(__file__).parents[2]
EXAMPLES = re.findall(r"^```(python|js)\n(.*?)^```$", (ADAPTERS / "README.md").read_text(), re.MULTILINE | re.DOTALL)


def test_the_examples_print_what_they_say(tmp_path: Path) -> None:
    assert {language for language, _ in EXAMPLES} == {"python", "js"}
    with servers.memcached(3) as memcached, servers.redis(3) as redis:
        (tmp_path / "cluster.json").write_text(cluster(memcached).to_json())
        (tmp_path / "redis.json").write_text(cluster(redis).to_json())
        for language, text in EXAMPLES:
            if language == "python":
                command = [sys.executable, "-c", text]
            else:
                command = ["node", "-e", text.replace("require('./", f"require('{os.environ['KEYSTEAD_ADAPTERS']}/")]
            environment = {**os.environ, "PYTHONPATH": str(ADAPTERS / "python")}
            answer = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
            promised = [line.split(" prints: ")[1] for line in text.splitlines() if " prints: " in line]
            assert (answer.stdout.splitlines(), answer.returncode) == (promised, 0), f"{text}\n{answer.stderr}"


def test_the_table_is_of_the_test_that_makes_it() -> None:
    """Its figures are by the keys alone, so that they are the same in every run."""
    addresses = [f"127.0.0.1:{port}" for port in range(6)]
    before, after = cluster(addresses[:5]), cluster(addresses)
    table = (ADAPTERS / "README.md").read_text()
    for part in range(1, STEPS + 1):
        step = Transition(before, after, part, STEPS)
        owned = sum(step.owner(key) == "cache-5" for key in KEYS)
        assert re.search(rf"^ *{part}/{STEPS} +{part + 3} +{owned} +{owned} +10000 +10000 +10000 +10000$", table, re.MULTILINE), (part, owned)
