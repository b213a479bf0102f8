"""Cluster files: load, from_json, to_json. What is a valid file is in the vectors; here is what is Python's own."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from keystead import Cluster, KeysteadError, Node
from refusals import refuses

TEXT = """{
  "keystead": 1,
  "epoch": 42,
  "levels": ["region", "zone"],
  "comment": "naïve 𝔘",
  "nodes": ["cache-a", {"id": "cache-b", "weight": 2, "location": ["eu-1", "eu-1a"], "address": "10.7.0.2:11211", "meta": {"rack": "r7"}, "comment": "ssd"}]
}
"""


def test_load_and_from_json_read_the_same(tmp_path: Path) -> None:
    path = tmp_path / "naïve cluster.json"
    path.write_text(TEXT, "utf-8")
    clusters = [Cluster.load(path), Cluster.load(str(path)), Cluster.load(os.fsencode(path)), Cluster.from_json(TEXT), Cluster.from_json(TEXT.encode())]
    for c in clusters:
        assert (c.epoch, c.levels, c.comment, c.ids) == (42, ("region", "zone"), "naïve 𝔘", ("cache-a", "cache-b"))
        assert c.node("cache-b") == Node("cache-b", 2, ["eu-1", "eu-1a"], address="10.7.0.2:11211", meta={"rack": "r7"}, comment="ssd")
        assert c == clusters[0]


def test_paths_are_pythons() -> None:
    class Path:
        def __fspath__(self) -> str:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        Cluster.load(Path())
    for wrong in (1, None, 1.5, ["cluster.json"], object()):
        with pytest.raises(TypeError):
            Cluster.load(wrong)
    with pytest.raises(ValueError):
        Cluster.load("a\0b")


def test_errors_of_reading_are_pythons(tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    with pytest.raises(FileNotFoundError) as none:
        Cluster.load(missing)
    assert none.value.filename == str(missing) and not isinstance(none.value, KeysteadError)
    with pytest.raises(IsADirectoryError):
        Cluster.load(tmp_path)
    with pytest.raises(NotADirectoryError):
        (tmp_path / "file").touch()
        Cluster.load(tmp_path / "file" / "cluster.json")


def test_faults_have_their_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{\n  "keystead": 1,\n  "nodes": ["a", "é", nul]\n}\n', "utf-8")
    for read in (lambda: Cluster.load(path), lambda: Cluster.from_json(path.read_text("utf-8")), lambda: Cluster.from_json(path.read_bytes())):
        with pytest.raises(KeysteadError, match="line 3, column 23") as refused:
            read()
        assert (refused.value.code, refused.value.line, refused.value.column) == ("invalid_file", 3, 23)
    path.write_bytes(b"\xff")
    with refuses("invalid_file"):
        Cluster.load(path)


def test_the_text_is_str_or_bytes() -> None:
    for wrong in (None, 1, bytearray(b"{}"), ["{}"], {}, Path("x")):
        with pytest.raises(TypeError, match="str or bytes"):
            Cluster.from_json(wrong)
    with refuses("invalid_text", "surrogate"):
        Cluster.from_json(TEXT + "\ud800")
    with refuses("invalid_text"):
        Cluster.from_json('{"keystead": 1, "nodes": ["\\ud800"]}')
    for text in ("", "\0", "[]", "{}", "\ufeff" + TEXT, b"\xef\xbb\xbf" + TEXT.encode(), TEXT.encode("utf-16")):
        with refuses("invalid_file"):
            Cluster.from_json(text)
    with refuses("unsupported_version"):
        Cluster.from_json('{"keystead": 2, "nodes": {}}')
    with refuses("invalid_file"):
        Cluster.from_json("[" * 1_000_000)


def test_secrets_are_handed_over_beside() -> None:
    text = '{"keystead": 1, "hash": "sip13", "nodes": ["a"]}'
    secret = bytes(range(16))
    c = Cluster.from_json(text, secret=secret)
    assert c.has_secret and c == Cluster(["a"], hash="sip13", secret=secret)
    assert json.loads(c.to_json())["hash"] == "sip13" and "secret" not in c.to_json()
    with refuses("missing_secret"):
        Cluster.from_json(text)
    with refuses("unexpected_secret"):
        Cluster.from_json(TEXT, secret=secret)
    with refuses("invalid_parameter", "15"):
        Cluster.from_json(text, secret=secret[:15])


def test_to_json_reads_back() -> None:
    nodes: list[Any] = [
        Node('"quoted"\\', 3, ["eu", "\u0080 𝔘"], address="", meta={"\0": "\x1f", "é": ""}, comment="\u2028"),
        Node("b", 0),
        "c",
    ]
    c = Cluster(nodes, seed=2**64 - 1, epoch=2**53 - 1, levels=["x", "y"])
    again = Cluster.from_json(c.to_json())
    assert (again.fingerprint, again.epoch, again.nodes, again.levels) == (c.fingerprint, c.epoch, c.nodes, c.levels)
    assert json.loads(c.to_json())["seed"] == "0xffffffffffffffff"
