"""The input of a datetime value: an instant, a span or whole days, with an optional repeat rule."""

from typing import Any

from django import forms
from wagtail import hooks

from cms_api.adminkit.forms import iso_day
from cms_api.core.time_zones import zones_by_region
from cms_api.fields import Field
from cms_api.flags.selectors import site_timezone

from ...models import ContentType
from .base import GroupField, GroupWidget, Input, describe, register, values_of
from .places import DAYS

FREQUENCIES = {"": "Does not repeat", "daily": "Daily", "weekly": "Weekly", "monthly": "Monthly", "yearly": "Yearly"}
MONTHLY = {"day": "On the same day of the month", "weekday": "On the same weekday of the month"}
ENDS = {"": "Never", "until": "On a date", "count": "After a number of times"}

_PARTS = (
    "start_date", "start_time", "start_second", "end_date", "end_time", "end_second", "all_day", "tz",
    "frequency", "interval", "monthly", "ends", "until", "count",
)  # fmt: skip


class DateTimeWidget(GroupWidget):
    """Inputs of a datetime value. Other modules can add HTML below them with the hook `below_datetime_input`, whose functions
    are called with the widget, its name and its value.
    """

    template_name = "content_admin/widgets/datetime.html"

    def __init__(self, field: Field | None = None, item_type: ContentType | None = None) -> None:
        super().__init__()
        self.field, self.item_type = field, item_type

    def split(self, value: Any) -> dict[str, Any]:
        value = value if isinstance(value, dict) else {}
        repeat = value.get("repeat") or {}
        parts: dict[str, Any] = dict.fromkeys(_PARTS, "")
        for end in ("start", "end"):
            parts[f"{end}_date"], _, parts[f"{end}_time"] = _short(value.get(end)).partition("T")
            # Of two equal local times it is the second, unless it is edited.
            parts[f"{end}_second"] = _short(value.get(end)) if value.get(f"{end}_fold") else ""
        parts |= {"all_day": "1" if value.get("all_day") else "", "tz": value.get("tz") or ""}
        parts |= {key: _text(repeat.get(key)) for key in ("frequency", "interval", "monthly", "until", "count")}
        parts["ends"] = next((end for end in ("until", "count") if parts[end]), "")
        parts["weekdays"] = [day for day in DAYS if day in (repeat.get("weekdays") or [])]
        return parts

    def read(self, data: Any, name: str) -> dict[str, Any]:
        parts = {part: (data.get(f"{name}-{part}") or "").strip() for part in _PARTS}
        parts |= {part: iso_day(parts[part]) for part in ("start_date", "end_date", "until") if parts[part]}
        return {**parts, "weekdays": values_of(data, f"{name}-weekdays")}

    def join(self, parts: dict[str, Any]) -> Any:
        """Return the value, without parts that do not apply (an end time for whole days, weekdays of a monthly rule)."""
        all_day = bool(parts["all_day"])
        end_date = parts["end_date"] or (parts["start_date"] if parts["end_time"] and not all_day else "")
        start = _join(parts["start_date"], "" if all_day else parts["start_time"])
        end = _join(end_date, "" if all_day else parts["end_time"])
        if not start and not end:
            return None
        value = {"start": start, "end": end, "all_day": all_day, "tz": parts["tz"] or None, "repeat": self._rule(parts)}
        return value | {f"{key}_fold": 1 for key in ("start", "end") if value[key] and parts[f"{key}_second"] == value[key]}

    def _rule(self, parts: dict[str, Any]) -> Any:
        frequency, ends = parts["frequency"], parts["ends"]
        if not frequency:
            return None
        return {
            "frequency": frequency,
            "interval": parts["interval"] or "1",
            "until": (parts["until"] or None) if ends == "until" else None,
            "count": (parts["count"] or None) if ends == "count" else None,
            "weekdays": parts["weekdays"] if frequency == "weekly" else [],
            "monthly": (parts["monthly"] or "day") if frequency == "monthly" else None,
        }

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        parts = context["parts"]
        parts["interval"] = parts["interval"] or "1"
        own = parts["tz"] if parts["tz"] and not any(parts["tz"] in names for _, names in zones_by_region()) else ""
        choices = {"frequencies": FREQUENCIES, "monthly": MONTHLY, "ends": ENDS, "days": DAYS}
        below = [render(self, name, value) for render in hooks.get_hooks("below_datetime_input")]
        zones = {"zones": zones_by_region(), "own_zone": own, "site_zone": site_timezone().key}
        return {**context, **choices, **zones, "below": below}


@register("datetime")
class DateTimeInput(Input):
    icon = "calendar"

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        return GroupField(**describe(field, widget=DateTimeWidget(field, item_type)))

    def text(self, field: Field, stored: Any) -> str:
        if not isinstance(stored, dict):
            return ""
        parts = DateTimeWidget().split(stored)
        ends = [_short(stored.get(end)).replace("T", " ") for end in ("start", "end")]
        rule = {key: value for key, value in (stored.get("repeat") or {}).items() if value}
        repeats = "repeats " + ", ".join(f"{key} {value}" for key, value in rule.items()) if rule else ""
        return ", ".join(filter(None, (" to ".join(filter(None, ends)), parts["tz"], repeats)))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _short(when: Any) -> str:
    """Return a stored time as inputs show it, with seconds only if they are not zero."""
    text = _text(when)
    return text.removesuffix(":00") if text.count(":") == 2 else text


def _join(date: str, time: str) -> str | None:
    return f"{date}T{time}" if time else date or None
