"""Saves what an event sells: its ticket types, shared seats and questions."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.content.models import ContentItem
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice
from cms_api.core.locks import lock_for_share
from cms_api.core.not_found import NotFound
from cms_api.core.records import set_values
from cms_api.forms.types import parse_fields
from commerce.common.services.checks import check_line, check_text, is_amount, is_whole
from commerce.common.types.discounts import CODE
from commerce.common.types.tax import TaxClass
from events.selectors.rsvps import repeats

from ..models import Quota, TicketSales, TicketType, WaitingEntry
from ..selectors.events import date_at
from ..selectors.seats import types_in_use
from ..types.orders import MAX_QUESTIONS, access_key
from ..types.sales import (
    LARGEST_PRICE,
    MAX_ACCESS_CODE,
    MAX_CLOSES_MINUTES,
    MAX_DESCRIPTION,
    MAX_NAME,
    MAX_PER_ORDER,
    MAX_SEATS,
    Pricing,
    SoldUntil,
    WaitingStatus,
)
from .seats import invalidate, lock_sales
from .waiting import offer_seats, release_ended, shorten_offers

#: Ticket types and shared quotas of one event.
MAX_TYPES, MAX_QUOTAS = 50, 20
#: Fields of questions that cannot be asked for.
REFUSED = ("file", "hidden")

TYPE_COLUMNS = (
    "name",
    "description",
    "pricing",
    "price_cents",
    "suggested_cents",
    "tax_class",
    "start",
    "size",
    "sales_start",
    "sales_end",
    "sold_until",
    "closes_minutes",
    "min_per_order",
    "max_per_order",
    "access_code",
    "is_offered",
    "has_waiting_list",
)


@transaction.atomic
def save_sales(
    *,
    event: ContentItem,
    values: Mapping[str, Any],
    quotas: Sequence[Mapping[str, Any]],
    types: Sequence[Mapping[str, Any]],
    user: Any = None,
) -> TicketSales:
    """Create or change the ticket sales of an event.

    `values`: `asks_names`, `questions` (definitions of form fields), `note`. `quotas`: `id` (of a stored one), `name`, `size`.
    `types`: `id`, the columns of `TYPE_COLUMNS`, and `quota`, the name of a quota. Both are in order, and those that are not
    given are deleted. Freed seats are offered to the waiting list. Raises Invalid by these names, prefixed with `quotas.<n>.` and
    `types.<n>.`; a type that people rely on cannot be deleted. Raises NotFound if the event is gone.
    """
    now = timezone.now()
    if not lock_for_share(ContentItem, [event.pk]):
        raise NotFound
    TicketSales.objects.get_or_create(event=event, defaults={"created_at": now, "updated_at": now})
    sales = lock_sales(event.pk)
    assert sales is not None
    errors = ErrorCollector()
    _set_values(sales, values, errors)
    stored_quotas = _read_quotas(event, quotas, errors)
    stored_types = _read_types(event, types, stored_quotas, errors)
    errors.raise_if_any()
    sales.updated_at = now
    sales.save()
    _store_quotas(event, stored_quotas)
    _store_types(event, stored_types)
    log(instance=event, action="ticketing.save_sales", user=user)
    invalidate(event.pk)
    shorten_offers(event.pk)
    for start in _waited_for(event):
        offer_seats(event.pk, start)
    return sales


@transaction.atomic
def delete_sales(*, event: ContentItem, user: Any = None) -> None:
    """Sell no tickets for an event. Raises Invalid (`event`) while people rely on one of its ticket types."""
    lock_sales(event.pk)
    if used := types_in_use(event.pk):
        raise Invalid({"event": [reason for _, reason in used]})
    TicketType.objects.filter(event=event).delete()
    Quota.objects.filter(event=event).delete()
    TicketSales.objects.filter(pk=event.pk).delete()
    log(instance=event, action="ticketing.delete_sales", user=user)
    invalidate(event.pk)


def _set_values(sales: TicketSales, values: Mapping[str, Any], errors: ErrorCollector) -> None:
    if "asks_names" in values:
        sales.asks_names = values["asks_names"] is True
    if "note" in values:
        check_line(errors, "note", values["note"], 300)
        sales.note = str(values["note"])
    if "questions" not in values:
        return
    with errors.under("questions"):
        fields = parse_fields(values["questions"])
        if len(fields) > MAX_QUESTIONS:
            raise Invalid({"": f"At most {MAX_QUESTIONS} questions can be asked."})
        for number, field in enumerate(fields):
            if field.type in REFUSED:
                raise Invalid({f"{number}.type": "Files and hidden values cannot be asked for."})
        sales.questions = [field.as_stored() for field in fields]


def _read_quotas(event: ContentItem, given: Sequence[Mapping[str, Any]], errors: ErrorCollector) -> list[Quota]:
    if len(given) > MAX_QUOTAS:
        raise Invalid({"quotas": f"An event may have at most {MAX_QUOTAS} shared quotas."})
    known = {each.pk: each for each in Quota.objects.filter(event=event)}
    found: list[Quota] = []
    for number, values in enumerate(given):
        quota = known.get(values.get("id") or 0) or Quota(event=event)
        path = f"quotas.{number}"
        quota.name, quota.size = str(values.get("name") or "").strip(), values.get("size", 0)
        check_line(errors, f"{path}.name", quota.name, MAX_NAME, needed=True)
        if not is_whole(quota.size, 0, MAX_SEATS):
            errors.add(f"{path}.size", f"The number of seats must be between 0 and {MAX_SEATS}.")
        if any(each.name.casefold() == quota.name.casefold() for each in found):
            errors.add(f"{path}.name", "Another quota has this name.")
        found.append(quota)
    return found


def _read_types(
    event: ContentItem, given: Sequence[Mapping[str, Any]], quotas: Sequence[Quota], errors: ErrorCollector
) -> list[tuple[TicketType, Quota | None]]:
    if len(given) > MAX_TYPES:
        raise Invalid({"types": f"An event may have at most {MAX_TYPES} ticket types."})
    known = {each.pk: each for each in TicketType.objects.filter(event=event)}
    by_name = {quota.name: quota for quota in quotas}
    now, found = timezone.now(), []
    for number, values in enumerate(given):
        each = known.get(values.get("id") or 0) or TicketType(event=event, created_at=now)
        set_values(each, values, TYPE_COLUMNS)
        each.position, each.updated_at = number, now
        each.name, each.access_code = str(each.name or "").strip(), access_key(str(each.access_code or ""))
        if each.pricing == Pricing.FREE:
            each.price_cents = 0
        if each.pricing != Pricing.OPEN:
            each.suggested_cents = None
        quota = by_name.get(str(values.get("quota") or "").strip())
        _check_type(event, each, errors, f"types.{number}")
        if values.get("quota") and quota is None:
            errors.add(f"types.{number}.quota", invalid_choice("quota"))
        found.append((each, quota))
    kept = {each.pk for each, _ in found}
    if known.keys() - kept:
        for each, reason in types_in_use(event.pk):
            if each.pk not in kept:
                errors.add("types", reason)
    return found


def _check_type(event: ContentItem, each: TicketType, errors: ErrorCollector, path: str) -> None:
    check_line(errors, f"{path}.name", each.name, MAX_NAME, needed=True)
    check_text(errors, f"{path}.description", each.description, MAX_DESCRIPTION)
    if each.pricing not in Pricing.values:
        errors.add(f"{path}.pricing", invalid_choice("pricing", Pricing.values))
    if each.sold_until not in SoldUntil.values:
        errors.add(f"{path}.sold_until", invalid_choice("sold_until", SoldUntil.values))
    if each.tax_class not in TaxClass.values:
        errors.add(f"{path}.tax_class", invalid_choice("tax_class", TaxClass.values))
    if not is_amount(each.price_cents) or each.price_cents > LARGEST_PRICE:
        errors.add(f"{path}.price_cents", "The price must be an amount of nothing or more.")
    elif each.suggested_cents is not None and not (
        is_amount(each.suggested_cents) and each.price_cents <= each.suggested_cents <= LARGEST_PRICE
    ):
        errors.add(f"{path}.suggested_cents", "The suggested price must be at least the minimum.")
    if each.start and (not repeats(event) or date_at(event, each.start) is None):
        errors.add(f"{path}.start", "Choose one of the dates.")
    if each.size is not None and not is_whole(each.size, 0, MAX_SEATS):
        errors.add(f"{path}.size", f"The number of seats must be between 0 and {MAX_SEATS}, or empty for no limit.")
    if not is_whole(each.closes_minutes, 0, MAX_CLOSES_MINUTES):
        errors.add(f"{path}.closes_minutes", f"The minutes must be between 0 and {MAX_CLOSES_MINUTES}.")
    if not is_whole(each.min_per_order, 1, MAX_PER_ORDER):
        errors.add(f"{path}.min_per_order", f"The number must be between 1 and {MAX_PER_ORDER}.")
    elif not is_whole(each.max_per_order, each.min_per_order, MAX_PER_ORDER):
        errors.add(f"{path}.max_per_order", f"The number must be between the minimum and {MAX_PER_ORDER}.")
    if each.sales_start and each.sales_end and each.sales_end <= each.sales_start:
        errors.add(f"{path}.sales_end", "The end must be after the start.")
    if each.access_code and (len(each.access_code) > MAX_ACCESS_CODE or not CODE.fullmatch(each.access_code)):
        errors.add(f"{path}.access_code", "The code must be made of letters, digits, hyphens and underscores.")


def _store_quotas(event: ContentItem, quotas: Sequence[Quota]) -> None:
    Quota.objects.filter(event=event).exclude(pk__in=[each.pk for each in quotas if each.pk]).delete()
    # Two may have exchanged their names.
    for each in quotas:
        if each.pk:
            Quota.objects.filter(pk=each.pk).update(name=f"\N{ZERO WIDTH SPACE}{each.pk}")
    for each in quotas:
        each.save()


def _store_types(event: ContentItem, types: Sequence[tuple[TicketType, Quota | None]]) -> None:
    gone = TicketType.objects.filter(event=event).exclude(pk__in=[each.pk for each, _ in types if each.pk])
    if gone.exists():
        # A reservation that has ended must not be taken up again without its seats of a deleted type.
        release_ended(event.pk)
        gone.delete()
    for each, quota in types:
        each.quota = quota
        each.save()


def _waited_for(event: ContentItem) -> list[str]:
    waiting = WaitingEntry.objects.filter(ticket_type__event=event, status=WaitingStatus.WAITING)
    return sorted(set(waiting.values_list("start", flat=True)))
