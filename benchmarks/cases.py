"""The requests of each case, what their answers must contain, and the bar that our server has to meet."""

import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, cycle, repeat
from urllib.parse import quote

from .contents import Content, floor_content, our_content, our_update, payload_content, v3_content, v3_update
from .dataset import RARE_WORD, Article, article
from .load import CONNECTIONS, Connection, Shot, Target, WrongAnswer
from .servers import Server

Servers = dict[str, Server]
#: An endless supply of requests to a server.
Shots = Callable[[Server], Iterator[Shot]]

V2 = "/api/v2/pages/"
V2_TYPE = "?type=rival.ArticlePage&limit=20"
V2_FIELDS = "fields=*,category(name,slug)"
V2_LIST = f"{V2}{V2_TYPE}&{V2_FIELDS}"
V3 = "/api/v3/pages/"
PAYLOAD = "/api/articles"
PAYLOAD_LIST = f"{PAYLOAD}?limit=20&depth=1"
PAYLOAD_SEARCH = f"{PAYLOAD_LIST}&where[or][0][title][like]={RARE_WORD}&where[or][1][body][like]={RARE_WORD}"
PAYLOAD_FIELDS = f"{PAYLOAD}?limit=20&depth=0&select[title]=true&select[slug]=true&select[publishedAt]=true"
OURS = "/api/v1/content-items"
OURS_LIST = f"{OURS}?type=article&per_page=20"

#: Texts that occur once per item in an answer: its slug and the end of its body.
SLUG, BODY = b'"article-', b'</p>"'


#: The server of each target of a case.
HOSTS = {
    **dict.fromkeys(("v2", "v2 joined", "v3"), "rival"),
    **{name: name for name in ("payload", "floor", "sqlite", "ours")},
}
#: The servers that are compared with ours, and ours. Payload runs only if it is asked for, ours on SQLite only beside PostgreSQL.
PEERS = ("rival", "payload", "sqlite", "ours")
ALL = ("rival", "payload", "floor", "sqlite", "ours")


@dataclass(frozen=True)
class Case:
    """A case. `rivals` maps targets to the largest part of their CPU that ours may take (None: no bar)."""

    servers: tuple[str, ...]
    rivals: dict[str, float | None]
    targets: Callable[[Servers], dict[str, Target]]


def beside(shots: dict[str, Shots], connections: int = CONNECTIONS) -> Callable[[Servers], dict[str, Target]]:
    """Send the requests to every target whose server runs."""

    def targets(servers: Servers) -> dict[str, Target]:
        sent = {"sqlite": shots["ours"], **shots}
        running = {name: servers[HOSTS[name]] for name in sent if HOSTS[name] in servers}
        return {name: target(server, sent[name](server), connections) for name, server in running.items()}

    return targets


def grown(shots: dict[str, Shots]) -> Callable[[Servers], dict[str, Target]]:
    """Send our requests of a case to the large set, compared with the small one."""

    def targets(servers: Servers) -> dict[str, Target]:
        sets = {"small": servers["ours"], "ours": servers["large"]}
        return {name: target(server, shots["ours"](server)) for name, server in sets.items()}

    return targets


def target(server: Server, shots: Iterator[Shot], connections: int = CONNECTIONS) -> Target:
    return Target(server.port, server.pid, server.database, shots, connections)


def request(server: Server, path: str, *, method: str = "GET", content: object = None, **headers: str) -> bytes:
    """Return a raw HTTP/1.1 request, with the server's token unless the resource is public."""
    body = b"" if content is None else json.dumps(content).encode()
    lines = {"Host": f"127.0.0.1:{server.port}", "Accept": "application/json"}
    if method != "GET" or not path.startswith((V2, "/api/v2/joined/", V3)):
        lines["Authorization"] = server.authorization
    if body:
        lines |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in (lines | headers).items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body


def twenty(server: Server, path: str, *markers: bytes) -> Iterator[Shot]:
    """Request the same list of twenty whole items repeatedly."""
    return repeat(Shot(request(server, path), markers=(SLUG, BODY, *markers), times=20))


def lists(paths: dict[str, str], *markers: bytes) -> dict[str, Shots]:
    """Request the same list of every server; a path may contain `{news}`, the id of that category there."""

    def shots(path: str, server: Server) -> Iterator[Shot]:
        return twenty(server, path.format(**server.facts.get("categories", {})), *markers)

    return {name: partial(shots, path) for name, path in paths.items()}


