"""Statements of clients: what was billed and paid, in order, with a balance that adds up."""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from cms_api.flags.services import set_setting
from commerce.invoicing.models import Client, Invoice
from commerce.invoicing.resources.statements import statement_csv, statement_pdf
from commerce.invoicing.selectors.invoices import today
from commerce.invoicing.selectors.statements import Statement, statement
from commerce.invoicing.services import INVOICES, credit_invoice, void_invoice
from commerce.invoicing.types.statements import Account, Movement, accounts
from commerce.payments.models import Refund
from tests.commerce.shop.test_documents import text_of

from .builders import item, make_client, make_draft, make_estimate, make_invoice, make_void, pay

FIRST, LAST = date(2026, 3, 1), date(2026, 3, 31)


def issued(client: Client, cents: int, day: date, **values: Any) -> Invoice:
    return make_invoice(item(cents), client=client, issue_date=day, **values)


def rows(account: Account) -> list[tuple[str, int, int]]:
    return [(entry.description, entry.cents, entry.balance_cents) for entry in account.entries]


@pytest.mark.django_db(transaction=True)
def test_it_works() -> None:
    client = make_client()
    old = issued(client, 5_000, date(2026, 2, 1), due_date=date(2026, 2, 28))
    pay(old, 1_000, paid_at=datetime(2026, 2, 10, 12, tzinfo=UTC))
    new = issued(client, 30_000, date(2026, 3, 2), due_date=date(2026, 4, 1))
    pay(old, paid_at=datetime(2026, 3, 2, 12, tzinfo=UTC), method="check", reference="2207")
    later = issued(client, 700, date(2026, 4, 1))
    void_invoice(invoice=issued(client, 999, date(2026, 3, 5)))
    make_draft(client=client)
    make_void(client=client)
    make_estimate(client=client, issue_date=FIRST)
    issued(make_client(), 888, date(2026, 3, 5))
    (account,) = statement(client, FIRST, LAST).accounts
    assert (account.currency, account.opening_cents, account.closing_cents) == ("usd", 4_000, 30_000)
    assert rows(account) == [
        ("Invoice INV-1002, due April 1, 2026", 30_000, 34_000),
        ("Payment of invoice INV-1001, check, 2207", -4_000, 30_000),
    ]
    pay(new)
    credit_invoice(invoice=new, amount_cents=2_500, reason="One hour less.")
    (account,) = statement(client, date(2026, 4, 1), today()).accounts
    assert [row[1:] for row in rows(account)] == [(700, 30_700), (-2_500, 28_200), (-30_000, -1_800), (2_500, 700)]
    assert [row[0] for row in rows(account)][1::2] == ["Credit note CN-1001 for invoice INV-1002", "Refund for invoice INV-1002"]
    assert later.balance_due_cents == account.closing_cents


@pytest.mark.django_db(transaction=True)
def test_the_balance_of_today_is_that_of_the_invoices() -> None:
    client = make_client()
    for cents, paid, credited, refunded in (
        (9_000, 9_000, 4_000, 0),
        (8_000, 3_000, 0, 1_000),
        (7_000, 0, 7_000, 0),
        (0, 0, 0, 0),
    ):
        invoice = issued(client, cents, FIRST)
        if paid:
            pay(invoice, paid)
        if credited:
            credit_invoice(invoice=invoice, amount_cents=credited, reason="Less.", refund=False)
        if refunded:
            INVOICES.refund(invoice, amount_cents=refunded)
    (account,) = statement(client, FIRST, today()).accounts
    assert account.closing_cents == sum(each.balance_due_cents - each.owed_cents for each in Invoice.objects.all())
    # A refund that is not on its way yet, or has failed, moves nothing.
    for status in ("pending", "failed"):
        Refund.objects.update(status=status)
        assert statement(client, FIRST, today()).accounts[0].closing_cents == account.closing_cents - 1_000


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_what_cannot_be_paid_is_rounded(settings: Any) -> None:
    """Dinars are paid in steps of ten fils. Money that is owed to a client stays owed, also if it cannot all be paid back."""
    settings.SITE_CURRENCY = "kwd"
    client = make_client()
    less, more, owed = (issued(client, 10_000, FIRST) for _ in range(3))
    for invoice, cents in ((less, 3), (more, 7)):
        credit_invoice(invoice=invoice, amount_cents=cents, reason="Less.")
    assert statement(client, FIRST, today()).accounts[0].closing_cents == 10_000 + 9_990 + 10_000
    for invoice in (less, more, owed):
        pay(invoice)
    credit_invoice(invoice=owed, amount_cents=13, reason="Less.", refund=False)
    (account,) = statement(client, FIRST, today()).accounts
    assert rows(account)[-2:] == [("Rounding of invoice INV-1001", 3, -10), ("Rounding of invoice INV-1002", -3, -13)]
    assert account.closing_cents == -13
    # It counts on the day of the last movement of its invoice.
    assert statement(client, FIRST, today() - timedelta(days=1)).accounts[0].closing_cents == 30_000


@pytest.mark.django_db
def test_days_are_those_of_the_site() -> None:
    set_setting(key="site.timezone", value="America/New_York")
    client = make_client()
    pay(issued(client, 5_000, FIRST), paid_at=datetime(2026, 4, 1, 3, 59, tzinfo=UTC))
    assert statement(client, FIRST, LAST).accounts[0].closing_cents == 0
    set_setting(key="site.timezone", value="UTC")
    assert statement(client, FIRST, LAST).accounts[0].closing_cents == 5_000


