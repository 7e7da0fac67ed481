"""The requests of each case, what their answers must contain, and the bar that our server has to meet."""

import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count, repeat
from typing import Any
from urllib.parse import quote

from .dataset import RARE_WORD, article
from .load import Connection, Shot, Target, WrongAnswer
from .servers import Server

Servers = dict[str, Server]

V2 = "/api/v2/pages/"
V2_FIELDS = "fields=*,category(name,slug)"
V2_QUERY = f"?type=rival.ArticlePage&limit=20&{V2_FIELDS}"
V2_LIST = f"{V2}{V2_QUERY}"
V3 = "/api/v3/pages/"
OURS = "/api/v1/content-items"
OURS_LIST = f"{OURS}?type=article&per_page=20"

#: Texts that occur once per item in an answer: its slug and the end of its body.
SLUG, BODY = b'"article-', b'</p>"'


#: The server of each target of a case.
HOSTS = {"v2": "rival", "v2 joined": "rival", "v3": "rival", "floor": "floor", "ours": "ours"}


@dataclass(frozen=True)
class Case:
    """A case. `rivals` maps targets to the largest part of their CPU that ours may take (None: no bar)."""

    servers: tuple[str, ...]
    rivals: dict[str, float | None]
    targets: Callable[[Servers], dict[str, Target]]


def targets(servers: Servers, shots: dict[str, Callable[[Server], Iterator[Shot]]]) -> dict[str, Target]:
    """Return the targets whose server runs."""
    found = {name: servers[HOSTS[name]] for name in shots if HOSTS[name] in servers}
    return {name: target(server, shots[name](server)) for name, server in found.items()}


def target(server: Server, shots: Iterator[Shot]) -> Target:
    return Target(server.port, server.pid, server.database, shots)


def request(server: Server, path: str, *, method: str = "GET", content: object = None, **headers: str) -> bytes:
    """Return a raw HTTP/1.1 request, with the server's token unless the resource is public."""
    body = b"" if content is None else json.dumps(content).encode()
    lines = {"Host": f"127.0.0.1:{server.port}", "Accept": "application/json"}
    if method == "POST" or not path.startswith(("/api/v2/", V3)):
        lines["Authorization"] = f"Bearer {server.facts['token']}"
    if body:
        lines |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in (lines | headers).items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body


def twenty(server: Server, path: str, *markers: bytes) -> Iterator[Shot]:
    """Request the same list of twenty whole items repeatedly."""
    return repeat(Shot(request(server, path), markers=(SLUG, BODY, *markers), times=20))


def lists(paths: dict[str, str], *markers: bytes) -> Callable[[Servers], dict[str, Target]]:
    """Request the same list of every server; a path may contain `{news}`, the rival's id of that category."""

    def shots(path: str, server: Server) -> Iterator[Shot]:
        return twenty(server, path.format(**server.facts.get("categories", {})), *markers)

    return lambda servers: targets(servers, {name: partial(shots, path) for name, path in paths.items()})


def detail(servers: Servers) -> dict[str, Target]:
    """Request one item, chosen at random each time."""

    def shots(path: str, server: Server) -> Iterator[Shot]:
        chance = random.Random("detail")
        while True:
            number = chance.randrange(server.count)
            raw = request(server, path.format(server.facts["first"] + number))
            yield Shot(raw, markers=(f'"article-{number}"'.encode(), BODY))

    paths = {"v2": f"{V2}{{}}/?{V2_FIELDS}", "v3": f"{V3}{{}}/", "floor": "/{}", "ours": f"{OURS}/{{}}"}
    return targets(servers, {name: partial(shots, path) for name, path in paths.items()})


