"""Answers of a RESO Web API, read apart: what becomes of one is JSON, and no larger than what can be stored."""

from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from cms_api.core.errors import Invalid

from .requests import Page, WrongAnswer, read_page
from .reso import Batch, Mapped, Rules, map_records, read_key

#: Columns that JSON has as text.
_READERS: dict[str, Any] = {
    "baths": Decimal,
    "on_market_date": date.fromisoformat,
    "photos_changed_at": datetime.fromisoformat,
}


def keys_of_page(body: bytes, url: str) -> tuple[list[str], str, int | None]:
    """Return the keys of the records, empty for those without one, the address of the next page, and the number of all records.

    Raises Invalid.
    """
    page = _read(body, url)
    return [read_key(record) for record in page.records], page.following, page.count


def map_page(body: bytes, url: str, rules: dict[str, Any]) -> tuple[dict[str, Any], str, int | None]:
    """Return the records, as `batch_from_json` takes them, the address of the next page, and the number of all records.

    Raises Invalid.
    """
    page = _read(body, url)
    batch = map_records(page.records, Rules(**rules))
    return {**asdict(batch), "mapped": list(map(_as_json, batch.mapped))}, page.following, page.count


def _read(body: bytes, url: str) -> Page:
    try:
        return read_page(body, url)
    except WrongAnswer as problem:
        raise Invalid({"answer": str(problem)}) from None


def _as_json(mapped: Mapped) -> dict[str, Any]:
    columns = {name: str(value) if name in _READERS and value is not None else value for name, value in mapped.columns.items()}
    stamp = mapped.modified_at
    return {**asdict(mapped), "columns": columns, "modified_at": stamp and stamp.isoformat()}


def batch_from_json(found: dict[str, Any]) -> Batch:
    return Batch(**{**found, "mapped": list(map(_from_json, found["mapped"]))})


def _from_json(found: dict[str, Any]) -> Mapped:
    columns, photos, stamp = found["columns"], found["photos"], found["modified_at"]
    for name, read in _READERS.items():
        if columns.get(name) is not None:
            columns[name] = read(columns[name])
    changes = {"photos": None if photos is None else tuple(photos), "modified_at": stamp and datetime.fromisoformat(stamp)}
    return Mapped(**{**found, **changes})
