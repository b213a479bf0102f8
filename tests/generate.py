"""Writes vectors/*.json from the oracle. `--check` writes nothing and compares byte for byte."""

import argparse
import json
import pathlib
import sys

import cases_changes
import cases_clusters
import cases_files
import cases_refused
import cases_transitions
import cases_values
import reference_front

VECTORS = pathlib.Path(__file__).parent / "vectors"
FILES = {
    "encoding": cases_values.encoding,
    "digests": cases_values.digests,
    "order": cases_values.order,
    "functions": cases_values.functions_of_keys,
    "caps": cases_values.caps,
    "rendezvous": cases_clusters.rendezvous,
    "ring": cases_clusters.ring,
    "slots": cases_clusters.slots,
    "hierarchy": cases_clusters.hierarchy,
    "replicas": cases_clusters.replicas,
    "description": cases_changes.description,
    "changes": cases_changes.changes,
    "files": cases_files.files,
    "refused": cases_refused.refused,
    "transition": cases_transitions.transitions,
}


def answered(group):
    """The group with the oracle's answers beside its queries."""
    found = reference_front.answer(group)
    out = {name: value for name, value in group.items() if name not in ("queries", "position")}
    if "error" in found:
        assert "queries" not in group, f"refused, though it has queries: {group} {found}"
        out["error"] = found["error"]
        # A position is stated where the protocol leaves no choice of it: one fault, and invalid_file.
        if found["error"] == "invalid_file" and group.get("position", True):
            out["line"], out["column"] = found["line"], found["column"]
    else:
        assert "queries" in group, f"not refused, and without queries: {group}"
        out["queries"] = [query | {"answer": answer} for query, answer in zip(group["queries"], found["answers"])]
    return out


def one_line(value):
    return json.dumps(value, separators=(", ", ": "))


def written(about, groups):
    """A case a line."""
    lines = []
    for group in groups:
        queries = group.pop("queries", None)
        if queries is None:
            lines.append(one_line(group))
            continue
        inside = ",\n".join(" " + one_line(query) for query in queries)
        head = one_line(group)[1:-1]
        lines.append("{" + head + (", " if head else "") + '"queries": [\n' + inside + "\n]}")
    return '{"about": ' + one_line(about) + ', "groups": [\n' + ",\n".join(lines) + "\n]}\n"


def count_cases(content):
    return sum(len(group.get("queries", [None])) for group in json.loads(content)["groups"])


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("names", nargs="*", help=f"files to write, all by default: {' '.join(FILES)}")
    given = arguments.parse_args()
    total, stale = 0, []
    for name in given.names or FILES:
        make = FILES[name]
        content = written(make.__doc__, [answered(group) for group in make()])
        path = VECTORS / f"{name}.json"
        cases = count_cases(content)
        total += cases
        print(f"{name:12} {cases:6,} cases  {len(content):9,} bytes")
        if not given.check:
            VECTORS.mkdir(exist_ok=True)
            path.write_bytes(content.encode("ascii"))
        elif not path.exists() or path.read_bytes() != content.encode("ascii"):
            stale.append(f"vectors/{name}.json")
    print(f"{total:,} cases in all")
    if stale:
        sys.exit(f"{', '.join(stale)} differs from what the oracle says. If the change is meant, and only adds cases:\n    python tests/generate.py")


if __name__ == "__main__":
    main()
