"""Edits the demo site through its API and checks at once for stale pages in every process: `python -m benchmarks.pages`."""

import argparse
import random
import re
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

from tests.webhooks.crash import Site, served, site
from tests.webhooks.receiver import make_authority

POSTGRESQL = "postgresql://postgres@127.0.0.1:5432"
#: Each request has a connection of its own, so that both processes of the web server are reached.
REQUESTS = 4
PATHS = (
    "/",
    "/about/",
    "/find-us/",
    "/summer-school/",
    "/blog-post",
    "/service",
    "/blog-post/category/workshops",
    "/sitemap.xml",
)
#: The parts that differ between equal pages: tokens and times in forms.
_VOLATILE = re.compile(rb'<lastBuildDate>[^<]*|<input type="hidden"[^>]*>')


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.add_argument("--edits", type=int, default=500, help="random changes through the API (500)")
    parser.add_argument("--postgresql", metavar="URL", nargs="?", const=POSTGRESQL, default="", help=f"on it ({POSTGRESQL})")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        folder = Path(scratch)
        with site(folder, make_authority(folder), postgresql=options.postgresql) as target:
            target.manage("load_demo")
            with served(target):
                stale, requested, refused = edited(target, options.edits)
    print(f"{options.edits} edits ({refused} refused), {requested} requests for pages in 2 processes: {len(stale)} stale")
    for number, what, path in stale[:10]:
        print(f"  after edit {number} ({what}): {path}")
    return 1 if stale else 0


def edited(target: Site, count: int) -> tuple[list[tuple[int, str, str]], int, int]:
    """Return the stale pages with their edits, the number of pages requested, and the number of refused edits."""
    chance = random.Random(7)
    stale, requested, refused = [], 0, 0
    for number in range(count):
        items = target.call("GET", "/api/v1/content-items?type=blog-post&per_page=20")[1]["data"]
        paths = [*chance.sample(PATHS, 3), *(urlsplit(item["url"]).path for item in items[:3])]
        for path in paths:
            fetch(target, path)
        what, status = edit(target, chance, number, items)
        refused += status not in {200, 201}
        for path in paths:
            wanted = fetch(target, path, cached=False)
            for _ in range(REQUESTS):
                requested += 1
                if fetch(target, path) != wanted:
                    stale.append((number, what, path))
    return stale, requested, refused


def edit(target: Site, chance: random.Random, number: int, items: list[Any]) -> tuple[str, int]:
    """Make a change through the API; return its description and the status of the answer."""
    item = chance.choice(items)
    what = chance.choice(["item", "item", "picture of an item", "new item", "page picture", "media"])
    images = [found["id"] for found in target.call("GET", "/api/v1/media?kind=image&per_page=20")[1]["data"]]
    if what == "item":
        body: dict[str, Any] = {
            "data": {"title": f"Edited {number}"},
            "status": chance.choice(["published", "published", "draft"]),
        }
        return what, target.call("PATCH", f"/api/v1/content-items/{item['id']}", body)[0]
    if what == "picture of an item":
        chosen = {"featured_media_id": chance.choice([*images, None])}
        return what, target.call("PATCH", f"/api/v1/content-items/{item['id']}", chosen)[0]
    if what == "new item":
        return what, target.write(f"New {number}")[0]
    if what == "media":
        return what, target.call("PATCH", f"/api/v1/media/{chance.choice(images)}", {"alt": f"Said {number}"})[0]
    page = chance.choice(["about", "summer-school", "home", "find-us"])
    place = chance.choice(target.call("GET", f"/api/v1/pages/images?page={page}")[1]["data"])
    body = {"page": page, "row_slug": place["row_slug"], "key": place["key"], "media_id": chance.choice([*images, None])}
    return what, target.call("PATCH", "/api/v1/pages/images", body)[0]


def fetch(target: Site, path: str, *, cached: bool = True) -> tuple[int, bytes]:
    """Fetch a page as a visitor gets it, or rendered: requests with a token bypass the cache."""
    headers = {} if cached else {"Authorization": "Bearer none"}
    request = urllib.request.Request(f"http://127.0.0.1:{target.port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, _VOLATILE.sub(b"", answer.read())
    except HTTPError as refusal:
        with refusal:
            return refusal.code, b""


if __name__ == "__main__":
    sys.exit(main())
