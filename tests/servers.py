"""Database servers of a test's own, which it may kill, pause and start again, and a disk of its own, which it may fill."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psycopg
import pytest
import redis

PATIENCE = 30
#: Below the ports that the kernel gives to clients: while a server is down, none of them may get its port.
PORTS = range(10_000, 30_000)


def lasting_port() -> int:
    """Return a free port for a server that will be stopped and started again."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@dataclass
class Server:
    """A server process; `command` starts it on its port, and `is_up` says whether it answers."""

    command: list[str]
    port: int
    is_up: Callable[[], bool]
    url: str
    folder: str = ""
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    paused: list[int] = field(default_factory=list, init=False)

    def start(self) -> None:
        with tempfile.TemporaryFile() as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
            deadline = time.monotonic() + PATIENCE
            while not self.is_up():
                if time.monotonic() > deadline or self.process.poll() is not None:
                    log.seek(0)
                    pytest.fail(f"The server did not start: {log.read().decode()}")
                time.sleep(0.05)

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """Stop the server, and wait until it is gone."""
        self.resume()
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(PATIENCE)
            self.process = None

    def pause(self) -> None:
        """Let the server answer nothing, while its connections stay open."""
        assert self.process is not None
        self.paused = [self.process.pid, *_children(self.process.pid)]
        for pid in self.paused:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)

    def resume(self) -> None:
        for pid in reversed(self.paused):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        self.paused = []


def _children(parent: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True).stdout
    return [int(word) for word in listed.split()]


@contextmanager
def postgresql() -> Iterator[Server]:
    """A running PostgreSQL, whose superuser `postgres` needs no password; it refuses to run as root."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    initdb = str(programs[-1]) if programs else shutil.which("initdb")
    if initdb is None:
        pytest.skip("PostgreSQL's programs are not installed.")
    unprivileged: list[str] = []
    # Not in pytest's folder, which only its own user may enter.
    with tempfile.TemporaryDirectory(prefix="postgresql-") as folder:
        if os.getuid() == 0:
            if not shutil.which("setpriv"):
                pytest.skip("PostgreSQL refuses to run as root, and setpriv is not installed.")
            unprivileged = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
            shutil.chown(folder, "postgres")
        data, port = f"{folder}/data", lasting_port()
        made = [initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"]
        subprocess.run([*unprivileged, *made], check=True, capture_output=True, cwd="/")
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        command = [*unprivileged, str(Path(initdb).with_name("postgres")), "-D", data, "-p", str(port), *words]
        url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        yield from _running(Server(command, port, partial(_is_postgresql_up, url), url, folder))


def _is_postgresql_up(url: str) -> bool:
    with suppress(psycopg.OperationalError), psycopg.connect(url):
        return True
    return False


@contextmanager
def redis_server() -> Iterator[Server]:
    """A running Redis that stores nothing on disk."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("Redis is not installed.")
    port = lasting_port()
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    yield from _running(Server(command, port, partial(_is_redis_up, port), f"redis://127.0.0.1:{port}/0"))


def _is_redis_up(port: int) -> bool:
    with suppress(redis.RedisError), redis.Redis(port=port, socket_timeout=1) as client:
        return bool(client.ping())
    return False


def _running(server: Server) -> Iterator[Server]:
    try:
        server.start()
        yield server
    finally:
        server.stop()


@dataclass
class Disk:
    """A small file system in memory."""

    folder: Path

    def fill(self, room: int = 0) -> None:
        """Use every byte that is left, but for so many."""
        with (self.folder / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while True:
                filler.write(bytes(1 << 16))
        if room:
            os.truncate(self.folder / "filler", (self.folder / "filler").stat().st_size - room)

    def free(self) -> None:
        (self.folder / "filler").unlink()

    def set_mode(self, mode: str) -> None:
        """Let it be written (`rw`), or only read (`ro`)."""
        subprocess.run(["mount", "-o", f"remount,{mode}", str(self.folder)], check=True, capture_output=True)


@contextmanager
def disk(folder: Path, megabytes: int) -> Iterator[Disk]:
    """Mount a file system of a few megabytes."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if sys.platform != "linux" or os.getuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("Only root may mount a small disk, and not in every container.")
    try:
        yield Disk(folder)
    finally:
        # Lazily, because a process that has just been killed may still have files open.
        subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True)
