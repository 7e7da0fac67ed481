"""Tokens for the requests of a feed: the one that the provider has given, or those that client credentials of OAuth 2 get.

https://datatracker.ietf.org/doc/html/rfc6749#section-4.4
"""

from base64 import b64encode
from datetime import timedelta
from urllib.parse import quote_plus, urlencode

from django.utils import timezone

from cms_api.core import leases
from cms_api.outbound.fetching import Fetched, FetchError, fetch
from commerce.common.types.lenient import read_json

from ..models import Feed

TIMEOUT_SECONDS = 30
MAX_ANSWER_BYTES = 64 * 1024
#: The longest token, in characters, and how long one is kept at most.
MAX_ACCESS_TOKEN, MAX_LIFETIME = 20_000, timedelta(days=30)
#: How long before its end a token is no longer used.
MARGIN = timedelta(seconds=60)
_REFUSED = (400, 401)


class TokenError(FetchError):
    """There is no token; the message says why."""


def get_token(feed: Feed) -> str:
    """Return the token for the next request; empty without one. Raises TokenError."""
    if not feed.token_url:
        return feed.token
    ends = feed.access_token_ends_at
    is_valid = feed.access_token and (ends is None or ends > timezone.now())
    return feed.access_token if is_valid else renew_token(feed)


def renew_token(feed: Feed) -> str:
    """Return another token, kept with the feed until it ends. Raises TokenError."""
    given = {"grant_type": "client_credentials", **({"scope": feed.scope} if feed.scope else {})}
    in_body = {**given, "client_id": feed.client_id, "client_secret": feed.client_secret}
    pair = f"{quote_plus(feed.client_id)}:{quote_plus(feed.client_secret)}"
    try:
        try:
            answer = _post(feed.token_url, in_body)
        except FetchError as problem:
            if problem.status not in _REFUSED:
                raise
            # Servers support the credentials in the body, in a header, or both.
            answer = _post(feed.token_url, given, Authorization=f"Basic {b64encode(pair.encode()).decode()}")
    except FetchError as problem:
        raise TokenError(f"There is no token: {problem}", problem.status, problem.headers) from None
    feed.access_token, seconds = _read(answer)
    now = timezone.now()
    feed.access_token_ends_at = None if seconds is None else now + min(timedelta(seconds=seconds), MAX_LIFETIME) - MARGIN
    leases.ours(feed).update(access_token=feed.access_token, access_token_ends_at=feed.access_token_ends_at)
    return feed.access_token


def _post(url: str, values: dict[str, str], **headers: str) -> Fetched:
    sent = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded", **headers}
    body = urlencode(values).encode()
    return fetch(url, headers=sent, largest=MAX_ANSWER_BYTES, seconds=TIMEOUT_SECONDS, body=body)


def _read(answer: Fetched) -> tuple[str, int | None]:
    """Return the token of an answer, and its lifetime in seconds if it says so. Raises TokenError."""
    try:
        found = read_json(answer.body)
    except ValueError:
        found = None
    token = found.get("access_token") if isinstance(found, dict) else None
    if not isinstance(token, str) or not token.isascii() or not token.isprintable() or not 0 < len(token) <= MAX_ACCESS_TOKEN:
        raise TokenError("There is no token: the answer of the token URL has none.", answer.status)
    seconds = str(found.get("expires_in", "")) if isinstance(found, dict) else ""
    return token, int(seconds) if seconds.isascii() and seconds.isdigit() and len(seconds) < 10 else None
