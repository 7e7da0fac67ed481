"""Reads the pages of a RESO Web API, https://transport.reso.org. Their JSON is read in a process of its own."""

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.utils import timezone

from cms_api.core import leases
from cms_api.core.apart import Limits, ReadingFailed, run_apart
from cms_api.core.errors import Invalid
from cms_api.core.leases import Stop
from cms_api.outbound.fetching import Fetched, FetchError, fetch

from ..models import Feed, FeedRun
from ..types.listings import RunKind
from ..types.pages import batch_from_json, keys_of_page, map_page
from ..types.requests import DEFAULT_PAUSE, Dialect, WrongAnswer, first_url, next_url, pause_of, simpler_dialects
from .batches import rules_of, see_keys, store_batch, was_read
from .tokens import TokenError, get_token, renew_token

TIMEOUT_SECONDS = 60
MAX_PAGE_BYTES = 128 * 1024 * 1024
#: For the largest page: a parser of JSON takes ten times its size.
LIMITS = Limits(cpu_seconds=60, seconds=180, memory_bytes=2_500_000_000)
#: From the start of a request to the next: services allow two a second.
REQUEST_INTERVAL = timedelta(milliseconds=500)
#: The most pages of a run, and the longest that it may take: by then, a server has sent millions of listings, or it never ends.
MAX_PAGES = 50_000
MAX_AGE = timedelta(days=3)
#: Requests in a row that may fail because a server is away.
MAX_FAILURES = 10
_BAD_REQUEST, _UNAUTHORIZED, _BUSY = 400, 401, (429, 503)
_SERVER_ERROR = 500


class Later(Exception):
    """The server is busy or away: the run goes on after a while. The message is a sentence."""

    def __init__(self, message: str, wait: timedelta) -> None:
        super().__init__(message)
        self.wait = wait


def read_pages(feed: Feed, run: FeedRun, stop: Stop) -> bool:
    """Store the pages of a run from where it is; return False if it was stopped early. Raises Later, WrongAnswer, Ended."""
    rules = asdict(rules_of(feed, needs_stamp=True))
    while True:
        # Its last page was stored before it was interrupted.
        if run.position and not run.next_link:
            return True
        if stop():
            return False
        started = time.monotonic()
        answer, url = _fetch_next(feed, run) if run.next_link else _fetch_first(feed, run)
        if run.kind == RunKind.KEYS:
            keys, following, count = _read_apart(keys_of_page, answer.body, url)
            see_keys(feed, run, keys, page=url, **_progress(run, following, count))
        else:
            found, following, count = _read_apart(map_page, answer.body, url, rules)
            store_batch(feed, run, batch_from_json(found), page=url, **_progress(run, following, count))
        if not following:
            return True
        time.sleep(max(0, REQUEST_INTERVAL.total_seconds() - (time.monotonic() - started)))


def _read_apart(function: Callable[..., Any], body: bytes, *arguments: Any) -> Any:
    try:
        return run_apart(function, body, *arguments, limits=LIMITS)
    except Invalid as refusal:
        raise WrongAnswer(refusal.message) from None
    except ReadingFailed as problem:
        raise WrongAnswer(f"The answer {problem}") from None


def _progress(run: FeedRun, following: str, count: int | None) -> dict[str, Any]:
    """Return the columns of a run of which a page is done."""
    return {"next_link": following, "position": run.position + 1, "counted": run.counted if count is None else count}


def _next(feed: Feed, run: FeedRun) -> str:
    """Return the address of the next page. Raises WrongAnswer for a page that was read, and where pages do not end."""
    url = next_url(run.next_link, feed.url)
    if was_read(run, url):
        raise WrongAnswer("The pages lead in a circle: the next one was read already.")
    if run.position >= MAX_PAGES:
        raise WrongAnswer(f"The pages do not end: {MAX_PAGES:,} have been read.")
    if timezone.now() - run.started_at > MAX_AGE:
        raise WrongAnswer(f"The pages could not be read in {MAX_AGE.days} days.")
    return url


def _fetch_next(feed: Feed, run: FeedRun) -> tuple[Fetched, str]:
    """Return the next page and its address. Raises Later, WrongAnswer."""
    url = _next(feed, run)
    try:
        return _get(feed, url), url
    except FetchError as problem:
        raise _judge(run, problem) from None


def _fetch_first(feed: Feed, run: FeedRun) -> tuple[Fetched, str]:
    """Return the first page and its address, without the options that the server refuses. Raises Later, WrongAnswer."""
    known, kind = Dialect(feed.expands_media, feed.has_text_keys, feed.counts), RunKind(run.kind)
    refusal: FetchError | None = None
    for dialect in simpler_dialects(known, kind):
        url = first_url(feed.url, kind, since=feed.watermark, dialect=dialect)
        try:
            answer = _get(feed, url)
        except FetchError as problem:
            if problem.status != _BAD_REQUEST or isinstance(problem, TokenError):
                raise _judge(run, problem) from None
            refusal = refusal or problem
            continue
        if dialect != known:
            leases.ours(feed).update(**asdict(dialect))
        return answer, url
    raise _judge(run, refusal or FetchError("The server refuses the request.")) from None


def _get(feed: Feed, url: str) -> Fetched:
    """Return an answer; a token that the server no longer takes is renewed once. Raises FetchError."""
    token = get_token(feed)
    try:
        return _request(feed, url, token)
    except FetchError as problem:
        if problem.status != _UNAUTHORIZED or not feed.token_url:
            raise
    return _request(feed, url, renew_token(feed))


def _request(feed: Feed, url: str, token: str) -> Fetched:
    headers = {"Accept": "application/json", "Prefer": f"odata.maxpagesize={feed.page_size}"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return fetch(url, headers=headers, largest=MAX_PAGE_BYTES, seconds=TIMEOUT_SECONDS)


def _judge(run: FeedRun, problem: FetchError) -> Exception:
    """Return whether a failed request is made again later."""
    status = problem.status
    if status in _BUSY and run.failures < MAX_FAILURES:
        return Later(str(problem), pause_of(problem.headers, timezone.now()))
    if (status is None or status >= _SERVER_ERROR) and run.failures < MAX_FAILURES:
        return Later(str(problem), DEFAULT_PAUSE)
    return WrongAnswer(str(problem))
