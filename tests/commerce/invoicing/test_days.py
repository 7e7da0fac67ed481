"""Overdue, outstanding and partial at both sides of midnight on the site: the filter and the shown status agree."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting
from commerce.invoicing.models import Invoice
from commerce.invoicing.selectors.invoices import DERIVED, invoices, today
from commerce.invoicing.types.invoices import OUTSTANDING, OVERDUE, PARTIAL, Kind, Status

from .builders import make_draft, make_estimate, make_invoice, make_void, pay, reloaded

DUE = date(2026, 3, 31)
#: On 29 March, clocks in Europe are put forward; on 5 April, those in Auckland are put back.
ZONES = ["Pacific/Auckland", "UTC", "America/Los_Angeles", "Europe/Berlin"]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Let it be another moment."""
    return lambda moment: monkeypatch.setattr(timezone, "now", lambda: moment)


def midnight(day: date, zone: str) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def shown(*records: Invoice) -> list[str]:
    return [reloaded(record).display_status(today()) for record in records]


def found(status: str) -> set[int]:
    return set(invoices(status=status).values_list("pk", flat=True))


def agree() -> None:
    """Every filter finds what is shown with its status, and no other."""
    for status in {*Status.values, *DERIVED} - {OUTSTANDING, Status.SENT}:
        expected = {row.pk for row in Invoice.objects.all() if row.display_status(today()) == status}
        assert found(status) == expected, status
    owed = {row.pk for row in Invoice.objects.filter(kind=Kind.INVOICE, status="sent") if row.balance_due_cents}
    assert found(OUTSTANDING) == owed == {row.pk for row in Invoice.objects.all() if row.is_outstanding}


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.both_databases
def test_it_works(zone: str, at: Callable[[datetime], None]) -> None:
    set_setting(key="site.timezone", value=zone)
    at(midnight(date(2026, 3, 1), zone))
    sent, begun, paid = (make_invoice(due_date=DUE) for _ in range(3))
    without = make_invoice(due_date=None, due_days=None)
    pay(begun, 1)
    pay(paid)
    make_draft(due_date=DUE)
    make_void(due_date=DUE)
    make_estimate(due_date=DUE)
    end = midnight(DUE + timedelta(days=1), zone)
    for moment, expected in (
        (midnight(DUE, zone), ["sent", "partial", "paid", "sent"]),
        (end - timedelta(microseconds=1), ["sent", "partial", "paid", "sent"]),
        (end, ["overdue", "overdue", "paid", "sent"]),
        (end + timedelta(days=400), ["overdue", "overdue", "paid", "sent"]),
    ):
        at(moment)
        assert shown(sent, begun, paid, without) == expected
        agree()
    assert found(OVERDUE) == {sent.pk, begun.pk}
    assert found(PARTIAL) == set()
    assert found(OUTSTANDING) == {sent.pk, begun.pk, without.pk}
    pay(sent)
    pay(begun)
    assert found(OVERDUE) == set()


def test_one_moment_is_another_day_elsewhere(at: Callable[[datetime], None]) -> None:
    at(datetime(2026, 3, 1, tzinfo=UTC))
    invoice = make_invoice(due_date=DUE)
    # Noon of 31 March in UTC is 1 April in Auckland.
    at(datetime(2026, 3, 31, 12, tzinfo=UTC))
    for zone, status in {"Pacific/Auckland": "overdue", "UTC": "sent", "America/Los_Angeles": "sent"}.items():
        set_setting(key="site.timezone", value=zone)
        assert shown(invoice) == [status]
        agree()


@pytest.mark.parametrize("zone", ZONES)
def test_the_day_of_issuing_is_that_of_the_site(zone: str, at: Callable[[datetime], None]) -> None:
    set_setting(key="site.timezone", value=zone)
    at(midnight(DUE, zone) - timedelta(seconds=1))
    before = make_invoice(due_days=1)
    at(midnight(DUE, zone))
    after = make_invoice(due_days=1)
    assert [(row.issue_date, row.due_date) for row in (before, after)] == [
        (date(2026, 3, 30), date(2026, 3, 31)),
        (date(2026, 3, 31), date(2026, 4, 1)),
    ]


def test_a_draft_is_dated_when_it_is_issued(at: Callable[[datetime], None]) -> None:
    at(datetime(2026, 1, 5, 12, tzinfo=UTC))
    draft, dated = make_draft(), make_draft(issue_date=date(2026, 1, 2))
    at(datetime(2026, 2, 5, 12, tzinfo=UTC))
    pay(draft, 1)
    pay(dated, 1)
    assert (reloaded(draft).issue_date, reloaded(draft).due_date) == (date(2026, 2, 5), date(2026, 3, 7))
    assert (reloaded(dated).issue_date, reloaded(dated).due_date) == (date(2026, 1, 2), date(2026, 2, 1))


@pytest.mark.both_databases
def test_the_api_filters_by_the_day_of_the_site(invoicing_api: Any, at: Callable[[datetime], None]) -> None:
    at(datetime(2026, 3, 1, tzinfo=UTC))
    set_setting(key="site.timezone", value="America/Los_Angeles")
    invoice = make_invoice(due_date=DUE)
    moment = midnight(date(2026, 4, 1), "America/Los_Angeles")
    for now, expected in ((moment - timedelta(seconds=1), []), (moment, [invoice.pk])):
        at(now)
        assert [row["id"] for row in invoicing_api.data("/invoicing/invoices", status="overdue")] == expected
