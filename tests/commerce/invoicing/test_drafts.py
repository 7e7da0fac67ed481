"""Drafts are changed as their form says."""

import pytest
from django.test import override_settings

from commerce.invoicing.resources import sums
from commerce.invoicing.resources.invoices import invoice as invoice_wire
from commerce.invoicing.services import credit_invoice, duplicate_invoice, save_invoice

from .builders import item, make_draft, make_invoice


@pytest.mark.both_databases
def test_the_due_date_can_be_taken_away() -> None:
    draft = make_draft()
    assert draft.due_date is not None
    saved = save_invoice(invoice=draft, values={"due_date": None, "due_days": None})
    assert (saved.due_date, saved.due_days) == (None, None)


def test_days_replace_a_due_date() -> None:
    draft = make_draft()
    saved = save_invoice(invoice=draft, values={"due_date": None, "due_days": 0})
    assert (saved.due_date, saved.due_days) == (saved.issue_date, 0)


@pytest.mark.both_databases
def test_a_discount_of_more_than_the_items_cost_stays_as_entered() -> None:
    draft = make_draft(item(3_000), discount_cents=5_000)
    assert (draft.subtotal_cents, draft.taken_off_cents, draft.total_cents) == (3_000, 3_000, 0)
    assert dict(sums.totals(draft)) == {"Subtotal": "$30.00", "Discount": "-$30.00", "Total": "$0.00"}
    assert invoice_wire(draft)["discount_cents"] == 3_000
    assert make_draft(item(3_000), discount_percent=10).discount_cents == 300
    copy = duplicate_invoice(invoice=draft)
    for changed in (draft, copy):
        saved = save_invoice(invoice=changed, values={"items": [item(10_000)]})
        assert (saved.taken_off_cents, saved.total_cents) == (5_000, 5_000)
        assert invoice_wire(saved)["discount_cents"] == 5_000


@override_settings(SITE_CURRENCY="kwd")
@pytest.mark.parametrize(("price", "total"), [(1575, 1650), (1579, 1660)])
@pytest.mark.both_databases
def test_a_total_is_rounded_to_what_can_be_paid(price: int, total: int) -> None:
    """Dinars are paid in steps of ten fils: with 5% tax, 1.575 is 1.654, and 1.579 is 1.658."""
    invoice = make_invoice(item(price, tax=5))
    assert (invoice.subtotal_cents, invoice.total_cents, invoice.balance_due_cents) == (price, total, total)
    assert [label for label, _ in sums.totals(invoice)] == ["Subtotal", "Tax 5%", "Rounding", "Total"]
    assert sum(part.gross_cents for part in invoice.parts) == total
    credit_invoice(invoice=invoice, reason="Returned")
    assert invoice.credit_notes.get().total_cents == total
