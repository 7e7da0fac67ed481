"""Starts and stops the servers that are measured: each is one process with data of its own."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from cms_api.gateway.serving.listener import listen

from .payload import project

ROOT = Path(__file__).resolve().parents[1]
#: The web server of Wagtail's project template as its documentation deploys it.
GUNICORN = [
    "--worker-class=gthread",
    "--workers=1",
    "--threads=4",
    "--keep-alive=30",
    "--log-level=warning",
    "--no-control-socket",
]
START_SECONDS = 60


def gunicorn(application: str) -> Callable[[int, int], list[str]]:
    return lambda _, descriptor: [sys.executable, "-m", "gunicorn", *GUNICORN, "--bind", f"fd://{descriptor}", application]


def our_server(application: str) -> Callable[[int, int], list[str]]:
    return lambda _, descriptor: [
        sys.executable,
        "-m",
        "cms_api.gateway.serving.server",
        str(descriptor),
        f"{application}.application",
    ]


@dataclass(frozen=True)
class Kind:
    """A program to serve.

    `maker` is the module that creates its data (`python -m MODULE COUNT`) and prints facts about them. `command` returns the
    command of its server from the port and from the descriptor of a listening socket, which it inherits unless `opens_port`.
    """

    maker: str
    command: Callable[[int, int], list[str]]
    settings: str = ""
    opens_port: bool = False
    only_sqlite: bool = False


KINDS = {
    "rival": Kind("benchmarks.rival.seed", gunicorn("benchmarks.rival.wsgi"), "benchmarks.rival.settings"),
    "payload": Kind("benchmarks.payload.seed", lambda port, _: project.command(port), opens_port=True, only_sqlite=True),
    "floor": Kind("benchmarks.floor", our_server("benchmarks.floor"), only_sqlite=True),
    "ours": Kind("benchmarks.ours", our_server("config.wsgi"), "config.settings.dev"),
}


@dataclass(frozen=True)
class Server:
    """A running server; `facts` were printed by its maker: its token, the id of its first item and so on."""

    port: int
    pid: int
    database: str
    count: int
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def authorization(self) -> str:
        return self.facts.get("authorization") or f"Bearer {self.facts['token']}"


@contextmanager
def running(kind: str, count: int, folder: Path, postgresql: str, *, redis: str = "", keep: bool) -> Iterator[Server]:
    """Run a server over `count` items in `folder`, which is filled only once; `keep` keeps its database."""
    database = f"benchmark_{kind}_{count}" if postgresql and not KINDS[kind].only_sqlite else ""
    port = free_port()
    environment = environment_of(KINDS[kind], folder, port, database_url(postgresql, database) if database else "")
    environment |= {"REDIS_URL": redis} if redis else {}
    ready = folder / "facts.json"
    try:
        if not ready.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            if database:
                drop_database(postgresql, database)
                create_database(postgresql, database)
            ready.write_text(made(KINDS[kind].maker, count, environment))
        with serving(KINDS[kind], port, environment, folder / "server.log") as process:
            yield Server(port, process.pid, database, count, json.loads(ready.read_text()))
    finally:
        if database and not keep:
            drop_database(postgresql, database)


def made(maker: str, count: int, environment: dict[str, str]) -> str:
    """Create the data; return the facts about them."""
    command = [sys.executable, "-m", maker, str(count)]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"python -m {maker} {count} failed.")
    return done.stdout.strip().splitlines()[-1]


@contextmanager
def serving(kind: Kind, port: int, environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen]:
    with ExitStack() as stack:
        output = stack.enter_context(log.open("ab"))
        inherited = [] if kind.opens_port else [stack.enter_context(listen("127.0.0.1", port)).fileno()]
        command = kind.command(port, *(inherited or [-1]))
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output, pass_fds=inherited)
    try:
        wait_for(port, process, log)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()


def environment_of(kind: Kind, folder: Path, port: int, database_url: str) -> dict[str, str]:
    """Return the caller's environment without variables that change the project's settings, and with higher rate limits."""
    ours = {"DEBUG", "ALLOWED_HOSTS", "REDIS_URL", "MEDIA_ROOT", "MEDIA_STORAGE_URL", "TIME_ZONE", "TRUSTED_PROXIES"}
    return {
        **{key: value for key, value in os.environ.items() if key not in ours},
        "PYTHONPATH": f"{ROOT / 'site'}{os.pathsep}{ROOT}",
        "DJANGO_SETTINGS_MODULE": kind.settings,
        "VAR_DIR": str(folder),
        "DATABASE_URL": database_url,
        "BASE_URL": f"http://127.0.0.1:{port}",
        "API_RATE_PER_MINUTE": "100000000",
        "API_ANON_RATE_PER_MINUTE": "100000000",
    }


def processes_below(process: int) -> dict[int, str]:
    """Return the names of all processes below one, by id, without those that have ended."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,state=,comm="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()]
    found: dict[int, str] = {}
    todo = [process]
    while todo:
        parent = todo.pop()
        below = {int(pid): name for pid, ppid, state, name in rows if int(ppid) == parent and state != "Z"}
        found |= below
        todo += below
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int, process: subprocess.Popen, log: Path) -> None:
    """Wait until the server answers at all; the first requests check the content."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS) as connection:
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                if connection.recv(12).startswith(b"HTTP/1.1"):
                    return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"A server did not start:\n{log.read_text()[-2000:]}")


def database_url(server: str, name: str) -> str:
    """Return the address of a database; the server's may have options, such as `?host=/var/run/postgresql`, a Unix socket."""
    return urlsplit(server)._replace(path=f"/{name}").geturl()


def drop_database(postgresql: str, name: str) -> None:
    with psycopg.connect(database_url(postgresql, "postgres"), autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def create_database(postgresql: str, name: str, template: str = "template1") -> None:
    with psycopg.connect(database_url(postgresql, "postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
