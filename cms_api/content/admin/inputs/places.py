"""Inputs of postal addresses and opening hours."""

from itertools import zip_longest
from typing import Any

from django import forms

from cms_api.fields import Field

from ...models import ContentType
from .base import GroupField, GroupWidget, Input, describe, register, values_of

ADDRESS_PARTS = {
    "street": "Street",
    "street2": "Street, second line",
    "postal_code": "Postal code",
    "city": "City",
    "state": "State or region",
    "country": "Country",
    "latitude": "Latitude",
    "longitude": "Longitude",
}
DAYS = {
    "mon": "Monday",
    "tue": "Tuesday",
    "wed": "Wednesday",
    "thu": "Thursday",
    "fri": "Friday",
    "sat": "Saturday",
    "sun": "Sunday",
}


class AddressWidget(GroupWidget):
    template_name = "content_admin/widgets/address.html"

    def split(self, value: Any) -> dict[str, Any]:
        value = value if isinstance(value, dict) else {}
        return {part: "" if value.get(part) is None else str(value[part]) for part in ADDRESS_PARTS}

    def join(self, parts: dict[str, Any]) -> Any:
        return {part: text or None for part, text in parts.items()} if any(parts.values()) else None

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        context["rows"] = [(part, ADDRESS_PARTS[part], text) for part, text in context["parts"].items()]
        return context


@register("address")
class AddressInput(Input):
    icon = "site"

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        return GroupField(**describe(field, widget=AddressWidget()))

    def text(self, field: Field, stored: Any) -> str:
        return ", ".join(text for text in AddressWidget().split(stored).values() if text)


class HoursWidget(GroupWidget):
    """Any number of openings per day; a day without openings is closed."""

    template_name = "content_admin/widgets/hours.html"

    def split(self, value: Any) -> dict[str, Any]:
        value = value if isinstance(value, dict) else {}

        def split_day(day: str) -> list[tuple[str, str]]:
            return [(opening.get("open") or "", opening.get("close") or "") for opening in value.get(day) or []]

        return {day: split_day(day) for day in DAYS}

    def read(self, data: Any, name: str) -> dict[str, Any]:
        def read_day(day: str) -> list[tuple[str, str]]:
            opens, closes = values_of(data, f"{name}-{day}-open"), values_of(data, f"{name}-{day}-close")
            return list(zip_longest(opens, closes, fillvalue=""))

        return {day: read_day(day) for day in DAYS}

    def join(self, parts: dict[str, Any]) -> Any:
        week = {
            day: [{"open": begin, "close": end} for begin, end in openings if begin or end] for day, openings in parts.items()
        }
        return week if any(week.values()) else None

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        context["days"] = [(day, DAYS[day], openings) for day, openings in context["parts"].items()]
        return context


@register("hours")
class HoursInput(Input):
    icon = "time"

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        return GroupField(**describe(field, widget=HoursWidget()))

    def text(self, field: Field, stored: Any) -> str:
        week = HoursWidget().split(stored)
        days = [f"{day} " + " ".join(f"{begin}-{end}" for begin, end in openings) for day, openings in week.items() if openings]
        return ", ".join(days)
