"""Many at once: payments never exceed an invoice, numbers have no gaps, and nothing is made or sent twice."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from itertools import count
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.invoicing.models import Client, Invoice, Notice
from commerce.invoicing.services import (
    INVOICES,
    convert_estimate,
    issue_invoice,
    issuing,
    numbers,
    paying,
    save_client,
    save_invoice,
    void_invoice,
)
from commerce.invoicing.services.recurring import create_due_invoices
from commerce.invoicing.services.reminding import remind_clients
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from tests.client import together
from tests.commerce.shop.outcomes import kinds, outcome

from .builders import make_client, make_draft, make_estimate, make_invoice, make_overdue, make_recurring, pay, reloaded

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 20


@pytest.fixture(autouse=True)
def ready(invoicing: None) -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    set_setting(key="invoicing.receipts", value=False)


def attempts(invoice: Invoice, number: int) -> Iterator[Payment]:
    """Yield attempts to pay a tenth of an invoice, which the provider says are paid and the site believes expired."""
    pay(invoice, 9_000)
    for _ in range(number):
        payment = start_payment(payable="invoice", record_id=invoice.pk)
        decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
        Payment.objects.filter(pk=payment.pk).update(status=PaymentStatus.EXPIRED)
        yield payment
    INVOICES.refund(invoice, amount_cents=9_000)


def test_100_payments_never_exceed_an_invoice() -> None:
    """90 that are recorded and 10 online ones, of together more than three times the invoice."""
    invoice = make_invoice()
    online = list(attempts(invoice, 10))

    def work(thread: int) -> list[str]:
        if thread % 2:
            used = not settle(payment_id=online[thread // 2].pk).unapplied
            return ["applied" if used else "unapplied", *recorded(4)]
        return recorded(5)

    def recorded(times: int) -> list[str]:
        return [outcome(lambda: pay(invoice, 300)) for _ in range(times)]

    outcomes = Counter(each for found in together(work, THREADS) for each in found)
    row = reloaded(invoice)
    arrived = Payment.objects.filter(status="succeeded", refunded_cents=0)
    applied, online_cents, left = (
        found.aggregate(sum=Sum("amount_cents"))["sum"] or 0
        for found in (arrived.filter(unapplied=""), arrived.filter(unapplied="", method="online"), arrived.exclude(unapplied=""))
    )
    assert row.amount_paid_cents == applied == online_cents + 300 * outcomes["done"]
    # The last one that is applied may be split, so that the rest waits to be settled with those that came too late.
    assert online_cents + left == 10_000
    assert 1_000 * (outcomes["applied"] - 1) < online_cents <= 1_000 * outcomes["applied"] or not online_cents
    assert row.balance_due_cents == 10_000 - applied
    assert 0 <= row.balance_due_cents < 300
    assert row.status == ("sent" if row.balance_due_cents else "paid")
    assert outcomes["applied"] + outcomes["unapplied"] == 10
    assert outcomes["done"] + outcomes["amount_cents"] + outcomes["status"] == 90
    assert outcomes["amount_cents"] + outcomes["status"] > 50


def test_control_without_the_lock_more_is_paid_than_was_billed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same service, whose callers all have looked before the first of them writes."""
    invoice = make_invoice()
    looked, seen = threading.Barrier(10), threading.local()

    def unlocked(_: Any) -> Invoice:
        found: Invoice = seen.invoice
        return found

    monkeypatch.setattr(paying.INVOICES, "lock_again", unlocked)
    monkeypatch.setattr(paying, "lock_invoice", unlocked)

    def work(_: int) -> str:
        seen.invoice = reloaded(invoice)
        looked.wait(20)
        return outcome(lambda: pay(invoice, 3_000))

    assert together(work, 10) == ["done"] * 10
    assert Payment.objects.aggregate(sum=Sum("amount_cents"))["sum"] == 3 * invoice.total_cents


@pytest.mark.both_databases
def test_drafts_that_are_made_while_their_client_moves() -> None:
    """No draft keeps the former address, whichever comes first; each thread has read the client before."""
    for turn in range(5):
        client = make_client(email=f"old{turn}@example.com")
        changed = make_draft(client=client)
        readers = [Client.objects.get(pk=client.pk) for _ in range(6)]

        def work(number: int, readers: list[Client] = readers, changed: Invoice = changed, turn: int = turn) -> Any:
            if number == 0:
                return save_client(client=readers[number], values={"email": f"new{turn}@example.com"})
            if number == 1:
                return save_invoice(invoice=changed, values={"client": readers[number], "email": ""})
            return make_draft(client=readers[number])

        together(work, 6)
        assert list(client.invoices.values_list("email", flat=True)) == [f"new{turn}@example.com"] * 5


