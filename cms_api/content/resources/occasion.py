"""Data for the dedicated slots of the `event-detail` layout: subtitle, date and venue, price, website."""

from dataclasses import dataclass, field
from typing import Any

from cms_api.fields import Field

from ..models import ContentItem
from .fields import map_address, web_address
from .moments import When, when


@dataclass(frozen=True)
class Occasion:
    when: When | None = None
    subtitle: str = ""
    venue: str = ""
    address: dict[str, Any] | None = None
    cost: str = ""
    #: The URL of the website, and its readable form.
    website: tuple[str, str] | None = None
    #: Keys of the fields shown in these slots.
    keys: set[str] = field(default_factory=set)


def occasion_of(item: ContentItem) -> Occasion:
    """Return the fields by the keys of the built-in event type; fields with other keys are shown like any other."""
    schema = {each.key: each for each in item.type.schema}
    texts = {key: text for key in ("subtitle", "venue", "cost") if (text := _text(item, schema.get(key)))}
    found: dict[str, Any] = dict(texts)
    keys = set(texts)
    if (date := item.type.date_field) and (shown := when(item.data.get(date.key))):
        found["when"] = shown
        keys.add(date.key)
    address = next((each for each in item.type.schema if each.type == "address"), None)
    if address and isinstance(place := item.data.get(address.key), dict):
        found["address"] = map_address(place)
        keys.add(address.key)
    site = schema.get("website_url")
    if site and (link := web_address(item.data.get(site.key))):
        found["website"] = link
        keys.add(site.key)
    return Occasion(**found, keys=keys)


def _text(item: ContentItem, declared: Field | None) -> str:
    value = item.data.get(declared.key) if declared and declared.type == "text" else None
    return value if isinstance(value, str) else ""
