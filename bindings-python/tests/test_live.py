"""LiveCluster: a file that is replaced while a service runs. The rules are in the project's tests/live.json; here is what is Python's own."""

import copy
import errno
import gc
import json
import os
import pickle
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT
from keystead import Cluster, KeysteadError, LiveCluster, Node, NoNodesError, Transition
from refusals import refuses

SECRET = b"\x00TOPSECRET\xff12345"
OLD = Cluster([Node("a", 2, ["x"]), Node("b", 1, ["y"]), Node("c", 1, ["x"])], epoch=1, levels=["zone"])
NEW = OLD.change(add=[Node("d", 3, ["y"])], drain=["b"]).with_epoch(2)
STEP = Transition(OLD, NEW, 1, 2, epoch=2)
KEYS: list[Any] = [f"user:{i}" for i in range(60)] + [7, ("t", 1), b"x"]


def put(path: Path, described: Cluster | Transition | str | bytes) -> None:
    """Whole or not at all, as files are published."""
    text = described.to_json() if isinstance(described, (Cluster, Transition)) else described
    beside = path.with_suffix(".new")
    beside.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.replace(beside, path)


TABLE = json.loads((PROJECT / "tests/live.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case["name"])
def test_the_table_of_every_language(case: Any, tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    put(path, case["start"])
    live = LiveCluster(path)
    for number, step in enumerate(case["steps"]):
        if "file" in step:
            put(path, step["file"])
        elif "link" in step:
            target = tmp_path / f"target-{number}"
            target.write_text(step["link"], "utf-8")
            (tmp_path / "link").symlink_to(target)
            os.replace(tmp_path / "link", path)
        else:
            path.unlink(missing_ok=True)
        told: dict[str, str] = {}
        try:
            told["says"] = live.refresh()
        except KeysteadError as error:
            told["error"] = error.code
        except OSError:
            told["error"] = "io"
        assert told == {name: step[name] for name in ("says", "error") if name in step}, step
        current = live.current
        answering = current.after if isinstance(current, Transition) else current
        assert (current.epoch, list(answering.ids)) == (step["in_force"], step["nodes"]), step


def same_answers(live: LiveCluster, wanted: Cluster | Transition) -> None:
    assert type(live.current) is type(wanted) and live.current == wanted and live.current.epoch == wanted.epoch
    for key in KEYS:
        assert live.owner(key) == wanted.owner(key) and live.ranking(key, 2, exclude=["a"]) == wanted.ranking(key, 2, exclude=["a"])
        assert live.replicas(key, 2, spread="zone") == wanted.replicas(key, 2, spread="zone")
        assert live.explain(key, 2, relaxed=True, spread=0) == wanted.explain(key, 2, relaxed=True, spread=0)
        assert live.candidates(key) == (wanted.candidates(key) if isinstance(wanted, Transition) else [wanted.owner(key)])


def test_a_file_that_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "naïve live.json"
    put(path, OLD)
    for given in (path, str(path), os.fsencode(path)):
        live = LiveCluster(given)
        assert live.path == os.fspath(given) and live.refresh() == "same"
        same_answers(live, OLD)
    current = live.current
    assert live.current is current
    put(path, OLD)
    assert live.refresh() == "same" and live.current is current
    path.write_text(OLD.to_json().replace("\n", "\n "), "utf-8")
    assert live.refresh() == "same" and live.current is current
    # What is only carried is taken over without being another answer; so is a larger epoch.
    put(path, Cluster.from_json(OLD.to_json().replace('"id": "a"', '"id": "a", "address": "10.7.0.1:80"')))
    assert live.refresh() == "same" and live.current.node("a").address == "10.7.0.1:80"
    put(path, STEP)
    same_answers(live, OLD)
    assert live.refresh() == "newer" and live.refresh() == "same"
    same_answers(live, STEP)
    put(path, NEW.with_epoch(3))
    assert live.refresh() == "newer"
    same_answers(live, NEW.with_epoch(3))
    # The old one goes on for whoever holds it.
    assert current == OLD and [current.owner(key) for key in KEYS] == OLD.owner_many(KEYS)


def test_on_any_error_the_last_good_one_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    put(path, NEW)
    live = LiveCluster(path)
    current = live.current
    bad: list[tuple[Any, str]] = [
        (NEW.to_json()[:-40], "invalid_file"),
        ("", "invalid_file"),
        (b"\xff", "invalid_file"),
        ('{"keystead": 2}', "unsupported_version"),
        ('{"keystead": 1, "epoch": 9, "nodes": []}', "no_nodes"),
        ('{"keystead": 1, "epoch": 9, "nodes": ["a", "a"]}', "duplicate_node"),
        ('{"keystead": 1, "epoch": 9, "hash": "sip13", "nodes": ["a"]}', "missing_secret"),
        (OLD, "stale_epoch"),
        (OLD.with_epoch(None), "stale_epoch"),
        (OLD.with_epoch(2), "epoch_conflict"),
        (STEP, "epoch_conflict"),
    ]
    for text, code in bad:
        put(path, text)
        for _ in range(2):
            with refuses(code):
                live.refresh()
        assert live.current is current
    path.unlink()
    with pytest.raises(FileNotFoundError):
        live.refresh()
    same_answers(live, NEW)
    put(path, NEW)
    assert live.refresh() == "same" and live.current is current
    put(path, "{")
    with pytest.raises(KeysteadError) as refused:
        live.refresh()
    assert (refused.value.line, refused.value.column) == (1, 2)
    put(path, OLD.with_epoch(3))
    assert live.refresh() == "newer"


def test_errors_of_reading_are_pythons(tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    put(path, OLD)
    live = LiveCluster(path)
    with pytest.raises(FileNotFoundError) as none:
        LiveCluster(tmp_path / "missing")
    assert (none.value.errno, none.value.filename, none.value.strerror) == (errno.ENOENT, str(tmp_path / "missing"), os.strerror(errno.ENOENT))
    assert not isinstance(none.value, KeysteadError)
    with pytest.raises(IsADirectoryError):
        LiveCluster(tmp_path)
    with pytest.raises(NotADirectoryError):
        LiveCluster(path / "x")
    path.unlink()
    path.mkdir()
    with pytest.raises(IsADirectoryError) as directory:
        live.refresh()
    assert directory.value.filename == str(path)
    path.rmdir()
    path.symlink_to(path)
    with pytest.raises(OSError) as loop:
        live.refresh()
    assert loop.value.errno == errno.ELOOP
    same_answers(live, OLD)


def test_a_link_that_is_swapped(tmp_path: Path) -> None:
    """As orchestrators do it: the file's name is a link to a link to the folder of a version."""
    for version, described in (("1", OLD), ("2", NEW)):
        (tmp_path / version).mkdir()
        put(tmp_path / version / "live.json", described)
        # Not one file's time is newer.
        os.utime(tmp_path / version / "live.json", (1, 1))
    (tmp_path / "data").symlink_to("1")
    (tmp_path / "live.json").symlink_to("data/live.json")
    live = LiveCluster(tmp_path / "live.json")
    same_answers(live, OLD)
    (tmp_path / "swap").symlink_to("2")
    os.replace(tmp_path / "swap", tmp_path / "data")
    assert live.refresh() == "newer"
    same_answers(live, NEW)


def test_arguments(tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    put(path, OLD)
    for wrong in (None, 1, 1.5, ["live.json"], object(), OLD):
        with pytest.raises(TypeError):
            LiveCluster(wrong)
    with pytest.raises(ValueError):
        LiveCluster("a\0b")

    class Hostile:
        def __fspath__(self) -> str:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        LiveCluster(Hostile())
    live = LiveCluster(path)
    with refuses("invalid_key"):
        live.owner(1.5)
    with refuses("invalid_parameter"):
        live.replicas(1.5, 2, spread="nowhere")
    with pytest.raises(NoNodesError):
        live.owner("k", exclude=["a", "b", "c"])
    with pytest.raises(TypeError):
        live.owner("k", exclude="a")
    with pytest.raises(TypeError):
        type("Sub", (LiveCluster,), {})
    for name in ("current", "path", "epoch"):
        with pytest.raises(AttributeError):
            setattr(live, name, OLD)


def test_secrets(tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    sip = Cluster(["a", "b"], hash="sip13", secret=SECRET, epoch=1)
    put(path, sip)
    with refuses("missing_secret"):
        LiveCluster(path)
    with pytest.raises(TypeError):
        LiveCluster(path, secret="x" * 16)
    with refuses("unexpected_secret"):
        LiveCluster(path, secret=SECRET, before_secret=SECRET)
    live = LiveCluster(path, secret=SECRET)
    assert live.current == sip
    # Into a transition, which one secret serves, and on to a cluster without one.
    put(path, Transition(sip, OLD, 1, 2, epoch=2))
    assert live.refresh() == "newer" and live.candidates("k")
    put(path, OLD.with_epoch(3))
    with refuses("unexpected_secret"):
        live.refresh()
    assert isinstance(live.current, Transition)
    seen = repr(live) + str(vars(type(live)))
    assert "TOPSECRET" not in seen and SECRET.hex() not in seen
    put(path, Transition(OLD, sip, 1, 2))
    assert LiveCluster(path, after_secret=SECRET).current == Transition(OLD, sip, 1, 2)


def test_live_as_an_object(tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    put(path, OLD)
    live = LiveCluster(path)
    assert repr(live) == f"<keystead.LiveCluster {str(path)!r}: {OLD!r}>"
    assert live != LiveCluster(path) and live == live and hash(live) == hash(live)
    for copying in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            copying(live)
    alive = weakref.ref(live)
    del live
    gc.collect()
    assert alive() is None


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    put(path, OLD)
    counts = sys.getrefcount(path)
    live = LiveCluster(path)
    for i in range(100):
        put(path, [NEW, STEP][i % 2].with_epoch(i + 2))
        assert live.refresh() == "newer"
        held = weakref.ref(live.current)
        live.owner("k"), live.candidates("k"), live.explain("k"), live.path
    put(path, OLD.with_epoch(200))
    live.refresh()
    gc.collect()
    assert held() is None
    del live
    assert sys.getrefcount(path) == counts


def test_readers_see_the_old_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    versions: list[Cluster | Transition] = [OLD.with_epoch(None), NEW.with_epoch(None), STEP.with_epoch(None)]
    put(path, versions[0])
    live = LiveCluster(path)
    answers = [{tuple(map(str, version.ranking(key))) for version in versions} for key in KEYS]
    failures: list[Any] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                for key, known in zip(KEYS, answers, strict=True):
                    if tuple(live.ranking(key)) not in known:
                        failures.append((key, live.current))
                # Questions that belong together go to one and the same description.
                held = live.current
                if held not in versions or [held.owner(key) for key in KEYS] != [held.ranking(key, 1)[0] for key in KEYS]:
                    failures.append(held)
        except Exception as error:
            failures.append(error)

    def refresh() -> None:
        try:
            while not done.is_set():
                try:
                    assert live.refresh() in ("same", "newer")
                except KeysteadError as error:
                    assert error.code == "invalid_file"
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=target) for target in (read, read, refresh, refresh)]
    for thread in threads:
        thread.start()
    for i in range(150):
        put(path, versions[i % 3] if i % 5 else "{")
    put(path, versions[1])
    done.set()
    for thread in threads:
        thread.join()
    assert not failures
    live.refresh()
    same_answers(live, versions[1])
