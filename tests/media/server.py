"""A web server of its own, on a copy of the tests' database: uploads to it over real sockets, and the memory it takes."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.servers import processes_below
from tests.client import BOUNDARY
from tests.conftest import ROOT, copy_database

PATIENCE = 60

_END = b"\r\n--" + BOUNDARY + b"--\r\n"


class Server:
    def __init__(self, folder: Path, *, workers: int = 1) -> None:
        copy_database(folder / "db.sqlite3")
        kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
        self.folder = folder
        self.environment = {
            **kept,
            "DJANGO_SETTINGS_MODULE": "config.settings.dev",
            "VAR_DIR": str(folder),
            "API_RATE_PER_MINUTE": "1000000",
        }
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = [sys.executable, "manage.py", "web", "--port", str(self.port), "--workers", str(workers)]
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment)

    def manage(self, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True).stdout.strip()

    def token(self) -> str:
        """A token for the media of a site whose API is on."""
        self.manage("feature", "on", "api")
        return self.manage("create_token", "test", "--ability", "media:write", "--ability", "media:read")

    def get(self, path: str, token: str = "") -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    def upload(
        self, token: str, name: str, length: int, pieces: Iterable[bytes], patience: float = PATIENCE, **headers: str
    ) -> tuple[int, bytes, str]:
        """Upload a file of this length; the status, the body and the `Retry-After` of the answer."""
        head = b"--" + BOUNDARY + b'\r\nContent-Disposition: form-data; name="file"; filename="' + name.encode() + b'"\r\n\r\n'

        def body() -> Iterator[bytes]:
            yield head
            yield from pieces
            yield _END

        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        sent = {
            "Authorization": f"Bearer {token}",
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY.decode()}",
            "Content-Length": str(len(head) + length + len(_END)),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        try:
            connection.request("POST", "/api/v1/media", body(), sent)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers.get("Retry-After", "")
        finally:
            connection.close()

    def processes(self) -> list[int]:
        """The server's processes, with those that they have started."""
        return [self.process.pid, *processes_below(self.process.pid)]

    def memory(self) -> int:
        """The memory that all processes take together, in kB; pages that several share count once."""
        return sum(_read_kilobytes(f"/proc/{pid}/smaps_rollup", "Pss:") for pid in self.processes())

    def peak(self) -> int:
        """The most memory that the first web process has ever taken, in kB."""
        web = next(pid for pid, name in processes_below(self.process.pid).items() if name == "web 1")
        return _read_kilobytes(f"/proc/{web}/status", "VmHWM:")


def _read_kilobytes(path: str, label: str) -> int:
    try:
        return int(Path(path).read_text().partition(label)[2].split()[0])
    except (OSError, IndexError):
        # The process has ended meanwhile.
        return 0


@contextmanager
def serving(folder: Path, *, workers: int = 1) -> Iterator[Server]:
    started = Server(folder, workers=workers)
    try:
        deadline = time.monotonic() + PATIENCE
        while started.get("/healthz") != 200:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield started
    finally:
        started.process.send_signal(signal.SIGTERM)
        started.process.wait(PATIENCE)
