"""Builders of feeds and records, and of listings by their import."""

import itertools
import json
import time
from io import BytesIO
from typing import Any
from unittest import mock

from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Visit
from commerce.real_estate.models import Feed, FeedRun, Property
from commerce.real_estate.services import import_file, save_feed
from tests.webhooks.receiver import Answer

_numbers = itertools.count(1)


def make_feed(**values: Any) -> Feed:
    """A feed for files, or, with a URL, of the RESO Web API."""
    kind = "reso" if "url" in values else "file"
    return save_feed(values={"name": f"Feed {next(_numbers)}", "kind": kind, **values})


def record(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A record as a multiple listing service has it, with fields that nobody may see. None removes a field."""
    found = {
        "ListingKey": f"RE-{number}",
        "StandardStatus": "Active",
        "PropertyType": "Residential",
        "PropertySubType": "Single Family Residence",
        "ListPrice": 400_000 + number,
        "BedroomsTotal": 3,
        "BathroomsTotalInteger": 2,
        "LivingArea": 1840.0,
        "LotSizeSquareFeet": 10890,
        "YearBuilt": 1912,
        "StreetNumber": str(100 + number),
        "StreetName": "Canal",
        "StreetSuffix": "Street",
        "City": "Brattleboro",
        "StateOrProvince": "VT",
        "PostalCode": "05301",
        "Latitude": 42.8509,
        "Longitude": -72.5579,
        "ListAgentMlsId": "A1187",
        "ListAgentFullName": "Dana Reyes",
        "ListAgentDirectPhone": "+1 802 555 0142",
        "ListOfficeMlsId": "O204",
        "ListOfficeName": "Green Mountain Realty",
        "OnMarketDate": "2026-02-20",
        "ModificationTimestamp": "2026-03-01T18:30:00Z",
        "PublicRemarks": "A brick house by the canal.",
        **private(),
    }
    return {name: value for name, value in {**found, **changes}.items() if value is not None}


def private() -> dict[str, Any]:
    """Fields that must never be stored."""
    return {
        "AccessCode": "secret-4711",
        "LockBoxSerialNumber": "secret-lockbox",
        "ShowingInstructions": "secret-showing",
        "PrivateRemarks": "secret-remarks",
        "OwnerName": "secret-owner",
        "OccupantName": "secret-occupant",
        "Media": None,
    }


def lines(*records: Any) -> bytes:
    return b"\n".join(json.dumps(each).encode() for each in records)


def import_records(feed: Feed, *records: Any, is_complete: bool = False, **options: Any) -> FeedRun:
    content = json.dumps({"value": list(records)}).encode()
    return import_content(feed, content, is_complete=is_complete, **options)


def import_content(feed: Feed, content: bytes, **options: Any) -> FeedRun:
    return import_file(feed=feed, file=BytesIO(content), name="listings.json", **options)


def make_property(feed: Feed | None = None, number: int | None = None, **changes: Any) -> Property:
    """A listing of a record with changes."""
    made = record(next(_numbers) if number is None else number, **changes)
    feed = feed or Feed.objects.filter(kind="file").first() or make_feed()
    run = import_records(feed, made)
    assert not run.skipped, run.problems
    return Property.objects.get(feed=feed, listing_key=made["ListingKey"])


def page(*records: Any, following: str = "", status: int = 200) -> Answer:
    """An answer of the RESO Web API."""
    body: dict[str, Any] = {"@odata.context": "$metadata#Property", "value": list(records)}
    if following:
        body["@odata.nextLink"] = following
    return Answer(status, {"Content-Type": "application/json"}, json.dumps(body).encode())


def visit(honeypot: str = "", *, seconds: int = 30) -> Visit:
    """A visitor with an address of their own, who has read the form for some seconds."""
    number = next(_numbers)
    with mock.patch("time.time", return_value=time.time() - seconds):
        stamp = visitors.stamp("real_estate")
    return Visit(f"10.{number // 65536}.{number // 256 % 256}.{number % 256}", honeypot, stamp)
