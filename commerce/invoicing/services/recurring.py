"""Recurring invoices: their pattern, and the job that makes the invoices of the day."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.batches import each
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.core.locks import get_row
from cms_api.core.records import set_values, store_record
from cms_api.fields.base import FieldPath, read_line, read_text
from commerce.common.services.checks import is_amount
from commerce.common.types.periods import Interval

from ..models import Client, Invoice, RecurringInvoice
from ..selectors.invoices import today
from ..types.invoices import MAX_CLIENT, MAX_REFERENCE, MAX_TEXT, Kind
from ..types.items import read_items, read_percent
from ..types.recurring import MAX_EVERY, Delivery
from .issuing import send_invoice
from .writing import MAX_DUE_DAYS, save_invoice

#: Patterns of which one run of the job makes invoices, and invoices of each; the next run continues.
PATTERNS_PER_RUN = INVOICES_PER_RUN = 200
_SCHEDULE = ("starts_on", "interval", "every", "ends_on")
_COUNTS = {"every": (1, MAX_EVERY), "due_days": (0, MAX_DUE_DAYS)}
_CHOICES = {"interval": Interval.values, "delivery": Delivery.values}
_TEXTS = {"notes": MAX_TEXT, "terms": MAX_TEXT}
_LINES = {"name": MAX_CLIENT, "reference": MAX_REFERENCE}


@transaction.atomic
def save_recurring(*, values: Mapping[str, Any], recurring: RecurringInvoice | None = None, user: Any = None) -> RecurringInvoice:
    """Create or change the pattern of recurring invoices; values not given are unchanged. Invoices that were made stay.

    `values`: the columns, `client` as a record, `items` as `types.items.read_items` reads them. Amounts are in its currency: the
    site's when it was created. Dates that have passed are left out.
    Raises Invalid by attribute.
    """
    now = timezone.now()
    saved = _lock(recurring) if recurring else RecurringInvoice(created_at=now, currency=settings.SITE_CURRENCY)
    before = [getattr(saved, name) for name in _SCHEDULE] if recurring else None
    _read(saved, values, is_new=recurring is None)
    if [getattr(saved, name) for name in _SCHEDULE] != before:
        skip_past(saved)
    saved.problem, saved.updated_at = "", now
    return store_record(saved, user=user)


def _lock(recurring: RecurringInvoice) -> RecurringInvoice:
    return get_row(RecurringInvoice.objects.select_for_update(of=("self",)).select_related("client"), recurring.pk)


def _read(saved: RecurringInvoice, values: Mapping[str, Any], *, is_new: bool) -> None:
    errors = ErrorCollector()
    if isinstance(values.get("client"), Client):
        saved.client = values["client"]
    elif is_new:
        errors.add("client", required_message("client"))
    for name, limit in _LINES.items():
        with errors.under():
            if name in values:
                setattr(saved, name, read_line(values[name], FieldPath(name, name), limit) or "")
    for name, limit in _TEXTS.items():
        with errors.under():
            if name in values:
                setattr(saved, name, read_text(values[name], FieldPath(name, name), limit) or "")
    for name, (least, most) in _COUNTS.items():
        if name in values:
            if type(values[name]) is not int or not least <= values[name] <= most:
                errors.add(name, f"The {name.replace('_', ' ')} must be from {least} to {most}.")
            setattr(saved, name, values[name])
    for name, choices in _CHOICES.items():
        if name in values:
            if values[name] not in choices:
                errors.add(name, invalid_choice(name, choices))
            setattr(saved, name, values[name])
    if "prices_include_tax" in values:
        saved.prices_include_tax = values["prices_include_tax"] is True
    set_values(saved, values, ("starts_on", "ends_on"))
    with errors.under():
        if "items" in values or not saved.items:
            read_items(values.get("items"))
            saved.items = [_plain(item) for item in values["items"]]
    with errors.under():
        _read_discount(saved, values)
    if not saved.name:
        errors.add("name", required_message("name"))
    start: date | None = saved.starts_on
    if start is None:
        errors.add("starts_on", required_message("starts_on"))
    elif saved.ends_on is not None and saved.ends_on < start:
        errors.add("ends_on", "The last date must not be before the first.")
    errors.raise_if_any()


def _plain(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item as JSON."""
    return {key: value if isinstance(value, int | None) else str(value) for key, value in item.items()}


