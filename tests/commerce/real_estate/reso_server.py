"""An emulator of a server of the RESO Web API Core: paging, counts, filters and errors of OData 4, and tokens of OAuth 2.

`$top` is the greatest number of all records, as the standard says, and no page follows after it.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from tests.webhooks.receiver import Answer, Receiver, Request

PATH, TOKEN_PATH = "/odata/Property", "/oauth2/token"
CLIENT, SECRET = "site-4711", "secret-of-the-client"
JSON = {"Content-Type": "application/json"}
_PREFERENCE = re.compile(r"odata\.maxpagesize=(\d+)")
_CONDITION = re.compile(r"\(?(\w+) (eq|gt|ge) ('[^']*'|[\w:.\-]+)\)?")
_KNOWN = {"$top", "$skip", "$orderby", "$select", "$expand", "$filter", "$count", "$skiptoken"}


class ResoServer:
    """Answers the requests that a `Receiver` gets, from `records`."""

    def __init__(self, receiver: Receiver, records: Iterable[dict[str, Any]] = ()) -> None:
        self.receiver, self.records = receiver, list(records)
        #: The most records of a page, whatever is preferred.
        self.max_page_size = 200
        self.keys = "ListingKey"
        self.counts = True
        #: Added to the number of records that an answer says.
        self.miscounted_by = 0
        #: Answers to be given before any other, such as 429.
        self.errors: list[Answer] = []
        #: Tokens that are taken; none are needed while it is None.
        self.tokens: set[str] | None = None
        self.expires_in: int | None = 3600
        #: Whether the client credentials are taken in a header only.
        self.takes_basic_only = False
        receiver._answers = self  # type: ignore[assignment]

    @property
    def url(self) -> str:
        return self.receiver.url(PATH)

    @property
    def token_url(self) -> str:
        return self.receiver.url(TOKEN_PATH)

    @property
    def requests(self) -> list[Request]:
        return [each for each in self.receiver.requests if each.path.startswith(PATH)]

    @property
    def queries(self) -> list[dict[str, str]]:
        """The options of each request for listings; one that comes twice is refused by the server."""
        return [dict(parse_qsl(urlsplit(each.path).query)) for each in self.requests]

    def get(self, path: str) -> list[Answer]:
        """Return the answer of the latest request, as the receiver takes it."""
        request = self.receiver.requests[-1]
        if path == TOKEN_PATH:
            return [self._give_token(request)]
        if self.errors:
            return [self.errors.pop(0)]
        if self.tokens is not None and request.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return [_refuse(401, "Unauthorized")]
        return [self._answer(request)]

    def _answer(self, request: Request) -> Answer:
        pairs = [(name, value) for name, value in parse_qsl(urlsplit(request.path).query) if name.startswith("$")]
        options = dict(pairs)
        if len(options) < len(pairs):
            return _refuse(400, "A query option is there twice.")
        if unknown := options.keys() - _KNOWN:
            return _refuse(400, f"Unknown options: {sorted(unknown)}.")
        named = {options.get("$orderby", self.keys), *options.get("$select", self.keys).split(",")}
        if not named <= {self.keys, "ModificationTimestamp"} or ("$count" in options and not self.counts):
            return _refuse(400, "Unknown property or option.")
        try:
            found = [each for each in self.records if _fits(each, options.get("$filter", ""))]
        except ValueError as problem:
            return _refuse(400, str(problem))
        start = int(options.get("$skiptoken", 0))
        end = min(len(found), int(options.get("$top", len(found))))
        preferred = _PREFERENCE.search(request.headers.get("prefer", ""))
        size = min(self.max_page_size, int(preferred[1]) if preferred else self.max_page_size)
        page = [_select(each, options.get("$select", "")) for each in found[start : min(start + size, end)]]
        body: dict[str, Any] = {"@odata.context": "$metadata#Property", "value": page}
        if options.get("$count") == "true":
            body["@odata.count"] = len(found) + self.miscounted_by
        if start + size < end:
            kept = "&".join(f"{name}={quote(value)}" for name, value in options.items() if name != "$skiptoken")
            body["@odata.nextLink"] = f"{PATH}?{kept}&$skiptoken={start + size}"
        return Answer(200, JSON, json.dumps(body).encode())

    def _give_token(self, request: Request) -> Answer:
        sent = dict(parse_qsl(request.body.decode()))
        basic = f"Basic {b64encode(f'{CLIENT}:{SECRET}'.encode()).decode()}"
        in_body = (sent.get("client_id"), sent.get("client_secret")) == (CLIENT, SECRET) and not self.takes_basic_only
        if sent.get("grant_type") != "client_credentials" or not (in_body or request.headers.get("authorization") == basic):
            return _refuse(401, "invalid_client")
        self.tokens = {f"token-{len(self.receiver.at(TOKEN_PATH))}"}
        given = {"access_token": next(iter(self.tokens)), "token_type": "Bearer"}
        return Answer(200, JSON, json.dumps({**given, **({"expires_in": self.expires_in} if self.expires_in else {})}).encode())


def too_busy(seconds: int) -> Answer:
    return Answer(429, {"Retry-After": str(seconds)}, b"{}")


def _refuse(status: int, message: str) -> Answer:
    return Answer(status, JSON, json.dumps({"error": {"code": str(status), "message": message}}).encode())


def _fits(record: dict[str, Any], conditions: str) -> bool:
    """Return whether a record fits conditions that are joined with `and`. Raises ValueError for others."""
    return all(_fits_one(record, each) for each in conditions.split(" and ")) if conditions else True


def _fits_one(record: dict[str, Any], condition: str) -> bool:
    found = _CONDITION.fullmatch(condition.strip())
    if not found:
        raise ValueError("The filter cannot be read.")
    name, operator, value = found[1], found[2], found[3]
    own = record.get(name)
    if own is None:
        return False
    if value.startswith("'"):
        return bool(operator == "eq" and own == value[1:-1])
    if name.endswith("Timestamp"):
        left, right = datetime.fromisoformat(str(own)), datetime.fromisoformat(value)
        return left > right if operator == "gt" else left >= right
    return bool(float(own) == float(value) if operator == "eq" else float(own) > float(value))


def _select(record: dict[str, Any], names: str) -> dict[str, Any]:
    return {name: record.get(name) for name in names.split(",")} if names else record
