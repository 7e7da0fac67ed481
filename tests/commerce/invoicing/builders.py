"""Builders of clients, invoices and estimates, by their services, with the changes that a test needs."""

import itertools
from datetime import date
from typing import Any

from commerce.invoicing.models import Client, Invoice, RecurringInvoice
from commerce.invoicing.services import (
    INVOICES,
    issue_invoice,
    save_client,
    save_invoice,
    save_recurring,
    void_invoice,
)
from commerce.invoicing.types.invoices import Kind

_numbers = itertools.count(1)


def make_client(name: str = "", **values: Any) -> Client:
    number = next(_numbers)
    return save_client(values={"name": name or f"Client {number}", "email": f"client{number}@example.com", **values})


def item(price: int = 10_000, quantity: Any = 1, *, tax: Any = 0, **values: Any) -> dict[str, Any]:
    """An item at a price in minor units, with tax in percent."""
    return {"description": "Work", "quantity": quantity, "unit_price_cents": price, "tax_percent": tax, **values}


def make_draft(*items: dict[str, Any], client: Client | None = None, kind: str = Kind.INVOICE, **values: Any) -> Invoice:
    """A draft; by default of 100.00 without tax, of a client of its own."""
    given = {"client": client or make_client(), "items": list(items) or [item()], "prices_include_tax": False}
    return save_invoice(values=given | values, kind=kind)


def make_invoice(*items: dict[str, Any], **values: Any) -> Invoice:
    """An issued invoice; see `make_draft`."""
    draft = make_draft(*items, **values)
    issue_invoice(invoice=draft)
    return reloaded(draft)


def make_estimate(*items: dict[str, Any], **values: Any) -> Invoice:
    """A sent estimate; see `make_draft`."""
    return make_invoice(*items, kind=Kind.ESTIMATE, **values)


def make_overdue(*items: dict[str, Any], due: date = date(2026, 1, 31), **values: Any) -> Invoice:
    """An issued invoice that was due on a day."""
    return make_invoice(*items, issue_date=min(date(2026, 1, 1), due), due_date=due, **values)


def make_void(*items: dict[str, Any], **values: Any) -> Invoice:
    draft = make_draft(*items, **values)
    void_invoice(invoice=draft)
    return reloaded(draft)


def pay(invoice: Invoice, cents: int | None = None, method: str = "cash", **values: Any) -> Any:
    """Record a payment, by default of the balance, and return it."""
    return INVOICES.record_payment(invoice, {"method": method, "amount_cents": cents, **values})


def make_recurring(*items: dict[str, Any], **values: Any) -> RecurringInvoice:
    """The pattern of a monthly invoice."""
    given = {"name": "Retainer", "client": values.pop("client", None) or make_client(), "items": list(items) or [item()]}
    return save_recurring(values={**given, **values})


def reloaded(invoice: Invoice) -> Invoice:
    return Invoice.objects.select_related("client").get(pk=invoice.pk)
