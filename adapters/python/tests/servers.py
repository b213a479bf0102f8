"""Real memcached and Redis servers on 127.0.0.1, for as long as a test needs them."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator

# No server outlives this, even if the test program is killed.
LIFETIME_SECONDS = 300
START_SECONDS = 10


def _free_ports(count: int) -> list[int]:
    """All are held until the last is known, so that no two are the same."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _started(command: list[str], port: int) -> "subprocess.Popen[bytes] | None":
    process = subprocess.Popen(["timeout", str(LIFETIME_SECONDS), *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if _answers(port):
            return process
        time.sleep(0.02)
    _stop([process])
    return None


def _stop(processes: "list[subprocess.Popen[bytes]]") -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _running(commands: "list[tuple[int, list[str]]]") -> Iterator[list[str]]:
    processes: "list[subprocess.Popen[bytes]]" = []
    try:
        for port, command in commands:
            process = _started(command, port)
            if process is None:
                raise RuntimeError(f"{command[0]} does not start on 127.0.0.1:{port}")
            processes.append(process)
        yield [f"127.0.0.1:{port}" for port, _ in commands]
    finally:
        _stop(processes)


@contextlib.contextmanager
def memcached(count: int) -> Iterator[list[str]]:
    """The addresses of so many empty servers."""
    # Started by root it wants to be told that it may stay root.
    user = ["-u", "root"] if os.geteuid() == 0 else []
    with _running([(port, ["memcached", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-m", "64", *user]) for port in _free_ports(count)]) as addresses:
        yield addresses


@contextlib.contextmanager
def redis(count: int, *options: str) -> Iterator[list[str]]:
    """The addresses of so many empty servers, which write nothing to disk."""
    folder = tempfile.mkdtemp(prefix="keystead-redis-")
    try:
        common = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder, *options]
        with _running([(port, ["redis-server", "--port", str(port), *common]) for port in _free_ports(count)]) as addresses:
            yield addresses
    finally:
        shutil.rmtree(folder, ignore_errors=True)
