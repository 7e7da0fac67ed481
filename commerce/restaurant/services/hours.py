"""Opening periods, special days, delivery zones, and the pause of the kitchen."""

from collections.abc import Mapping
from datetime import time
from typing import Any

from django.db import transaction

from cms_api.core.errors import ErrorCollector, required_message, taken_message
from cms_api.core.records import delete_record, lock_or_build, set_values, store_record
from cms_api.flags.services import set_setting
from commerce.common.services.checks import check_line, check_price, check_whole
from commerce.common.types.postal_codes import ANY

from ..models import DeliveryZone, OpeningPeriod, SpecialDay
from ..types.menu import MAX_POSITION, VERSION
from ..types.zones import MAX_POSTAL_CODES, MAX_ZONE_NAME, read_patterns

#: Periods of one day.
MAX_PERIODS = 6
MAX_EXTRA_MINUTES = 600


@transaction.atomic
def save_opening(*, values: Mapping[str, Any], opening: OpeningPeriod | None = None, user: Any = None) -> OpeningPeriod:
    """Create or change an opening period: `weekday` (0 is Monday), `opens`, `closes`. Raises Invalid by attribute."""
    saved = lock_or_build(OpeningPeriod, opening)
    set_values(saved, values, ("weekday", "opens", "closes"))
    errors = ErrorCollector()
    check_whole(errors, "weekday", saved.weekday, 6)
    for name in ("opens", "closes"):
        if not isinstance(getattr(saved, name), time):
            errors.add(name, required_message(name))
    errors.raise_if_any()
    return store_record(saved, user=user, refusal={"opens": taken_message("opens")}, version=VERSION)


@transaction.atomic
def save_special_day(*, values: Mapping[str, Any], day: SpecialDay | None = None, user: Any = None) -> SpecialDay:
    """Create or change a special day: `date`, `is_closed`, `note` and `periods`, pairs such as ("11:00", "14:00").

    Raises Invalid by attribute.
    """
    saved = lock_or_build(SpecialDay, day)
    set_values(saved, values, ("date", "is_closed", "note", "periods"))
    errors = ErrorCollector()
    if not saved.date:
        errors.add("date", required_message("date"))
    check_line(errors, "note", saved.note, 120)
    try:
        pairs = [[time.fromisoformat(each).isoformat("minutes") for each in (opens, closes)] for opens, closes in saved.periods]
    except (TypeError, ValueError):
        pairs = []
        errors.add("periods", "The hours must be times such as 11:00-14:00.")
    if len(pairs) > MAX_PERIODS:
        errors.add("periods", f"A day may have at most {MAX_PERIODS} periods.")
    if not saved.is_closed and not pairs and "periods" not in errors.errors:
        errors.add("periods", required_message("periods"))
    errors.raise_if_any()
    saved.periods = [] if saved.is_closed else pairs
    return store_record(saved, user=user, refusal={"date": taken_message("date")}, version=VERSION)


@transaction.atomic
def save_zone(*, values: Mapping[str, Any], zone: DeliveryZone | None = None, user: Any = None) -> DeliveryZone:
    """Create or change a delivery zone; values not given are unchanged. Amounts are in minor units. Raises Invalid."""
    saved = lock_or_build(DeliveryZone, zone)
    set_values(
        saved, values, ("name", "postal_codes", "fee_cents", "minimum_cents", "free_from_cents", "extra_minutes", "position")
    )
    errors = ErrorCollector()
    check_line(errors, "name", saved.name, MAX_ZONE_NAME, needed=True)
    for name in ("fee_cents", "minimum_cents"):
        check_price(errors, name, getattr(saved, name))
    if saved.free_from_cents is not None:
        check_price(errors, "free_from_cents", saved.free_from_cents)
    check_whole(errors, "extra_minutes", saved.extra_minutes, MAX_EXTRA_MINUTES)
    check_whole(errors, "position", saved.position, MAX_POSITION)
    patterns = read_patterns(str(saved.postal_codes))
    if not patterns:
        errors.add("postal_codes", required_message("postal_codes"))
    elif any(ANY in pattern[:-1] or not pattern.isprintable() for pattern in patterns):
        errors.add("postal_codes", "An asterisk can only stand at the end of a postal code, such as 051*.")
    saved.postal_codes = ", ".join(patterns)
    if len(saved.postal_codes) > MAX_POSTAL_CODES:
        errors.add("postal_codes", f"The postal codes may not be greater than {MAX_POSTAL_CODES} characters.")
    errors.raise_if_any()
    return store_record(saved, user=user, refusal={"name": taken_message("name")}, version=VERSION)


def delete_opening(*, opening: OpeningPeriod, user: Any = None) -> None:
    """Delete an opening period; orders for that time stay."""
    delete_record(record=opening, user=user, version=VERSION)


def delete_special_day(*, day: SpecialDay, user: Any = None) -> None:
    """Delete a special day, which then has the hours of its weekday."""
    delete_record(record=day, user=user, version=VERSION)


def delete_zone(*, zone: DeliveryZone, user: Any = None) -> None:
    """Delete a delivery zone; orders keep its name and fee."""
    delete_record(record=zone, user=user, version=VERSION)


@transaction.atomic
def pause_kitchen(*, paused: bool, user: Any = None) -> None:
    """Take no more orders, or take them again. Customers see it at once; orders that were placed stay."""
    set_setting(key="restaurant.is_paused", value=paused, user=user)
