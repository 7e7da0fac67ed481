"""Memory of a served demo site, process by process, after its start and after mixed requests: `python -m benchmarks.memory`."""

import argparse
import random
import re
import secrets
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from tests.webhooks.crash import Site, running

from .servers import KINDS, environment_of, free_port, processes_below

#: Megabytes that all processes together may take, after the start and after the requests.
MAX_STARTED_MB, MAX_USED_MB = 350, 450
#: Seconds after the start in which the first periodic jobs run.
SETTLE_SECONDS = 15
PASSWORD = "measured-in-megabytes"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="web processes (2)")
    parser.add_argument("--minutes", type=float, default=10, help="of requests (10)")
    parser.add_argument("--visitors", type=int, default=4, help="who send requests at once (4)")
    parser.add_argument(
        "--folder", type=Path, help="VAR_DIR of a demo site that `manage.py first_run` has made; default: a new one"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        folder = options.folder or Path(scratch)
        port = free_port()
        target = Site(environment_of(KINDS["ours"], folder, port, ""), port)
        target.manage("first_run")
        name = secrets.token_hex(4)
        email = f"{name}@example.com"
        target.manage("create_editor", email, "--role", "admin", "--password", PASSWORD)
        target.token = target.manage("create_token", name, "--all-abilities")
        with running(target, "serve", "--port", str(port), "--workers", str(options.workers)) as process:
            target.wait_for("/readyz")
            time.sleep(SETTLE_SECONDS)
            is_over = report("after the start", process.pid, MAX_STARTED_MB)
            visits = Visits(target, email)
            visits.run(options.visitors, 60 * options.minutes)
            is_over |= report(f"after {options.minutes:g} minutes of requests", process.pid, MAX_USED_MB)
    print(f"{visits.statuses.total()} requests: {dict(sorted(visits.statuses.items()))}")
    return 1 if is_over or any(status >= 500 for status in visits.statuses) else 0


def report(when: str, process: int, max_mb: int) -> bool:
    """Print what each process takes; return whether all together take too much."""
    names = {process: Path(f"/proc/{process}/comm").read_text().strip(), **processes_below(process)}
    taken = {pid: megabytes(pid) for pid in names}
    total = sum(pss for pss, _ in taken.values())
    print(f"{when}: {total:.0f} MB (at most {max_mb}){'  MISSED' if total > max_mb else ''}")
    for pid, name in names.items():
        pss, own = taken[pid]
        print(f"  {name:<16}{pss:6.0f} MB, of which its own {own:4.0f}")
    return total > max_mb


def megabytes(pid: int) -> tuple[float, float]:
    """Return the memory of a process, in which it has its part of what several share (PSS), and what it shares with none."""
    try:
        lines = dict(line.split()[:2] for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    except (ProcessLookupError, FileNotFoundError):
        return 0, 0
    own = int(lines["Private_Dirty:"]) + int(lines["Private_Clean:"])
    return int(lines["Pss:"]) * 1024 / 1e6, own * 1024 / 1e6


@dataclass
class Visits:
    """Requests of several visitors: pages, lists of the API, posts written by the API, and pages of the admin."""

    target: Site
    #: Of somebody who may do all in the admin.
    email: str
    statuses: Counter[int] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _paths: list[list[str]] = field(default_factory=list)

    def run(self, visitors: int, seconds: float) -> None:
        opener = self._signed_in()
        pages = re.findall(r"<loc>([^<]+)</loc>", self._read(opener, "/sitemap.xml"))
        described = self.target.call("GET", "/api/v1/openapi.json")[1]["paths"]
        lists = [path for path, methods in described.items() if "get" in methods and "{" not in path]
        admin = re.findall(r'"(/admin/[^"#?]*)', self._read(opener, "/admin/"))
        self._paths = [[urlsplit(page).path for page in pages], lists, [path for path in admin if "log" not in path]]
        ends = time.monotonic() + seconds
        with ThreadPoolExecutor(visitors) as pool:
            for done in [pool.submit(self._visit, number, ends) for number in range(visitors)]:
                done.result()

    def _visit(self, number: int, ends: float) -> None:
        chance, opener = random.Random(number), self._signed_in()
        while time.monotonic() < ends:
            if chance.random() < 0.05:
                status = self.target.write(f"Post {chance.random()}")[0]
            else:
                status = self._status(opener, chance.choice(chance.choice(self._paths)))
            with self._lock:
                self.statuses[status] += 1

    def _status(self, opener: OpenerDirector, path: str) -> int:
        """Return the status of an answer that was read to its end; 0 where there was none."""
        headers = {"Authorization": f"Bearer {self.target.token}"} if path.startswith("/api/") else {}
        try:
            with opener.open(Request(self._url(path), headers=headers), timeout=60) as answer:
                answer.read()
                return int(answer.status)
        except HTTPError as refusal:
            with refusal:
                return refusal.code
        except (OSError, HTTPException):
            return 0

    def _signed_in(self) -> OpenerDirector:
        """Return an opener that is signed in to the admin."""
        opener = build_opener(HTTPCookieProcessor())
        form = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self._read(opener, "/admin/login/"))
        assert form is not None
        sent = urlencode({"csrfmiddlewaretoken": form[1], "username": self.email, "password": PASSWORD, "next": "/admin/"})
        with opener.open(self._url("/admin/login/"), sent.encode(), timeout=60) as answer:
            assert urlsplit(answer.url).path == "/admin/", answer.url
        return opener

    def _read(self, opener: OpenerDirector, path: str) -> str:
        with opener.open(self._url(path), timeout=60) as answer:
            return str(answer.read().decode())

    def _url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.target.port}{path}"


if __name__ == "__main__":
    sys.exit(main())
