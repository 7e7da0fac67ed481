"""Opening hours, the times that can be ordered for, and delivery zones."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any

from django.utils import timezone

from cms_api.flags.selectors import get_setting, site_country, site_timezone
from commerce.common.types.hours import DAY, Period, Schedule, working_spans
from commerce.common.types.spans import merge_spans, moment

from ..models import DeliveryZone, OpeningPeriod, Slot, SpecialDay
from ..types.orders import Fulfillment, PaymentMethod
from ..types.slots import Rules, slots

#: The shortest slot, in minutes, and the longest time ahead, in days, whatever the settings say.
SHORTEST_SLOT_MINUTES = 5
FARTHEST_DAYS_AHEAD = 60


def is_paused() -> bool:
    return bool(get_setting("restaurant.is_paused"))


def fulfillments() -> list[Fulfillment]:
    """Return the ways in which customers get their orders."""
    return [each for each in Fulfillment if get_setting(f"restaurant.{each.value}")]


def payment_methods() -> list[PaymentMethod]:
    return [each for each in PaymentMethod if get_setting(f"restaurant.pay_{each.value}")]


def special_days(now: datetime) -> list[SpecialDay]:
    """Return the special days that matter for orders, yesterday's among them."""
    today = timezone.localdate(now, site_timezone())
    until = today + timedelta(days=rules().days_ahead)
    return list(SpecialDay.objects.filter(date__gte=today - timedelta(days=1), date__lte=until))


def read_periods(special: SpecialDay) -> list[Period]:
    """Return the periods of a special day; none if it is closed."""
    return [] if special.is_closed else [Period(*map(time.fromisoformat, pair)) for pair in special.periods]


def hours(now: datetime) -> Schedule:
    """Return the opening hours (two statements)."""
    weekly: dict[int, list[Period]] = {}
    for row in OpeningPeriod.objects.all():
        weekly.setdefault(row.weekday, []).append(row.period)
    return Schedule(site_timezone(), weekly, {day.date: read_periods(day) for day in special_days(now)})


def last_orders(at: datetime) -> datetime | None:
    """Return the time of the last orders of the opening period that a moment is in; None if the kitchen is closed then."""
    day = timezone.localdate(at, site_timezone())
    spans = merge_spans(working_spans(hours(at), day - DAY, day + DAY))
    ends = next((end for start, end in spans if start <= at.timestamp() < end), None)
    return moment(ends) - rules().last_order if ends is not None else None


def rules(extra_minutes: int = 0) -> Rules:
    """Return how slots are made; `extra_minutes` are those of a delivery zone. Settings that make no sense are corrected."""
    return Rules(
        lead=timedelta(minutes=max(0, get_setting("restaurant.lead_minutes")) + extra_minutes),
        step=timedelta(minutes=max(SHORTEST_SLOT_MINUTES, get_setting("restaurant.slot_minutes"))),
        last_order=timedelta(minutes=max(0, get_setting("restaurant.last_order_minutes"))),
        days_ahead=min(max(0, get_setting("restaurant.days_ahead")), FARTHEST_DAYS_AHEAD),
    )


def offered_slots(*, zone: DeliveryZone | None = None, now: datetime | None = None) -> list[datetime]:
    """Return the times for which an order can be placed now, without those that are full; none while the kitchen is paused."""
    if is_paused():
        return []
    now = now or timezone.now()
    found = slots(hours(now), rules(zone.extra_minutes if zone else 0), now)
    limit = get_setting("restaurant.orders_per_slot")
    if limit <= 0 or not found:
        return found
    busy = Slot.objects.filter(orders__gte=limit, starts_at__gte=found[0], starts_at__lte=found[-1])
    full = set(busy.values_list("starts_at", flat=True))
    return [slot for slot in found if slot not in full]


def zone_of(postal_code: str, country: str = "") -> DeliveryZone | None:
    """Return the first zone that covers a postal code. `country` is an ISO 3166 code, the site's if not given."""
    used = country or site_country()
    return next((zone for zone in DeliveryZone.objects.all() if zone.covers(postal_code, used)), None)


def zone_at(address: Mapping[str, Any] | None) -> DeliveryZone | None:
    """Return the first zone that covers an address; None also without one."""
    return zone_of(address.get("postal_code") or "", address.get("country") or "") if address else None
