"""Renders pages in a fresh process: `python -m benchmarks.first_page PATH ...` prints milliseconds of CPU as JSON."""

import json
import statistics
import sys
import time
from typing import Any
from wsgiref.util import setup_testing_defaults

#: Requests for each page after the first.
REQUESTS_PER_PAGE = 40


def main() -> None:
    started = cpu()
    from config.wsgi import application

    pages = sys.argv[1:]
    found = {"start": cpu() - started, "first": timed(application, pages[0])}
    for path in pages:
        timed(application, path)
        found[path] = statistics.median(timed(application, path) for _ in range(REQUESTS_PER_PAGE))
    print(json.dumps(found))


def timed(application: Any, path: str) -> float:
    """Render a page; requests with a token bypass the cache."""
    environ: dict[str, Any] = {"PATH_INFO": path, "HTTP_AUTHORIZATION": "Bearer none"}
    setup_testing_defaults(environ)
    statuses: list[str] = []
    before = cpu()
    response = application(environ, lambda status, headers: statuses.append(status))
    body = b"".join(response)
    spent = cpu() - before
    response.close()
    if statuses != ["200 OK"] or not body.rstrip().endswith(b"</html>"):
        raise SystemExit(f"{path}: {statuses} {body[:200]!r}")
    return spent


def cpu() -> float:
    return time.process_time() * 1000


if __name__ == "__main__":
    main()