def test_paying_and_voiding_at_once() -> None:
    """One of them wins."""
    for _ in range(5):
        invoice = make_invoice()
        found = together(lambda n, invoice=invoice: outcome(lambda: void_invoice(invoice=invoice) if n % 2 else pay(invoice)), 6)
        row = reloaded(invoice)
        assert (row.status, row.amount_paid_cents) in {("paid", 10_000), ("void", 0)}
        assert Payment.objects.filter(record_id=invoice.pk).count() == (row.status == "paid")
        assert set(found) == {"done", "status"}


def test_an_invoice_becomes_paid_once() -> None:
    invoice = make_invoice()
    together(lambda _: outcome(lambda: pay(invoice)), 10)
    assert kinds("invoice.") == ["invoice.paid"]


class Undone(Exception):
    """Takes back a transaction."""


def create(number: int) -> None:
    """Create an invoice; every third time it is taken back."""
    with transaction.atomic():
        make_draft()
        if number % 3 == 0:
            raise Undone


def sequence() -> list[int]:
    found = Invoice.objects.exclude(number=None).values_list("number", flat=True)
    return sorted(int(number.removeprefix("INV-")) for number in found)


def attempt(work: Callable[[int], None]) -> Callable[[int], None]:
    def run(number: int) -> None:
        try:
            work(number)
        except Undone:
            return

    return run


def test_numbers_have_no_gaps() -> None:
    together(attempt(create), THREADS)
    assert sequence() == list(range(1001, 1001 + 13))


def test_numbers_of_issuing_have_no_gaps() -> None:
    set_setting(key="invoicing.number_on_issue", value=True)
    drafts = [make_draft() for _ in range(THREADS)]
    assert sequence() == []

    def issue(number: int) -> None:
        with transaction.atomic():
            issue_invoice(invoice=drafts[number])
            if number % 3 == 0:
                raise Undone

    together(attempt(issue), THREADS)
    assert sequence() == list(range(1001, 1001 + 13))
    together(attempt(lambda number: bool(issue_invoice(invoice=drafts[number])) and None), THREADS)
    assert sequence() == list(range(1001, 1001 + THREADS))


def test_control_a_counter_beside_the_transaction_leaves_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = count(1001)
    monkeypatch.setattr(numbers, "next_number", lambda series, first: next(beside))
    together(attempt(create), THREADS)
    assert sequence() != list(range(1001, 1001 + 13))


def test_ten_who_convert_an_estimate_get_one_invoice() -> None:
    estimate = make_estimate()
    assert len({invoice.pk for invoice in together(lambda _: convert_estimate(estimate=estimate), 10)}) == 1
    assert Invoice.objects.filter(kind="invoice").count() == 1


def test_five_jobs_make_one_invoice_a_period(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 1, 1, 12, tzinfo=UTC))
    made = [make_recurring(starts_on=date(2026, 1, 31)) for _ in range(2)]
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 3, 31, 12, tzinfo=UTC))
    together(lambda _: create_due_invoices(), 5)
    for recurring in made:
        periods = Invoice.objects.filter(recurring=recurring).order_by("period").values_list("period", flat=True)
        assert list(periods) == [date(2026, 1, 31), date(2026, 2, 28), date(2026, 3, 31)]
    assert sequence() == list(range(1001, 1007))
    assert OutgoingMail.objects.filter(template="invoice_sent").count() == 6


def overdue(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Invoices that were due four days ago."""
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 3, 1, 12, tzinfo=UTC))
    for _ in range(number):
        make_overdue(due=date(2026, 3, 31))
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 4, 4, 12, tzinfo=UTC))


def reminders() -> int:
    return OutgoingMail.objects.filter(template__in=("invoice_reminder", "invoice_overdue")).count()


def test_five_jobs_remind_each_client_once(monkeypatch: pytest.MonkeyPatch) -> None:
    overdue(4, monkeypatch)
    together(lambda _: remind_clients(), 5)
    assert reminders() == Notice.objects.count() == 4


def test_control_looking_before_reminding_reminds_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the row of each kind, everybody who has looked sends."""
    overdue(1, monkeypatch)
    looked = threading.Barrier(5)

    class Unnoticed:
        @staticmethod
        def get_or_create(**_: Any) -> tuple[None, bool]:
            return None, True

    def lock(invoice: Invoice) -> Invoice:
        return reloaded(invoice)

    monkeypatch.setattr(issuing, "Notice", type("Notice", (), {"objects": Unnoticed}))
    monkeypatch.setattr(issuing, "locked_again", lock)

    def work(_: int) -> None:
        looked.wait(20)
        for invoice in Invoice.objects.all():
            issuing.send_reminder(invoice=invoice, kind="after_3")

    together(work, 5)
    assert reminders() == 5