@pytest.mark.django_db
def test_each_currency_has_an_account(settings: Any) -> None:
    client = make_client()
    issued(client, 5_000, FIRST)
    settings.SITE_CURRENCY = "jpy"
    pay(issued(client, 7_000, FIRST), 2_000, paid_at=datetime(2026, 3, 9, 12, tzinfo=UTC))
    found = statement(client, FIRST, LAST)
    assert [(each.currency, each.closing_cents) for each in found.accounts] == [("jpy", 5_000), ("usd", 5_000)]
    text = text_of(statement_pdf(found))
    for words in ("Balance (JPY)", "Balance (USD)", "Closing balance ¥5,000", "Closing balance $50.00"):
        assert words in text, words
    assert [row[2:] for row in csv.reader(io.StringIO(statement_csv(found)))][1:4] == [
        ["jpy", "", "0"],
        ["jpy", "7000", "7000"],
        ["jpy", "-2000", "5000"],
    ]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_number_of_statements_is_the_same_for_many() -> None:
    counted = []
    for many in (1, 9):
        client = make_client()
        for _ in range(many):
            invoice = issued(client, 5_000, FIRST)
            pay(invoice, 100)
            credit_invoice(invoice=invoice, amount_cents=100, reason="Less.")
        with CaptureQueriesContext(connection) as queries:
            assert len(statement(client, FIRST, today()).accounts[0].entries) == 3 * many
        counted.append(len(queries))
    assert counted[0] == counted[1] <= 8


@pytest.mark.django_db
def test_nothing_happened() -> None:
    client = make_client("Reyes Ceramics")
    found = statement(client, FIRST, LAST)
    assert found.accounts == ()
    assert "There were no invoices or payments" in text_of(statement_pdf(found))
    assert statement_csv(found).splitlines() == ["date,description,currency,amount,balance"]
    # A balance from before is carried on.
    issued(client, 5_000, date(2026, 1, 1))
    (account,) = statement(client, FIRST, LAST).accounts
    assert (account.opening_cents, account.entries, account.closing_cents) == (5_000, (), 5_000)


@pytest.mark.django_db
def test_the_document() -> None:
    set_setting(key="site.name", value="The Old Mill")
    client = make_client("Reyes Ceramics", contact_name="Dana Reyes")
    pay(issued(client, 150_000, date(2026, 3, 2), due_date=LAST), 50_000, paid_at=datetime(2026, 3, 9, 12, tzinfo=UTC))
    text = text_of(statement_pdf(statement(client, FIRST, LAST)))
    for words in (
        *("The Old Mill", "Statement Reyes Ceramics", "Dana Reyes", "From March 1, 2026", "To March 31, 2026"),
        *("Date Description Amount Balance (USD)", "Opening balance $0.00"),
        "Mar 2, 2026 Invoice INV-1001, due March 31, 2026 $1,500.00 $1,500.00",
        "Mar 9, 2026 Payment of invoice INV-1001, cash -$500.00 $1,000.00",
        "Closing balance $1,000.00",
    ):
        assert words in text, words


@pytest.mark.django_db
@pytest.mark.parametrize("reference", ["=1+1", "@SUM(A1)", '"; DROP', "a\tb", "1,2"])
def test_a_spreadsheet_runs_nothing(reference: str) -> None:
    client = make_client()
    pay(issued(client, 5_000, FIRST), 1_000, paid_at=datetime(2026, 3, 9, 12, tzinfo=UTC), reference=reference)
    found = list(csv.reader(io.StringIO(statement_csv(statement(client, FIRST, LAST)))))
    assert found == [
        ["date", "description", "currency", "amount", "balance"],
        ["2026-03-01", "Opening balance", "usd", "", "0.00"],
        ["2026-03-01", "Invoice INV-1001, due March 31, 2026", "usd", "50.00", "50.00"],
        ["2026-03-09", f"Payment of invoice INV-1001, cash, {reference.strip()}", "usd", "-10.00", "40.00"],
        ["2026-03-31", "Closing balance", "usd", "", "40.00"],
    ]


def test_a_description_that_is_a_formula_is_quoted() -> None:
    found = accounts([Movement("usd", FIRST, 0, 1, "=1+1", 5)], FIRST, LAST)
    assert "'=1+1" in statement_csv(Statement(Client(), FIRST, LAST, found))


days = st.dates(date(2026, 2, 1), date(2026, 4, 30))
movements = st.lists(
    st.builds(
        Movement,
        st.sampled_from(["eur", "usd"]),
        days,
        st.integers(0, 3),
        st.integers(1, 10**6),
        st.just("Document"),
        st.integers(-(10**9), 10**9),
    ),
    max_size=30,
)


@given(movements, st.tuples(days, days).map(sorted))
def test_every_account_adds_up(given_movements: Sequence[Movement], period: Sequence[date]) -> None:
    first, last = period
    found = accounts(given_movements, first, last)
    for account in found:
        own = [each for each in given_movements if each.currency == account.currency]
        assert account.closing_cents == sum(each.cents for each in own if each.day <= last)
        assert account.opening_cents + sum(entry.cents for entry in account.entries) == account.closing_cents
        assert len(account.entries) == sum(first <= each.day <= last for each in own)
        for before, entry in pairwise(account.entries):
            assert before.day <= entry.day
            assert before.balance_cents + entry.cents == entry.balance_cents
    # Two statements of adjoining periods continue each other.
    following = {each.currency: each for each in accounts(given_movements, last + timedelta(days=1), date(2027, 1, 1))}
    for account in found:
        if account.currency in following:
            assert following[account.currency].opening_cents == account.closing_cents
