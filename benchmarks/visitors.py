"""Visitors that do something at the same time, over HTTP: how many of them a served site can take in a second."""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPMessage
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.webhooks.crash import Site, running, site
from tests.webhooks.receiver import make_authority

from .growth import parser_of

#: Any 32 letters and digits: the same in the cookie and in the form.
CSRF = "benchmark0benchmark0benchmark0be"


@dataclass(frozen=True)
class Visits:
    """The records that visitors create on a site, and how."""

    #: The records that they create, in the plural, and the path of the API's list of them.
    records: str
    path: str
    feature: str
    #: Python code that fills the site.
    fill: str
    #: Creates one record as the visitor with a number, with so many requests.
    visit: Callable[["Visitor"], None]
    requests: int
    #: Of the served site.
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Visitor:
    """A new visitor with a number, an address, cookies and a connection of its own."""

    port: int
    number: int
    #: Of the API.
    token: str = ""
    cookies: str = f"csrftoken={CSRF}"
    connection: HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        self.connection = HTTPConnection("127.0.0.1", self.port, timeout=60)

    def get(self, path: str) -> str:
        """Return a page."""
        return self._request("GET", path, "", 200)[1].decode()

    def post(self, path: str, values: dict[str, Any]) -> str:
        """Send a form that is accepted; return the address that it leads to."""
        return str(self._request("POST", path, urlencode({"csrfmiddlewaretoken": CSRF, **values}), 302)[0]["Location"])

    def call(self, path: str) -> Any:
        """Send a POST to the API, and return its answer."""
        return json.loads(self._request("POST", path, "", 200)[1])

    def _request(self, method: str, path: str, body: str, expected: int) -> tuple[HTTPMessage, bytes]:
        headers = {
            **({"Authorization": f"Bearer {self.token}"} if self.token else {}),
            "Content-Type": "application/x-www-form-urlencoded" if body else "application/json",
            "Cookie": self.cookies,
            "X-Forwarded-For": f"10.{self.number >> 16 & 255}.{self.number >> 8 & 255}.{self.number & 255}",
        }
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        assert answer.status == expected, (path, answer.status, content[-2000:])
        self.cookies += "".join(f"; {cookie.partition(';')[0]}" for cookie in answer.headers.get_all("Set-Cookie", []))
        return answer.headers, content


def measure(visits: Visits, options: argparse.Namespace) -> None:
    """Print how many records visitors create in some seconds, with one server process and with two."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        folder = Path(scratch)
        environment = {"TRUSTED_PROXIES": "127.0.0.1", **visits.environment}
        with site(folder, make_authority(folder), postgresql=options.postgresql, **environment) as target:
            target.manage("feature", "on", visits.feature)
            target.manage("setting", "set", "payments.allow_test_payments", "true")
            target.manage("shell", "-v", "0", "-c", visits.fill)
            target.token = target.manage("create_token", visits.feature, "--all-abilities")
            for workers in (1, 2):
                with running(target, "serve", "--port", str(target.port), "--workers", str(workers)):
                    target.wait_for("/readyz")
                    made, seconds = _visiting(target, visits, options)
                rate = made / seconds
                print(
                    f"{workers} server process{'es' if workers > 1 else ''}, {options.visitors} visitors at once: "
                    f"{rate:.1f} {visits.records}/s, {visits.requests * rate:.1f} requests/s "
                    f"({made} {visits.records} in {seconds:.0f} s)",
                    flush=True,
                )


def _visiting(target: Site, visits: Visits, options: argparse.Namespace) -> tuple[int, float]:
    """Return how many records were created, and in how many seconds. Every one of them must be stored."""
    before = _stored(target, visits)
    numbers = count(before)

    def visit(_: int = 0) -> None:
        visitor = Visitor(target.port, next(numbers), target.token)
        try:
            visits.visit(visitor)
        finally:
            visitor.connection.close()

    with ThreadPoolExecutor(options.visitors) as pool:
        # Both processes have answered when it begins.
        list(pool.map(visit, range(4 * options.visitors)))
        start = time.monotonic()

        def keep_visiting(_: int) -> int:
            made = 0
            while time.monotonic() < start + options.seconds:
                visit()
                made += 1
            return made

        made = sum(pool.map(keep_visiting, range(options.visitors)))
        seconds = time.monotonic() - start
    assert _stored(target, visits) - before == made + 4 * options.visitors
    return made, seconds


def _stored(target: Site, visits: Visits) -> int:
    page = f"{visits.path}{'&' if '?' in visits.path else '?'}per_page=1"
    total: int = target.call("GET", page)[1]["meta"]["total"]
    return total


def arguments(program: str, description: str | None, *cases: str) -> argparse.Namespace:
    """Return the options of a program that compares, and then lets visitors in."""
    parser = parser_of(program, description)
    parser.add_argument("--case", action="append", choices=cases, help="only this one; may be repeated")
    parser.add_argument("--seconds", type=float, default=20, help="of visits (20)")
    parser.add_argument("--visitors", type=int, default=8, help="visitors at the same time (8)")
    parser.add_argument("--rate", type=float, action="append", help="messages a second of a storm; may be repeated")
    options = parser.parse_args()
    options.case = options.case or list(cases)
    return options