def first_searches(path: str, *markers: bytes) -> Shots:
    """Request a list for the same word in other capitals, and with other punctuation, each time: no total is known."""

    def shots(server: Server) -> Iterator[Shot]:
        for number in cycle(range(190 << len(RARE_WORD))):
            letters = (each.upper() if number >> place & 1 else each for place, each in enumerate(RARE_WORD))
            word = "".join(letters) + "." * (number >> len(RARE_WORD))
            yield Shot(request(server, path + word), markers=(SLUG, BODY, *markers), times=20)

    return shots


def parts(paths: dict[str, str]) -> dict[str, Shots]:
    """Request the same list of twenty items without their bodies."""

    def shots(path: str, server: Server) -> Iterator[Shot]:
        return repeat(Shot(request(server, path), markers=(SLUG,), times=20, absent=(BODY,)))

    return {name: partial(shots, path) for name, path in paths.items()}


def details(paths: dict[str, str], *markers: bytes) -> dict[str, Shots]:
    """Request one item, chosen at random each time."""

    def shots(path: str, server: Server) -> Iterator[Shot]:
        chance = random.Random("detail")
        while True:
            number = chance.randrange(server.count)
            raw = request(server, path.format(server.facts["first"] + number))
            yield Shot(raw, markers=(f'"article-{number}"'.encode(), *markers))

    return {name: partial(shots, path) for name, path in paths.items()}


