"""Writes drafts of invoices and estimates."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.core.locks import get_row
from cms_api.fields.base import FieldPath, read_line, read_text
from cms_api.flags.selectors import get_setting
from cms_api.http.renewing import end_links
from commerce.common.services.checks import is_amount
from commerce.common.types import read_email
from commerce.common.types.totals import Totals

from ..models import Client, Invoice, InvoiceItem
from ..selectors.invoices import today
from ..types.invoices import MAX_REFERENCE, MAX_TEXT, Kind, Status
from ..types.items import Item, invoice_totals, read_items, read_percent
from .numbers import give_number

NOT_A_DRAFT = "Only drafts can be changed."
#: The longest time until something is due, in days.
MAX_DUE_DAYS = 3650


@transaction.atomic
def save_invoice(
    *, values: Mapping[str, Any], invoice: Invoice | None = None, kind: str = Kind.INVOICE, user: Any = None, **made_from: Any
) -> Invoice:
    """Create a draft, or change one; values not given are unchanged.

    `values`: `client` (required), `email` (by default the client's, which the draft follows), `items` (see
    `types.items.read_items`), `discount_cents` or `discount_percent`, `prices_include_tax`, `issue_date` (by default the day of
    issuing), `due_date`, or `due_days` after that (by default the setting), `reference`, `notes`, `terms` (of invoices by
    default the setting). `made_from` are the columns `estimate`, `recurring` and `period`, and the `currency` of what it is made
    from.
    Raises Invalid by these names, and `status` unless it is a draft.
    """
    if isinstance(values.get("client"), Client):
        # Its address is read once nobody else changes it, and before the draft is locked, as when a client is saved.
        values = {**values, "client": Client.objects.select_for_update().filter(pk=values["client"].pk).first()}
    saved = _lock(invoice) if invoice else Invoice(kind=kind, created_at=timezone.now(), currency=settings.SITE_CURRENCY)
    if not saved.is_draft:
        raise Invalid({"status": NOT_A_DRAFT})
    if invoice is None:
        values = {**defaults(kind), **values}
        for name, value in made_from.items():
            setattr(saved, name, value)
    former = saved.client_id, saved.email
    items = _read(saved, values, is_new=invoice is None)
    set_dates(saved)
    copy_client(saved)
    if invoice is not None and (saved.client_id, saved.email) != former:
        end_links(saved, user=user)
    saved.updated_at = timezone.now()
    if invoice is None and not get_setting("invoicing.number_on_issue"):
        give_number(saved)
    saved.save()
    _store_items(saved, *items)
    get_search_backend().add(saved)
    log(instance=saved, action="wagtail.edit" if invoice else "wagtail.create", user=user)
    return saved


def defaults(kind: str) -> dict[str, Any]:
    """Return the values that a new invoice or estimate has unless others are given."""
    return {
        "prices_include_tax": get_setting("taxes.prices_include_tax"),
        "due_days": default_days(kind),
        "terms": str(get_setting("invoicing.terms"))[:MAX_TEXT] if kind == Kind.INVOICE else "",
    }


def default_days(kind: str) -> int:
    """Return after how many days an invoice is due, or an estimate ends."""
    days = int(get_setting("invoicing.due_days" if kind == Kind.INVOICE else "invoicing.estimate_days"))
    return min(max(days, 0), MAX_DUE_DAYS)


def _lock(invoice: Invoice) -> Invoice:
    return get_row(Invoice.objects.select_for_update(of=("self",)).select_related("client"), invoice.pk)


def _read(invoice: Invoice, values: Mapping[str, Any], *, is_new: bool) -> tuple[Sequence[Item], Totals]:
    """Fill in a draft, and return its items and totals."""
    errors = ErrorCollector()
    if isinstance(values.get("client"), Client):
        if is_new or invoice.client_id != values["client"].pk:
            # The address of another client does not stay.
            invoice.email = ""
        invoice.client = values["client"]
    elif is_new:
        errors.add("client", required_message("client"))
    if values.get("email"):
        with errors.under():
            invoice.email = read_email(values["email"])
    elif "email" in values:
        invoice.email = ""
    with errors.under():
        if "reference" in values:
            invoice.reference = read_line(values["reference"], FieldPath("reference", "reference"), MAX_REFERENCE) or ""
    for name in values.keys() & {"notes", "terms"}:
        with errors.under():
            setattr(invoice, name, read_text(values[name], FieldPath(name, name), MAX_TEXT) or "")
    if "prices_include_tax" in values:
        invoice.prices_include_tax = values["prices_include_tax"] is True
    items: Sequence[Item] = []
    with errors.under():
        items = items_of(invoice) if "items" not in values and not is_new else read_items(values.get("items"))
    with errors.under():
        _read_discount(invoice, values)
    with errors.under():
        _read_dates(invoice, values)
    errors.raise_if_any()
    return items, set_totals(invoice, items)


def _read_discount(invoice: Invoice, values: Mapping[str, Any]) -> None:
    percent = read_percent(values.get("discount_percent"), "discount_percent")
    cents = values.get("discount_cents")
    if percent and cents:
        raise Invalid({"discount_cents": "Enter the discount as an amount or as a percentage, not both."})
    if cents is not None and not is_amount(cents):
        raise Invalid({"discount_cents": "The discount must be an amount in minor units."})
    if "discount_percent" in values or "discount_cents" in values:
        invoice.discount_percent, invoice.discount_cents = percent, cents or 0


def _read_dates(invoice: Invoice, values: Mapping[str, Any]) -> None:
    """Take over dates, which are `date`s: a due date, or days until then."""
    if "issue_date" in values:
        invoice.is_dated = values["issue_date"] is not None
        invoice.issue_date = values["issue_date"] or today()
    if "due_days" in values:
        days = values["due_days"]
        if days is not None and not 0 <= days <= MAX_DUE_DAYS:
            raise Invalid({"due_days": f"The number of days must be from 0 to {MAX_DUE_DAYS}."})
        invoice.due_days = days
    if "due_date" in values and invoice.due_days is None:
        invoice.due_date = None
    if values.get("due_date") is not None:
        invoice.due_date, invoice.due_days = values["due_date"], None
        begin = invoice.issue_date or today()
        if invoice.due_date < begin:
            raise Invalid({"due_date": "The due date must not be before the date of issue."})


def set_dates(invoice: Invoice) -> None:
    """Set the date of issue, unless it was chosen, and the due date that is counted from it."""
    if not invoice.is_dated:
        invoice.issue_date = today()
    if invoice.due_days is not None:
        invoice.due_date = _later(invoice.issue_date, invoice.due_days)


def _later(day: date, days: int) -> date:
    return date.max if (date.max - day).days < days else day + timedelta(days=days)


def copy_client(invoice: Invoice) -> None:
    """Copy the name and address of the client into a draft."""
    client = invoice.client
    invoice.client_name, invoice.client_lines = client.name, client.billing_lines
    invoice.email = invoice.email or client.email


def readdress_drafts(client: Client, *, former: str, user: Any = None) -> None:
    """Address the drafts of a client that had its former address, and none typed for them, to its new one."""
    for draft in Invoice.objects.select_for_update().filter(client=client, status=Status.DRAFT, email=former):
        draft.email, draft.updated_at = client.email, timezone.now()
        end_links(draft, user=user)
        draft.save()
        get_search_backend().add(draft)


def items_of(invoice: Invoice) -> list[Item]:
    return [
        Item(item.description, item.quantity, item.unit_price_cents, item.discount_percent, item.rate)
        for item in invoice.items.all()
    ]


def invoiced_totals(invoice: Invoice) -> Totals:
    """Return the totals of an invoice as it was stored, with those of each item in order."""
    return invoice_totals(
        items_of(invoice),
        discount_cents=invoice.discount_cents,
        discount_percent=Decimal(0),
        inclusive=invoice.prices_include_tax,
    )


def set_totals(invoice: Invoice, items: Sequence[Item]) -> Totals:
    """Calculate what a draft costs."""
    percent = Decimal(invoice.discount_percent)
    totals = invoice_totals(
        items,
        discount_cents=0 if percent else invoice.discount_cents,
        discount_percent=percent,
        inclusive=invoice.prices_include_tax,
    ).round_total(invoice.currency)
    invoice.subtotal_cents = totals.subtotal_cents
    if percent:
        invoice.discount_cents = totals.discount_cents
    invoice.tax_cents, invoice.total_cents = totals.tax_cents, totals.total_cents
    invoice.balance_due_cents = totals.total_cents if invoice.is_invoice else 0
    invoice.taxes = [
        {
            "label": each.rate.label,
            "percent": f"{each.rate.percent.normalize():f}",
            "net_cents": each.net_cents,
            "tax_cents": each.tax_cents,
        }
        for each in totals.taxes
    ]
    return totals


def _store_items(invoice: Invoice, items: Sequence[Item], totals: Totals) -> None:
    invoice.items.all().delete()
    InvoiceItem.objects.bulk_create(
        InvoiceItem(
            invoice=invoice,
            position=position,
            description=item.description,
            quantity=item.quantity,
            unit_price_cents=item.unit_price_cents,
            discount_percent=item.discount_percent,
            tax_label=item.rate.label,
            tax_percent=item.rate.percent,
            total_cents=item.total_cents,
            tax_cents=total.tax_cents,
        )
        for position, (item, total) in enumerate(zip(items, totals.lines, strict=True))
    )


@transaction.atomic
def duplicate_invoice(*, invoice: Invoice, user: Any = None) -> Invoice:
    """Create a draft with the client, the items and the currency of another invoice or estimate, dated as new."""
    return save_invoice(values=copied_values(invoice), kind=invoice.kind, user=user, currency=invoice.currency)


def copied_values(invoice: Invoice) -> dict[str, Any]:
    """Return the values of a draft that is made from an invoice or estimate; it is addressed to the client as of today."""
    percent = invoice.discount_percent
    return {
        "client": invoice.client,
        "reference": invoice.reference,
        "notes": invoice.notes,
        "terms": invoice.terms,
        "prices_include_tax": invoice.prices_include_tax,
        "discount_percent": percent,
        "discount_cents": 0 if percent else invoice.discount_cents,
        "items": [
            {
                "description": item.description,
                "quantity": item.quantity,
                "unit_price_cents": item.unit_price_cents,
                "discount_percent": item.discount_percent,
                "tax_percent": item.tax_percent,
                "tax_label": item.tax_label,
            }
            for item in invoice.items.all()
        ],
    }


@transaction.atomic
def reopen_estimate(*, estimate: Invoice, user: Any = None) -> bool:
    """Make a sent or declined estimate a draft again, to be changed; return False if it is one. Raises Invalid (`status`)."""
    locked = _lock(estimate)
    if locked.is_draft:
        return False
    if locked.is_invoice or locked.status == Status.ACCEPTED:
        raise Invalid({"status": "Issued invoices and accepted estimates can't be changed."})
    locked.status, locked.decided_at, locked.decided_by, locked.decision_note = Status.DRAFT, None, "", ""
    locked.updated_at = timezone.now()
    locked.save()
    log(instance=locked, action="invoicing.reopen", user=user)
    return True
