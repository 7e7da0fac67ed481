"""Reminders: before and after the due date, each once, and none where nothing is expected."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.invoicing.models import Invoice, Notice
from commerce.invoicing.services import send_reminder, void_invoice
from commerce.invoicing.services.reminding import after_days, remind_clients

from .builders import make_client, make_draft, make_estimate, make_invoice, pay

ISSUED, DUE = date(2026, 3, 1), date(2026, 3, 31)


@pytest.fixture(autouse=True)
def utc(invoicing: None, on: Callable[[date], int]) -> None:
    set_setting(key="site.timezone", value="UTC")
    on(ISSUED)


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Callable[[date], int]:
    """Let it be a day, and run the job at some hours; return how many reminders that sent."""

    def run(day: date, hours: tuple[int, ...] = (0, 12, 23)) -> int:
        before = sent()
        for hour in hours:
            monkeypatch.setattr(timezone, "now", lambda hour=hour: datetime(day.year, day.month, day.day, hour, tzinfo=UTC))
            remind_clients()
        return sent() - before

    return run


def sent() -> int:
    return OutgoingMail.objects.filter(template__in=("invoice_reminder", "invoice_overdue")).count()


def days_of_reminders(on: Callable[..., int], days: Iterable[int] = range(-29, 34), *hours: int) -> list[int]:
    """Run the job on some days; return the days after the due date on which something was sent."""
    return [day for day in days for _ in range(on(DUE + timedelta(days=day), hours or (12,)))]


@pytest.mark.both_databases
def test_it_works(on: Callable[[date], int]) -> None:
    make_invoice(client=make_client(email="dana@example.com"), due_date=DUE)
    assert days_of_reminders(on, range(-29, 60), 0, 23) == [-3, 3, 10, 21]
    assert list(Notice.objects.values_list("kind", flat=True)) == ["before", "after_3", "after_10", "after_21"]
    assert set(OutgoingMail.objects.values_list("recipient", flat=True)) == {"dana@example.com"}


@pytest.mark.parametrize(
    ("before", "after", "days"),
    [
        (0, "", []),
        (-4, "0", []),
        (1, "1", [-1, 1]),
        (10**11 - 1, "x", [-29]),
        (0, "2, 1; 2 and 30", [1, 2, 30]),
        (0, "5,6,7", [5, 6, 7]),
        (0, "9999999999", []),
    ],
)
def test_settings(before: int, after: str, days: list[int], on: Callable[[date], int]) -> None:
    set_setting(key="invoicing.remind_before_days", value=before)
    set_setting(key="invoicing.remind_after_days", value=after)
    make_invoice(due_date=DUE)
    assert days_of_reminders(on) == days


@pytest.mark.parametrize("text", ["9999999999", "\u0663", "-", ", ,", "1000"])
def test_hostile_days_are_left_out(text: str) -> None:
    set_setting(key="invoicing.remind_after_days", value=text)
    assert after_days() == []


@pytest.mark.both_databases
def test_a_site_that_was_down_sends_one_late_but_none_that_is_stale(on: Callable[[date], int]) -> None:
    make_invoice(due_date=DUE)
    assert days_of_reminders(on, [day for day in range(-6, 26) if day not in {-3, -2, 3, 4, *range(10, 20), 21}]) == [-1, 5, 22]
    assert list(Notice.objects.values_list("kind", flat=True)) == ["before", "after_3", "after_21"]


def test_none_on_the_day_of_issuing(on: Callable[[date], int]) -> None:
    """A client does not get an invoice and a reminder of it at once."""
    day = DUE + timedelta(days=5)
    on(day)
    make_invoice(issue_date=ISSUED, due_date=DUE)
    make_invoice(due_days=1)
    assert on(day) == 0
    assert on(day + timedelta(days=1)) == 2


def test_none_where_nothing_is_expected(on: Callable[[date], int]) -> None:
    make_draft(due_date=DUE)
    make_estimate(due_date=DUE)
    paid, void, processing = (make_invoice(due_date=DUE) for _ in range(3))
    make_invoice(due_date=None, due_days=None)
    pay(paid)
    void_invoice(invoice=void)
    Invoice.objects.filter(pk=processing.pk).update(is_processing=True)
    assert days_of_reminders(on) == []
    for invoice in (paid, void, processing):
        assert not send_reminder(invoice=invoice, kind="by_hand")


def test_it_ends_when_the_invoice_is_paid(on: Callable[[date], int]) -> None:
    invoice = make_invoice(due_date=DUE)
    assert on(DUE + timedelta(days=3)) == 1
    pay(invoice, 1)
    assert on(DUE + timedelta(days=10)) == 1
    pay(invoice)
    assert on(DUE + timedelta(days=21)) == 0


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
def test_its_day_is_that_of_the_site(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_setting(key="site.timezone", value=zone)
    set_setting(key="invoicing.remind_before_days", value=0)
    make_invoice(due_date=DUE)
    # Noon of 3 April in UTC is 4 April in Auckland.
    noons = [datetime(2026, 4, day, 12, tzinfo=UTC) for day in (1, 2, 3)]
    found = []
    for noon in noons:
        monkeypatch.setattr(timezone, "now", lambda noon=noon: noon)
        remind_clients()
        found.append(sent())
    assert found == ([0, 1, 1] if zone == "Pacific/Auckland" else [0, 0, 1])


def test_by_hand_as_often_as_wanted(on: Callable[[date], int]) -> None:
    invoice = make_invoice(due_date=DUE)
    assert [send_reminder(invoice=invoice, kind="by_hand") for _ in range(2)] == [True, True]
    assert [send_reminder(invoice=invoice, kind="after_3") for _ in range(2)] == [True, False]
    assert sent() == 3
