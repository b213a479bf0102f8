"""Real memcached and Redis servers on 127.0.0.1, for as long as a test needs them."""

import contextlib
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator

# No server outlives this, even if the test program is killed.
LIFETIME_SECONDS = 300
START_SECONDS = 10
ATTEMPTS = 3
# A Redis server in cluster mode listens 10,000 ports further up as well.
HIGHEST_PORT = 65_535 - 10_000


def _free_ports(count: int) -> list[int]:
    """All are held until the last is known, so that no two are the same."""
    ports: list[int] = []
    with contextlib.ExitStack() as held:
        while len(ports) < count:
            each = held.enter_context(socket.socket())
            each.bind(("127.0.0.1", 0))
            if each.getsockname()[1] <= HIGHEST_PORT:
                ports.append(each.getsockname()[1])
    return ports


def _answers(address: str) -> bool:
    host, port = address.split(":")
    try:
        with socket.create_connection((host, int(port)), timeout=1):
            return True
    except OSError:
        return False


def _started(command: list[str], address: str) -> "subprocess.Popen[bytes] | None":
    process = subprocess.Popen(["timeout", str(LIFETIME_SECONDS), *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if _answers(address):
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
def _running(commands: Callable[[], dict[str, list[str]]]) -> Iterator[list[str]]:
    processes: "list[subprocess.Popen[bytes]]" = []
    try:
        for _ in range(ATTEMPTS):
            asked = commands()
            for address, command in asked.items():
                process = _started(command, address)
                if process is None:
                    # Another program may have taken the port since it was found free.
                    _stop(processes)
                    processes.clear()
                    break
                processes.append(process)
            else:
                break
        else:
            raise RuntimeError(f"no {next(iter(asked.values()))[0]} has started on {', '.join(asked)}")
        yield list(asked)
    finally:
        _stop(processes)


def _memcached(addresses: list[str]) -> dict[str, list[str]]:
    # Started by root it wants to be told that it may stay root.
    user = ["-u", "root"] if os.geteuid() == 0 else []
    parts = {address: address.split(":") for address in addresses}
    return {address: ["memcached", "-l", host, "-p", port, "-U", "0", "-m", "64", *user] for address, (host, port) in parts.items()}


@contextlib.contextmanager
def memcached(count: int) -> Iterator[list[str]]:
    """The addresses of so many empty servers."""
    with _running(lambda: _memcached([f"127.0.0.1:{port}" for port in _free_ports(count)])) as addresses:
        yield addresses


@contextlib.contextmanager
def memcached_at_its_own_port(count: int) -> Iterator[list[str]]:
    """The same, with memcached's port. All of 127 is the loopback; some corner of it that nobody uses, so that a server of this machine's is not in the way."""

    def commands() -> dict[str, list[str]]:
        corner = f"127.{random.randrange(1, 255)}.{random.randrange(255)}"
        return _memcached([f"{corner}.{last}:11211" for last in range(1, count + 1)])

    with _running(commands) as addresses:
        yield addresses


@contextlib.contextmanager
def redis(count: int, *options: str) -> Iterator[list[str]]:
    """The addresses of so many empty servers, which write nothing to disk."""
    folder = tempfile.mkdtemp(prefix="keystead-redis-")
    try:
        common = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder, *options]
        with _running(lambda: {f"127.0.0.1:{port}": ["redis-server", "--port", str(port), *common] for port in _free_ports(count)}) as addresses:
            yield addresses
    finally:
        shutil.rmtree(folder, ignore_errors=True)
