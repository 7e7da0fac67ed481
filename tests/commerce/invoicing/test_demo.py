"""Demo clients and documents: three of every status, believable figures, and the same on a second run."""

from collections import Counter

import pytest
from django.db.models import Count

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Contact
from commerce.invoicing.demo import load
from commerce.invoicing.models import Client, CreditNote, Invoice, RecurringInvoice
from commerce.invoicing.selectors.invoices import today
from commerce.invoicing.services.pdfs import pdf_of
from commerce.payments.models import Payment
from commerce.payments.selectors import kept_cents

TABLES = (Client, Invoice, CreditNote, RecurringInvoice, Payment)


@pytest.mark.both_databases
def test_it_works() -> None:
    load(1, lambda count: None)
    found = Counter((invoice.kind, invoice.display_status(today())) for invoice in Invoice.objects.all())
    invoices = {("invoice", status) for status in ("draft", "sent", "partial", "overdue", "paid", "void")}
    estimates = {("estimate", status) for status in ("draft", "sent", "accepted", "declined")}
    assert set(found) == invoices | estimates
    assert min(found.values()) >= 3
    assert Invoice.objects.filter(estimate__isnull=False).count() == 1
    assert CreditNote.objects.exists()
    assert set(RecurringInvoice.objects.values_list("is_active", flat=True)) == {True, False}
    assert_figures_add_up()
    assert_numbers_are_in_the_order_of_dates()


def assert_figures_add_up() -> None:
    for invoice in Invoice.objects.filter(kind="invoice").exclude(status__in=["draft", "void"]):
        assert invoice.amount_paid_cents == kept_cents("invoice", invoice.pk)
        left = invoice.total_cents - invoice.amount_paid_cents - invoice.credited_cents
        assert (invoice.balance_due_cents, left == 0) == (left, invoice.status == "paid")
        assert pdf_of(invoice)
        assert invoice.created_at.date() <= today()


def assert_numbers_are_in_the_order_of_dates() -> None:
    for kind in ("invoice", "estimate"):
        numbered = list(Invoice.objects.filter(kind=kind, number__isnull=False).order_by("number"))
        dates = [invoice.issue_date for invoice in numbered]
        assert dates == sorted(dates)
        sequence = [int(str(invoice.number).partition("-")[2]) for invoice in numbered]
        assert sequence == list(range(1001, 1001 + len(numbered)))


def test_loading_again_adds_nothing_and_a_larger_scale_does() -> None:
    load(1, lambda count: None)
    before = [list(table.objects.values()) for table in TABLES]  # type: ignore[attr-defined]
    load(1, lambda count: None)
    assert [list(table.objects.values()) for table in TABLES] == before  # type: ignore[attr-defined]
    before = set(Invoice.objects.values_list("pk", flat=True))
    load(2, lambda count: None)
    assert before < set(Invoice.objects.values_list("pk", flat=True))
    assert not Invoice.objects.values("reference", "kind").annotate(number=Count("pk")).filter(number__gt=2).exists()


@pytest.mark.parametrize("feature", ["crm", "members"])
def test_nobody_hears_of_it(feature: str) -> None:
    switch_feature(name=feature, on=True)
    load(1, lambda count: None)
    assert not OutgoingMail.objects.exists()
    assert not OutboxEvent.objects.exists()
    assert not Contact.objects.exists()
