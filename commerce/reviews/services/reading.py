"""Reads reviews: what visitors write, rows of CSV files, and the JSON files of providers."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import orjson
from django.utils import timezone

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required
from cms_api.fields.base import FieldPath, read_line, read_text
from cms_api.fields.texts import is_web_url
from cms_api.flags.selectors import site_timezone
from cms_api.http.wire import parse_instant
from commerce.common.types import read_email

from ..types import MAX_AUTHOR, MAX_BODY, MAX_ID, MAX_REPLY, MAX_TITLE, MAX_URL, RATINGS, SYNCED, Provider

#: Reviews in a JSON file, and how many of its mistakes are named.
MAX_ROWS, MAX_MISTAKES = 20_000, 20
#: Google writes ratings in words; Facebook has recommendations instead of ratings.
WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "positive": 5, "negative": 1}
#: The names of each value in the APIs of Google, Facebook and Yelp, and in ours; dots lead into objects.
NAMES: Mapping[str, tuple[str, ...]] = {
    "provider_id": ("provider_id", "reviewId", "open_graph_story.id", "id"),
    "author_name": ("author_name", "reviewer.displayName", "reviewer.name", "user.name"),
    "rating": ("rating", "starRating", "recommendation_type"),
    "title": ("title",),
    "body": ("body", "comment", "review_text", "text"),
    "reply": ("reply", "reviewReply.comment"),
    "url": ("url",),
    "left_at": ("left_at", "createTime", "created_time", "time_created"),
}
#: The names of the list of reviews in the answers of the APIs.
LISTS = ("reviews", "data")
YES = ("yes", "true", "1")


def read_written(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a review written on the site. Raises Invalid by attribute."""
    errors = ErrorCollector()
    found = _texts(errors, values, needed=("author_name", "body"))
    with errors.under():
        email = values.get("author_email")
        if not isinstance(email, str) or not email.strip():
            raise Invalid({"author_email": required("author_email")})
        with_path = read_email(email, "author_email")
        found["author_email"] = with_path
    errors.raise_if_any()
    return found


def read_synced(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a review of a provider, and `removed` if the provider has it no longer. Raises Invalid."""
    errors = ErrorCollector()
    provider = str(values.get("provider") or "").strip().lower()
    if provider not in SYNCED:
        errors.add("provider", invalid_choice("provider", SYNCED) if provider else required("provider"))
    else:
        # Facebook does not name all of its people.
        values = {**values, "author_name": values.get("author_name") or f"{Provider(provider).label} user"}
    found = _texts(errors, values, needed=("provider_id", "author_name")) | {"provider": provider}
    with errors.under():
        found["left_at"] = _read_moment(values.get("left_at"))
    if found["url"] and not is_web_url(found["url"]):
        errors.add("url", "The url must be a valid URL.")
    errors.raise_if_any()
    return {**found, "removed": str(values.get("removed") or "").strip().lower() in YES}


def _texts(errors: ErrorCollector, values: Mapping[str, Any], *, needed: tuple[str, ...]) -> dict[str, Any]:
    """Return the rating and the texts that are read for the needed ones' sake; every mistake is collected."""
    is_synced = "provider_id" in needed
    lines = {"author_name": MAX_AUTHOR, "title": MAX_TITLE, **({"provider_id": MAX_ID, "url": MAX_URL} if is_synced else {})}
    texts = {"body": MAX_BODY, **({"reply": MAX_REPLY} if is_synced else {})}
    found: dict[str, Any] = {}
    for name, longest in lines.items():
        found[name] = ""
        with errors.under():
            found[name] = read_line(values.get(name), FieldPath(name, name.replace("_", " ")), longest) or ""
    for name, longest in texts.items():
        found[name] = ""
        with errors.under():
            found[name] = read_body(values.get(name), name, longest)
    with errors.under():
        found["rating"] = _read_rating(values.get("rating"))
    for name in needed:
        if not found[name] and name not in errors.errors:
            errors.add(name, required(name))
    return found


def read_body(value: Any, name: str, longest: int) -> str:
    """Return text of several lines; browsers count and send the ends of lines differently. Raises Invalid by name."""
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").replace("\r", "\n").strip()
    return read_text(value, FieldPath(name, name), longest) or ""


def _read_rating(value: Any) -> int:
    if value is None or value == "":
        raise Invalid({"rating": required("rating")})
    word = str(value).strip().lower().removesuffix(".0")
    found = WORDS.get(word) if word in WORDS else int(word) if word.isascii() and word.isdigit() and len(word) < 3 else None
    if found not in RATINGS:
        raise Invalid({"rating": f"The rating must be a whole number between {RATINGS[0]} and {RATINGS[-1]}."})
    assert found is not None
    return found


def _read_moment(value: Any) -> datetime:
    """Return when a review was left; one without a zone is on the site's clock."""
    if not value:
        raise Invalid({"left_at": required("left_at")})
    try:
        found = parse_instant(str(value).strip(), site_timezone())
    except (ValueError, OverflowError):
        raise Invalid({"left_at": "The left at is not a valid date."}) from None
    if found > timezone.now():
        raise Invalid({"left_at": "The left at may not be in the future."})
    return found


def read(cells: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row of a CSV file. Raises Invalid."""
    return read_synced(cells)


def read_file(provider: str, content: bytes) -> list[dict[str, Any]]:
    """Return the reviews in a JSON file of a provider: a list of them, or an answer of its API. Raises Invalid."""
    try:
        found = orjson.loads(content)
    except (orjson.JSONDecodeError, RecursionError):
        raise Invalid({"file": "This is no JSON file."}) from None
    if isinstance(found, dict):
        found = next((found[name] for name in LISTS if name in found), None)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Invalid({"file": "The file has no list of reviews."})
    if len(found) > MAX_ROWS:
        raise Invalid({"file": f"The file has more than {MAX_ROWS:,} reviews. Split it into several files."})
    return _read_all(provider, found)


def _read_all(provider: str, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Read every review, or none: with some left out, others would seem to be gone at the provider."""
    errors = ErrorCollector()
    read_rows = []
    for number, row in enumerate(rows, start=1):
        values = {name: _first(row, paths) for name, paths in NAMES.items()}
        try:
            read_rows.append(read_synced({**values, "provider": provider}))
        except Invalid as refusal:
            errors.add("file", f"Review {number}: {refusal.message}")
            if len(errors.errors["file"]) == MAX_MISTAKES:
                break
    errors.raise_if_any()
    return read_rows


def _first(row: Mapping[str, Any], paths: tuple[str, ...]) -> Any:
    """Return the first value that is there and no object."""
    for path in paths:
        found: Any = row
        for key in path.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        if found is not None and not isinstance(found, dict | list):
            return found if isinstance(found, str) else str(found)
    return None
