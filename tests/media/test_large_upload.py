"""A video of a hundred mebibytes, sent to a real server: it streams through, and others are answered meanwhile."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cms_api.media.types import MAX_UPLOAD
from tests.client import BOUNDARY
from tests.conftest import ROOT, copy_database

from .files import MP4, all_files

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="Memory is read from /proc.")]

#: The memory by which the server may grow, in kB; the file has 102,400.
GROWTH = 40_000
PATIENCE = 60


class Server:
    def __init__(self, folder: Path) -> None:
        copy_database(folder / "db.sqlite3")
        kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
        self.folder = folder
        self.environment = {**kept, "DJANGO_SETTINGS_MODULE": "config.settings.dev", "VAR_DIR": str(folder)}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = [sys.executable, "manage.py", "web", "--port", str(self.port), "--workers", "1"]
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment)

    def manage(self, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True).stdout.strip()

    def get(self, path: str, token: str = "") -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    def upload(self, token: str, length: int) -> tuple[int, bytes]:
        head = b"--" + BOUNDARY + b'\r\nContent-Disposition: form-data; name="file"; filename="long.mp4"\r\n\r\n' + MP4
        end = b"\r\n--" + BOUNDARY + b"--\r\n"

        def pieces() -> Iterator[bytes]:
            yield head
            left = length - len(MP4)
            while left:
                yield b"\0" * min(left, 1 << 20)
                left -= min(left, 1 << 20)
            yield end

        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY.decode()}",
            "Content-Length": str(len(head) + length - len(MP4) + len(end)),
            "Idempotency-Key": str(length),
        }
        connection.request("POST", "/api/v1/media", pieces(), headers)
        answer = connection.getresponse()
        found = answer.status, answer.read()
        connection.close()
        return found

    def memory(self) -> int:
        """The peak memory of any process of the server, in kB."""
        listed = subprocess.run(
            ["ps", "-o", "pid", "--no-headers", "--ppid", str(self.process.pid)], capture_output=True, text=True
        )
        status = Path(f"/proc/{listed.stdout.split()[0]}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path)
    try:
        deadline = time.monotonic() + PATIENCE
        while started.get("/healthz") != 200:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield started
    finally:
        started.process.send_signal(signal.SIGTERM)
        started.process.wait(PATIENCE)


def test_it_works(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.manage("feature", "on", "api")
    token = server.manage("create_token", "test", "--ability", "media:write", "--ability", "media:read")
    assert server.upload(token, 1 << 20)[0] == 201
    before, begun = server.memory(), time.monotonic()
    answers: list[tuple[int, bytes]] = []
    sending = threading.Thread(target=lambda: answers.append(server.upload(token, MAX_UPLOAD)))
    sending.start()
    meanwhile = []
    while sending.is_alive():
        asked = time.monotonic()
        assert server.get("/api/v1/media", token) == 200
        meanwhile.append(time.monotonic() - asked)
        time.sleep(0.05)
    sending.join()
    ((status, body),) = answers
    assert status == 201, body
    assert json.loads(body)["data"]["size"] == MAX_UPLOAD
    grown = server.memory() - before
    with capsys.disabled():
        figures = f"100 MiB in {time.monotonic() - begun:.1f} s, {grown:,} kB more"
        print(f" [{figures}; of {len(meanwhile)} lists meanwhile the slowest took {max(meanwhile):.2f} s]")
    assert grown < GROWTH
    assert server.upload(token, MAX_UPLOAD)[1] == body
    assert server.upload(token, MAX_UPLOAD + 1)[0] == 413
    assert server.upload(token, MAX_UPLOAD + (1 << 20))[0] == 413
    assert len(all_files(server.folder / "media")) == 2
