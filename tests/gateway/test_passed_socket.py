"""The web server on a socket that systemd holds: a restart refuses nobody."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.serving import PATIENCE, ROOT, START, Site, environment, start

#: As systemd starts a service: its socket is descriptor 3, and the variables name its process.
PASS = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": sys.argv[2], "LISTEN_PID": str(os.getpid())}
os.execv(sys.executable, [sys.executable, "manage.py", "web", "--workers", "1"])
"""


def start_with(listener: socket.socket, folder: Path, count: int = 1, stderr: int | None = None) -> Site:
    descriptor, variables = listener.fileno(), environment(folder)
    command = [sys.executable, "-c", PASS, str(descriptor), str(count)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=variables, pass_fds=[3, descriptor], stderr=stderr, stdout=subprocess.DEVNULL
    )
    return Site(variables, listener.getsockname()[1], process)


def ask_until(is_over: threading.Event, site: Site) -> Counter[int]:
    found: Counter[int] = Counter()
    while not is_over.is_set():
        found[site.request("GET", "/healthz", timeout=START).status] += 1
    return found


def restart(before: Site, after: Path | socket.socket) -> Site:
    """Stop a web server, start the next one, and wait until it answers."""
    before.process.send_signal(signal.SIGTERM)
    assert before.process.wait(PATIENCE) == 0
    folder = Path(before.environment["VAR_DIR"])
    found = start_with(after, folder) if isinstance(after, socket.socket) else start(environment(folder), "web", port=before.port)
    found.wait_for("/healthz", 200, patience=START)
    return found


@pytest.mark.long
@pytest.mark.parametrize("is_passed", [True, False], ids=["it works", "control: without it, requests are refused"])
def test_a_restart(is_passed: bool, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener, ThreadPoolExecutor(4) as pool:
        if not is_passed:
            listener.close()
        site = start_with(listener, tmp_path) if is_passed else start(environment(tmp_path), "web")
        site.wait_for("/healthz", 200, patience=START)
        is_over = threading.Event()
        asking = [pool.submit(ask_until, is_over, site) for _ in range(4)]
        try:
            site = restart(site, listener if is_passed else tmp_path)
        finally:
            is_over.set()
        statuses = sum((each.result() for each in asking), Counter[int]())
        site.process.send_signal(signal.SIGTERM)
        assert site.process.wait(PATIENCE) == 0
    assert set(statuses) == ({200} if is_passed else {0, 200})


def test_several_sockets_are_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = start_with(listener, tmp_path, 2, subprocess.PIPE).process
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said.decode()) == (1, "CommandError: 2 sockets were passed, and one is needed.\n")


def test_a_socket_of_another_process_is_not_taken(tmp_path: Path) -> None:
    """The variables are inherited, and say whom they are for."""
    variables = {**environment(tmp_path), "LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
    code = "from cms_api.gateway.serving.listener import take_passed; print(take_passed())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout == "None\n"
