"""Every vector of the project's tests/vectors that this front can be given."""

import json
from pathlib import Path
from typing import Any, Iterator

import front
import pytest
from conftest import PROJECT

FILES = sorted((PROJECT / "tests" / "vectors").glob("*.json"))
SUBJECTS = ("cluster", "file", "transition", "transition_file")
# Published numbers of the hashes themselves, and what only the core shows.
NOT_OURS = {"published.json", "digests.json", "caps.json"}


def ours(item: dict[str, Any]) -> bool:
    return "python" in item.get("only", ["python"])


def cases(path: Path) -> Iterator[tuple[Any, Any, Any]]:
    """(what was asked, the answer wanted, the answer given) of each case."""
    for number, group in enumerate(json.loads(path.read_text("utf-8"))["groups"]):
        if not ours(group):
            continue
        place = {"group": number} | {name: group[name] for name in SUBJECTS if name in group}
        subject, refused = front.refusal(group)
        if "error" in group:
            wanted = {name: group[name] for name in ("error", "line", "column") if name in group}
            yield place, wanted, refused and {name: refused.get(name) for name in wanted}
            continue
        assert refused is None, (place, refused)
        for q in group["queries"]:
            if ours(q) and q["op"] not in front.ELSEWHERE:
                yield place | {"query": q}, q["answer"], front.answer_query(subject, q)


@pytest.mark.parametrize("path", [path for path in FILES if path.name not in NOT_OURS], ids=lambda path: path.name)
def test_vectors(path: Path) -> None:
    count = 0
    for asked, wanted, given in cases(path):
        assert given == wanted, asked
        count += 1
    assert count > 0


def test_none_is_left_out() -> None:
    assert {path.name for path in FILES} >= NOT_OURS - {"published.json"} | {"rendezvous.json", "ring.json", "slots.json", "hierarchy.json"}