def create(servers: Servers) -> dict[str, Target]:
    """Create and publish a new item each time."""
    numbers = count(time.time_ns() // 1_000_000)

    def shots(path: str, content: Callable[[Server, int], dict[str, Any]], server: Server) -> Iterator[Shot]:
        for number in numbers:
            raw = request(server, path, method="POST", content=content(server, number))
            yield Shot(raw, status=201, markers=(f'"article-{number}"'.encode(), BODY))

    contents = {"v3": (V3, v3_content), "floor": ("/", floor_content), "ours": (OURS, our_content)}
    return targets(servers, {name: partial(shots, *content) for name, content in contents.items()})


def v3_content(server: Server, number: int) -> dict[str, Any]:
    item = article(number)
    return {
        "meta": {"type": "rival.ArticlePage", "parent_id": server.facts["parent"], "action": "publish"},
        "title": item.title,
        "slug": item.slug,
        "excerpt": item.excerpt,
        "body": item.body,
        "category_id": server.facts["categories"][item.category],
        "featured_image_id": server.facts["images"][item.image - 1] if item.image else None,
        "event_start": item.event_start.isoformat(),
        "event_end": item.event_end.isoformat(),
    }


def floor_content(server: Server, number: int) -> dict[str, Any]:
    content = asdict(article(number))
    del content["number"]
    return {name: value if isinstance(value, int | None) else str(value) for name, value in content.items()}


def our_content(server: Server, number: int) -> dict[str, Any]:
    item = article(number)
    return {
        "type": "article",
        "status": "published",
        "slug": item.slug,
        "excerpt": item.excerpt,
        "featured_media_id": server.facts["images"][item.image - 1] if item.image else None,
        "data": {
            "title": item.title,
            "body": item.body,
            "category": [item.category],
            "event_date": {"start": item.event_start.isoformat(), "end": item.event_end.isoformat()},
        },
    }


def not_modified(servers: Servers) -> dict[str, Target]:
    """Request the list with the ETag of the previous answer, compared with the whole list."""
    server = servers["ours"]
    with Connection(server.port) as connection:
        status, headers, _ = connection.ask_all(request(server, OURS_LIST))
    if "etag" not in headers:
        raise WrongAnswer(f"{OURS_LIST}: {status} without an ETag")
    raw = request(server, OURS_LIST, **{"If-None-Match": headers["etag"]})
    shots = {"200": twenty(server, OURS_LIST), "ours": repeat(Shot(raw, status=304))}
    return {name: target(server, each) for name, each in shots.items()}


def list_large(servers: Servers) -> dict[str, Target]:
    small, large = servers["ours"], servers["large"]
    return {"small": target(small, twenty(small, OURS_LIST)), "ours": target(large, twenty(large, OURS_LIST))}


def cursor(servers: Servers) -> dict[str, Target]:
    """Request the page after nine tenths of the large set, found by reading the pages before it once."""
    server = servers["large"]
    after = ""
    with Connection(server.port) as connection:
        for _ in range(server.count * 9 // 1000):
            status, body = connection.ask(request(server, f"{OURS}?type=article&per_page=100&fields=slug&cursor={after}"))
            if status != 200 or b'"next_cursor":"' not in body:
                raise WrongAnswer(f"Reading {server.count} items by cursor: {status} {body[:300]!r}")
            after = quote(json.loads(body)["meta"]["next_cursor"], safe="")
    pages = {"first": f"{OURS_LIST}&cursor=", "ours": f"{OURS_LIST}&cursor={after}"}
    return {name: target(server, twenty(server, path)) for name, path in pages.items()}


def page(path: str, *markers: bytes) -> Callable[[Servers], dict[str, Target]]:
    """Request a cached public page, compared with one that is rendered because the request has a token."""

    def of(servers: Servers) -> dict[str, Target]:
        server = servers["ours"]
        shots = {
            "rendered": Shot(request(server, path), markers=markers),
            "ours": Shot(request(server, path, Authorization="").replace(b"Authorization: \r\n", b""), markers=markers),
        }
        return {name: target(server, repeat(shot)) for name, shot in shots.items()}

    return of


CASES = {
    "list": Case(
        ("rival", "floor", "ours"),
        {"v2": 1 / 15, "v2 joined": None},
        lists({"v2": V2_LIST, "v2 joined": f"/api/v2/joined/{V2_QUERY}", "floor": "/", "ours": OURS_LIST}),
    ),
    "detail": Case(("rival", "floor", "ours"), {"v2": 1 / 7, "v3": None}, detail),
    "filter": Case(
        ("rival", "floor", "ours"),
        {"v2": 1 / 15},
        lists(
            {"v2": f"{V2_LIST}&category={{news}}", "floor": "/category/news", "ours": f"{OURS_LIST}&term.category=news"},
            b'"news"',
        ),
    ),
    "search": Case(
        ("rival", "floor", "ours"),
        {"v2": 1 / 12},
        lists(
            {
                "v2": f"{V2_LIST}&search={RARE_WORD}",
                "floor": f"/search/{RARE_WORD}",
                "ours": f"{OURS_LIST}&search={RARE_WORD}",
            },
            f" {RARE_WORD} ".encode(),
        ),
    ),
    "page": Case(("ours",), {"rendered": 1 / 20}, page("/article/article-7", b"</html>")),
    "list_page": Case(("ours",), {"rendered": 1 / 20}, page("/article", b"</html>")),
    "not_modified": Case(("ours",), {"200": 1 / 2}, not_modified),
    "list_large": Case(("ours", "large"), {"small": 1.3}, list_large),
    "cursor": Case(("large",), {"first": 1.2}, cursor),
    # Last, because it makes the data sets grow.
    "create": Case(("rival", "floor", "ours"), {"v3": 1 / 10}, create),
}