def _read_discount(saved: RecurringInvoice, values: Mapping[str, Any]) -> None:
    if "discount_percent" in values:
        saved.discount_percent = read_percent(values["discount_percent"], "discount_percent")
    if "discount_cents" in values:
        cents = values["discount_cents"] or 0
        if not is_amount(cents):
            raise Invalid({"discount_cents": "The discount must be an amount in minor units."})
        saved.discount_cents = cents
    if saved.discount_percent and saved.discount_cents:
        raise Invalid({"discount_cents": "Enter the discount as an amount or as a percentage, not both."})


def skip_past(recurring: RecurringInvoice) -> None:
    """Set the next date to the first one that has not passed, or that was missed."""
    number, start = 0, recurring.missed_on or today()
    while (day := recurring.date_of(number)) is not None and day < start:
        number += 1
    recurring.made, recurring.next_on = number, day


@transaction.atomic
def switch_recurring(*, recurring: RecurringInvoice, on: bool, bills_missed: bool = True, user: Any = None) -> bool:
    """Pause a recurring invoice, or resume it from its next date on; return False if it is so already.

    If one could not be made before, it is made then, with those since, unless `bills_missed` is False.
    """
    locked = _lock(recurring)
    if locked.is_active == on:
        return False
    if on:
        locked.missed_on = locked.missed_on if bills_missed else None
        skip_past(locked)
        locked.missed_on = None
    locked.is_active, locked.problem, locked.updated_at = on, "", timezone.now()
    locked.save()
    log(instance=locked, action="invoicing.resume" if on else "invoicing.pause", user=user)
    return True


def create_due_invoices() -> None:
    """Make the invoices whose dates have come, also those that were missed, each in a transaction of its own.

    One that cannot be made pauses its pattern with the reason, which the home of the admin shows.
    """
    due = RecurringInvoice.objects.filter(is_active=True, next_on__lte=today()).order_by("next_on", "pk")
    each(due.values_list("pk", flat=True), _create_due, limit=PATTERNS_PER_RUN)


def _create_due(pk: int) -> None:
    try:
        for _ in range(INVOICES_PER_RUN):
            if not _create_next(pk):
                return
    except Invalid as refusal:
        stopped = {"is_active": False, "problem": refusal.message[:500], "missed_on": F("next_on")}
        RecurringInvoice.objects.filter(pk=pk).update(**stopped)


@transaction.atomic
def _create_next(pk: int) -> bool:
    """Make the next invoice of a pattern, unless another process has, and move on; return False if none is due."""
    recurring = get_row(RecurringInvoice.objects.select_for_update(of=("self",)).select_related("client"), pk)
    day = recurring.next_on
    if not recurring.is_active or day is None or day > today():
        return False
    if not Invoice.objects.filter(recurring=recurring, period=day).exists():
        made_from: dict[str, Any] = {"recurring": recurring, "period": day, "currency": recurring.currency}
        made = save_invoice(values=_values(recurring, day), kind=Kind.INVOICE, **made_from)
        if recurring.delivery == Delivery.SEND:
            send_invoice(invoice=made)
    recurring.made += 1
    recurring.next_on = recurring.date_of(recurring.made)
    recurring.save(update_fields=["made", "next_on"])
    return True


def _values(recurring: RecurringInvoice, day: date) -> dict[str, Any]:
    percent = recurring.discount_percent
    return {
        "client": recurring.client,
        "items": recurring.items,
        "reference": recurring.reference,
        "notes": recurring.notes,
        "terms": recurring.terms,
        "prices_include_tax": recurring.prices_include_tax,
        "discount_percent": percent,
        "discount_cents": 0 if percent else recurring.discount_cents,
        "due_days": recurring.due_days,
    }