def creations(contents: dict[str, tuple[str, Content]]) -> dict[str, Shots]:
    """Create and publish a new item each time."""
    numbers = count(time.time_ns() // 1_000_000)

    def shots(path: str, content: Content, server: Server) -> Iterator[Shot]:
        for number in numbers:
            raw = request(server, path, method="POST", content=content(server, article(number)))
            yield Shot(raw, status=201, markers=(f'"article-{number}"'.encode(), BODY))

    return {name: partial(shots, *content) for name, content in contents.items()}


def updates(contents: dict[str, tuple[str, Content]]) -> dict[str, Shots]:
    """Publish other texts of an item, chosen at random each time."""

    def shots(path: str, content: Content, server: Server) -> Iterator[Shot]:
        chance = random.Random("update")
        for number, item in (changed(chance.randrange(server.count), times) for times in count(1)):
            path_of_item = path.format(server.facts["first"] + number)
            raw = request(server, path_of_item, method="PATCH", content=content(server, item))
            yield Shot(raw, markers=(f'"article-{number}"'.encode(), f' {item.number}"'.encode(), BODY))

    return {name: partial(shots, *content) for name, content in contents.items()}


def changed(number: int, times: int) -> tuple[int, Article]:
    """Return an item's number, and the item with the texts of another one, which contains the rare word if it does."""
    former = article(number)
    return number, replace(article(number + 1_000_000 * times), slug=former.slug, published_at=former.published_at)


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


def fields(servers: Servers) -> dict[str, Target]:
    """Request three fields of every server, and the whole items of ours."""
    found = beside(FIELDS)(servers)
    return found | ({"whole": target(servers["ours"], twenty(servers["ours"], OURS_LIST))} if "ours" in servers else {})


def detail_fields(servers: Servers) -> dict[str, Target]:
    """Request three fields of one item, and the whole item."""
    found = beside(details({"ours": f"{OURS}/{{}}?fields=title,slug,published_at"}))(servers)
    return found | {"whole": target(servers["ours"], DETAIL["ours"](servers["ours"]))}


def cursor(servers: Servers) -> dict[str, Target]:
    """Request the page after nine tenths of the large set, compared with its first one and with that of the small set."""
    large, small = servers["large"], servers["ours"]
    pages = {"first": (large, ""), "small": (small, deep_cursor(small)), "ours": (large, deep_cursor(large))}
    return {name: target(server, twenty(server, f"{OURS_LIST}&cursor={after}")) for name, (server, after) in pages.items()}


def deep_cursor(server: Server) -> str:
    """Return the cursor after nine tenths of the items, found by reading the pages before it once."""
    after = ""
    with Connection(server.port) as connection:
        for _ in range(server.count * 9 // 1000):
            status, body = connection.ask(request(server, f"{OURS}?type=article&per_page=100&fields=slug&cursor={after}"))
            if status != 200 or b'"next_cursor":"' not in body:
                raise WrongAnswer(f"Reading {server.count} items by cursor: {status} {body[:300]!r}")
            after = quote(json.loads(body)["meta"]["next_cursor"], safe="")
    return after


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


LIST = lists(
    {
        "v2": V2_LIST,
        "v2 joined": f"/api/v2/joined/{V2_TYPE}&{V2_FIELDS}",
        "payload": PAYLOAD_LIST,
        "floor": "/",
        "ours": OURS_LIST,
    }
)
DETAIL = details(
    {
        "v2": f"{V2}{{}}/?{V2_FIELDS}",
        "v3": f"{V3}{{}}/",
        "payload": f"{PAYLOAD}/{{}}?depth=1",
        "floor": "/{}",
        "ours": f"{OURS}/{{}}",
    },
    BODY,
)
FILTER = lists(
    {
        "v2": f"{V2_LIST}&category={{news}}",
        "payload": f"{PAYLOAD_LIST}&where[category][equals]={{news}}",
        "floor": "/category/news",
        "ours": f"{OURS_LIST}&term.category=news",
    },
    b'"news"',
)
LIST_ALL = lists({"ours": f"{OURS}?status=all&sort=-updated_at&per_page=20"})
PAST = lists({"ours": f"{OURS}?when=past&from=2024-06-01&per_page=20"})
FOUND = f" {RARE_WORD} ".encode()
SEARCH = lists(
    {
        "v2": f"{V2_LIST}&search={RARE_WORD}",
        "payload": PAYLOAD_SEARCH,
        "floor": f"/search/{RARE_WORD}",
        "ours": f"{OURS_LIST}&search={RARE_WORD}",
    },
    FOUND,
)
FIRST_SEARCH = SEARCH | {"ours": first_searches(f"{OURS_LIST}&search=", FOUND)}
FIELDS = parts(
    {
        "v2": f"{V2}{V2_TYPE}&fields=_,title,slug,first_published_at",
        "payload": PAYLOAD_FIELDS,
        "ours": f"{OURS_LIST}&fields=title,slug,published_at",
    }
)
UPDATE = updates(
    {
        "v3": (f"{V3}{{}}/", v3_update),
        "payload": (f"{PAYLOAD}/{{}}?depth=1", payload_content),
        "ours": (f"{OURS}/{{}}", our_update),
    }
)
CREATE = creations(
    {
        "v3": (V3, v3_content),
        "payload": (f"{PAYLOAD}?depth=1", payload_content),
        "floor": ("/", floor_content),
        "ours": (OURS, our_content),
    }
)

CASES = {
    "list": Case(ALL, {"v2": 1 / 15, "v2 joined": None, "payload": 1 / 5, "floor": 4, "sqlite": 1.7}, beside(LIST)),
    "detail": Case(ALL, {"v2": 1 / 7, "v3": None, "payload": 1 / 4, "floor": 7, "sqlite": 1.7}, beside(DETAIL)),
    "filter": Case(ALL, {"v2": 1 / 15, "payload": 1 / 5, "sqlite": 1.7}, beside(FILTER)),
    "search": Case(ALL, {"v2": 1 / 12, "payload": 1 / 5, "sqlite": 1.7}, beside(SEARCH)),
    "first_search": Case(ALL, {"v2": 1 / 12, "payload": 1 / 5, "sqlite": 1.7}, beside(FIRST_SEARCH)),
    "fields": Case(PEERS, {"v2": None, "payload": 1, "whole": 1, "sqlite": 1.7}, fields),
    "detail_fields": Case(("sqlite", "ours"), {"whole": 1, "sqlite": 1.7}, detail_fields),
    "page": Case(("ours",), {"rendered": 1 / 10}, page("/article/article-7", b"</html>")),
    "list_page": Case(("ours",), {"rendered": 1 / 10}, page("/article", b"</html>")),
    "not_modified": Case(("ours",), {"200": 2 / 3}, not_modified),
    "list_large": Case(("ours", "large"), {"small": 1.5}, grown(LIST)),
    "list_all_large": Case(("ours", "large"), {"small": 1.5}, grown(LIST_ALL)),
    "past_large": Case(("ours", "large"), {"small": 1.5}, grown(PAST)),
    "detail_large": Case(("ours", "large"), {"small": 1.5}, grown(DETAIL)),
    "filter_large": Case(("ours", "large"), {"small": 1.5}, grown(FILTER)),
    "search_large": Case(("ours", "large"), {"small": 1.5}, grown(SEARCH)),
    "first_search_large": Case(("ours", "large"), {"small": 1.5}, grown(FIRST_SEARCH)),
    "cursor": Case(("ours", "large"), {"first": 1.5, "small": 1.5}, cursor),
    # Last, because they change the data sets, and the latter make them grow.
    "update": Case(PEERS, {"v3": None, "payload": 1, "sqlite": 1.7}, beside(UPDATE)),
    "create_large": Case(("ours", "large"), {"small": 1.5}, grown(CREATE)),
    "create_alone": Case(ALL, {"v3": None, "payload": 1, "sqlite": 1.7}, beside(CREATE, connections=1)),
    "create": Case(ALL, {"v3": 1 / 10, "payload": 1, "sqlite": 1.7}, beside(CREATE)),
}
