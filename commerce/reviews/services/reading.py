"""Reads reviews: what visitors write, rows of CSV files, and the JSON files of providers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from django.utils import timezone

from cms_api.auth.services import visitors
from cms_api.core.apart import read_upload
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.fields.base import FieldPath, read_line, read_text
from cms_api.fields.texts import is_web_url
from cms_api.flags.selectors import read_moment, site_formats
from commerce.common.types import read_email

from ..types import MAX_AUTHOR, MAX_BODY, MAX_ID, MAX_REPLY, MAX_TITLE, MAX_URL, NAMES, RATINGS, SYNCED, Provider, values_of_file

#: How many mistakes of a file are named.
MAX_MISTAKES = 20
#: Google writes ratings in words; Facebook has recommendations instead of ratings.
WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "positive": 5, "negative": 1}
YES = ("yes", "true", "1")
_SECONDS = re.compile("[0-9]{9,10}")


def read_written(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a review written on the site. Raises Invalid by attribute."""
    errors = ErrorCollector()
    found = _texts(errors, values, needed=("author_name", "body"))
    with errors.under():
        email = values.get("author_email")
        if not isinstance(email, str) or not email.strip():
            raise Invalid({"author_email": required_message("author_email")})
        with_path = read_email(email, "author_email")
        found["author_email"] = with_path
    errors.raise_if_any()
    return found


def read_synced(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a review of a provider, and `removed` if the provider has it no longer. Raises Invalid."""
    errors = ErrorCollector()
    provider = str(values.get("provider") or "").strip().lower()
    if provider not in SYNCED:
        errors.add("provider", invalid_choice("provider", SYNCED) if provider else required_message("provider"))
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
    visitors.check_name(errors, "author_name", found["author_name"])
    for name, longest in texts.items():
        found[name] = ""
        with errors.under():
            found[name] = read_body(values.get(name), name, longest)
    with errors.under():
        found["rating"] = _read_rating(values.get("rating"))
    for name in needed:
        if not found[name] and name not in errors.errors:
            errors.add(name, required_message(name))
    return found


def read_body(value: Any, name: str, longest: int) -> str:
    """Return text of several lines; browsers count and send the ends of lines differently. Raises Invalid by name."""
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").replace("\r", "\n").strip()
    return read_text(value, FieldPath(name, name), longest) or ""


def _read_rating(value: Any) -> int:
    if value is None or value == "":
        raise Invalid({"rating": required_message("rating")})
    word = str(value).strip().lower().removesuffix(".0")
    found = WORDS.get(word) if word in WORDS else int(word) if word.isascii() and word.isdigit() and len(word) < 3 else None
    if found not in RATINGS:
        raise Invalid({"rating": f"The rating must be a whole number between {RATINGS[0]} and {RATINGS[-1]}."})
    assert found is not None
    return found


def _read_moment(value: Any) -> datetime:
    """Return when a review was left; one without a zone is on the site's clock."""
    if not value:
        raise Invalid({"left_at": required_message("left_at")})
    text = str(value).strip()
    try:
        # Google's Places API has seconds.
        found = datetime.fromtimestamp(int(text), UTC) if _SECONDS.fullmatch(text) else read_moment(text)
    except (ValueError, OverflowError):
        example = site_formats().typed_day(date(2026, 12, 31))
        raise Invalid({"left_at": f"The date must be one such as {example} or 2026-12-31."}) from None
    if found > timezone.now():
        raise Invalid({"left_at": "The left at may not be in the future."})
    return found


def read(cells: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row of a CSV file, with the names of those that are `empty`. Raises Invalid."""
    return {**read_synced(cells), "empty": [name for name in NAMES if not cells.get(name, "").strip()]}


@dataclass
class FileRead:
    """The reviews of a file that can be stored; of the others their number, the first messages, and the ids, None if unknown."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    refused: int = 0
    mistakes: list[str] = field(default_factory=list)
    refused_ids: list[str | None] = field(default_factory=list)


def read_file(provider: str, content: bytes) -> FileRead:
    """Read the reviews in a JSON file of a provider: a list of them, or an answer of its API.

    Raises Invalid if all are refused.
    """
    found = FileRead()
    for number, values in enumerate(read_upload(values_of_file, content), start=1):
        try:
            found.rows.append(read_synced({**values, "provider": provider}))
        except Invalid as refusal:
            found.refused += 1
            found.refused_ids.append(values["provider_id"])
            if len(found.mistakes) < MAX_MISTAKES:
                found.mistakes.append(f"Review {number}: {refusal.message}")
    if found.mistakes and not found.rows:
        raise Invalid({"file": found.mistakes})
    return found
