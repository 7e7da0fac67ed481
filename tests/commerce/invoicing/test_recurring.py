"""Recurring invoices: their dates, those that were missed, pausing, and failures."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.records import delete_record
from cms_api.mail.models import OutgoingMail
from commerce.invoicing.models import Client, Invoice, RecurringInvoice
from commerce.invoicing.services import save_recurring, switch_recurring
from commerce.invoicing.services.recurring import create_due_invoices

from .builders import item, make_client, make_recurring


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Callable[[date], None]:
    """Let it be noon of a day, and run the job."""

    def run(day: date) -> None:
        monkeypatch.setattr(timezone, "now", lambda: datetime(day.year, day.month, day.day, 12, tzinfo=UTC))
        create_due_invoices()

    return run


def periods(recurring: RecurringInvoice) -> list[str]:
    rows = Invoice.objects.filter(recurring=recurring).order_by("period")
    return [period.isoformat() for period in rows.values_list("period", flat=True)]


def reload(recurring: RecurringInvoice) -> RecurringInvoice:
    return RecurringInvoice.objects.get(pk=recurring.pk)


@pytest.mark.parametrize(
    ("start", "values", "days"),
    [
        (date(2026, 1, 31), {}, ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]),
        (date(2028, 1, 31), {}, ["2028-01-31", "2028-02-29", "2028-03-31"]),
        (date(2026, 1, 30), {"every": 3}, ["2026-01-30", "2026-04-30", "2026-07-30"]),
        (
            date(2024, 2, 29),
            {"interval": "year"},
            ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29", "2029-02-28"],
        ),
        (date(2026, 12, 28), {"interval": "week"}, ["2026-12-28", "2027-01-04", "2027-01-11"]),
        (date(2026, 12, 28), {"interval": "week", "every": 2}, ["2026-12-28", "2027-01-11", "2027-01-25"]),
        (date(2026, 1, 15), {"ends_on": date(2026, 3, 15)}, ["2026-01-15", "2026-02-15", "2026-03-15"]),
        (date(2026, 1, 15), {"ends_on": date(2026, 3, 14)}, ["2026-01-15", "2026-02-15"]),
    ],
)
def test_dates(start: date, values: dict[str, Any], days: list[str], on: Callable[[date], None]) -> None:
    """The job runs on every date, and again on the same day, and on one in between."""
    on(start)
    recurring = make_recurring(starts_on=start, **values)
    for day in days:
        on(date.fromisoformat(day))
        on(date.fromisoformat(day))
    assert periods(recurring) == days
    if "ends_on" in values:
        assert reload(recurring).next_on is None
        on(date(2030, 1, 1))
        assert periods(recurring) == days


@pytest.mark.both_databases
def test_it_works(on: Callable[[date], None]) -> None:
    on(date(2026, 1, 1))
    client = make_client("Reyes Ceramics", email="dana@example.com")
    given = {"client": client, "starts_on": date(2026, 1, 31), "due_days": 14, "terms": "By transfer."}
    recurring = make_recurring(item(10_000, tax=20), **given)
    on(date(2026, 1, 30))
    assert periods(recurring) == []
    on(date(2026, 1, 31))
    invoice = Invoice.objects.get()
    assert (invoice.number, invoice.status, invoice.total_cents, invoice.client) == ("INV-1001", "sent", 12_000, client)
    assert (invoice.issue_date, invoice.due_date, invoice.terms) == (date(2026, 1, 31), date(2026, 2, 14), "By transfer.")
    assert list(OutgoingMail.objects.values_list("template", "recipient")) == [("invoice_sent", "dana@example.com")]
    assert reload(recurring).next_on == date(2026, 2, 28)


def test_a_draft_waits_for_somebody(on: Callable[[date], None]) -> None:
    on(date(2026, 1, 31))
    make_recurring(starts_on=date(2026, 1, 31), delivery="draft")
    on(date(2026, 1, 31))
    assert Invoice.objects.get().status == "draft"
    assert not OutgoingMail.objects.exists()


@pytest.mark.both_databases
def test_missed_runs_are_made_up(on: Callable[[date], None]) -> None:
    on(date(2026, 1, 1))
    recurring = make_recurring(starts_on=date(2026, 1, 31))
    on(date(2026, 4, 29))
    assert periods(recurring) == ["2026-01-31", "2026-02-28", "2026-03-31"]
    # They are issued on the day on which they are made, so that nobody finds one that is overdue already.
    assert set(Invoice.objects.values_list("issue_date", "due_date")) == {(date(2026, 4, 29), date(2026, 5, 29))}
    assert reload(recurring).next_on == date(2026, 4, 30)


def test_dates_before_it_was_created_are_left_out(on: Callable[[date], None]) -> None:
    on(date(2026, 4, 15))
    recurring = make_recurring(starts_on=date(2026, 1, 31))
    on(date(2026, 4, 30))
    assert periods(recurring) == ["2026-04-30"]


def test_a_pause_is_not_made_up(on: Callable[[date], None]) -> None:
    on(date(2026, 1, 31))
    recurring = make_recurring(starts_on=date(2026, 1, 31))
    on(date(2026, 1, 31))
    assert switch_recurring(recurring=recurring, on=False)
    assert not switch_recurring(recurring=recurring, on=False)
    on(date(2026, 4, 1))
    assert periods(recurring) == ["2026-01-31"]
    assert switch_recurring(recurring=recurring, on=True)
    on(date(2026, 4, 1))
    assert (periods(recurring), reload(recurring).next_on) == (["2026-01-31"], date(2026, 4, 30))
    on(date(2026, 4, 30))
    assert periods(recurring) == ["2026-01-31", "2026-04-30"]


def test_one_that_cannot_be_sent_pauses_before_it_is_made(on: Callable[[date], None]) -> None:
    on(date(2026, 1, 31))
    client = make_client("Reyes Ceramics")
    recurring = make_recurring(starts_on=date(2026, 1, 31), client=client, delivery="send")
    Client.objects.filter(pk=client.pk).update(email="old@localhost")
    on(date(2026, 1, 31))
    assert (periods(recurring), reload(recurring).is_active) == ([], False)
    assert reload(recurring).problem == "This is no email address that can be mailed."


def test_resuming_on_a_day_that_was_made_makes_no_second_one(on: Callable[[date], None]) -> None:
    on(date(2026, 1, 31))
    recurring = make_recurring(starts_on=date(2026, 1, 31))
    on(date(2026, 1, 31))
    for is_on in (False, True):
        switch_recurring(recurring=recurring, on=is_on)
    save_recurring(recurring=recurring, values={"every": 2})
    on(date(2026, 1, 31))
    assert (periods(recurring), reload(recurring).next_on) == (["2026-01-31"], date(2026, 3, 31))


def test_one_that_cannot_be_made_pauses_and_the_others_are_made(on: Callable[[date], None]) -> None:
    on(date(2026, 1, 31))
    broken = make_recurring(starts_on=date(2026, 1, 31))
    RecurringInvoice.objects.filter(pk=broken.pk).update(items=[])
    fine = make_recurring(starts_on=date(2026, 1, 31))
    on(date(2026, 1, 31))
    assert (periods(broken), periods(fine)) == ([], ["2026-01-31"])
    assert (reload(broken).is_active, reload(broken).problem) == (False, "At least one item is required.")
    save_recurring(recurring=broken, values={"items": [item()]})
    switch_recurring(recurring=broken, on=True)
    on(date(2026, 1, 31))
    assert (periods(broken), reload(broken).problem) == (["2026-01-31"], "")


@pytest.mark.both_databases
def test_what_was_made_stays(on: Callable[[date], None]) -> None:
    on(date(2026, 1, 31))
    recurring = make_recurring(starts_on=date(2026, 1, 31))
    on(date(2026, 1, 31))
    delete_record(record=reload(recurring))
    assert Invoice.objects.get().recurring is None


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"name": ""}, "name"),
        ({"client": None}, "client"),
        ({"items": []}, "items"),
        ({"items": [item(quantity="x")]}, "items.0.quantity"),
        ({"every": 0}, "every"),
        ({"every": 61}, "every"),
        ({"every": "2"}, "every"),
        ({"every": True}, "every"),
        ({"due_days": -1}, "due_days"),
        ({"interval": "day"}, "interval"),
        ({"delivery": "fax"}, "delivery"),
        ({"starts_on": None}, "starts_on"),
        ({"ends_on": date(2026, 1, 30)}, "ends_on"),
        ({"discount_cents": -1}, "discount_cents"),
        ({"discount_cents": True}, "discount_cents"),
        ({"discount_cents": 1, "discount_percent": 5}, "discount_cents"),
        ({"discount_percent": 101}, "discount_percent"),
        ({"notes": "a\0b"}, "notes"),
    ],
)
def test_wrong_values(values: dict[str, Any], key: str) -> None:
    given = {"name": "Retainer", "client": make_client(), "items": [item()], "starts_on": date(2026, 1, 31), **values}
    with pytest.raises(Invalid) as refusal:
        save_recurring(values=given)
    assert list(refusal.value.errors) == [key]


@pytest.mark.parametrize("start", [date(1, 1, 1), date(9999, 12, 31)])
@pytest.mark.parametrize("interval", ["week", "month", "year"])
def test_the_limits_of_the_calendar(start: date, interval: str, on: Callable[[date], None]) -> None:
    on(date(2026, 1, 31))
    recurring = make_recurring(starts_on=start, interval=interval, every=60)
    assert recurring.next_on is not None
    on(recurring.next_on if recurring.next_on.year < 9999 else date(2026, 2, 1))
    assert len(periods(recurring)) == (start.year == 1)


def stopped(on: Callable[[date], None]) -> RecurringInvoice:
    """One whose invoice of 31 May could not be made, and that was repaired since."""
    on(date(2026, 4, 30))
    recurring = make_recurring(starts_on=date(2026, 5, 31))
    RecurringInvoice.objects.filter(pk=recurring.pk).update(items=[])
    on(date(2026, 5, 31))
    assert (periods(recurring), reload(recurring).missed_on) == ([], date(2026, 5, 31))
    save_recurring(recurring=recurring, values={"items": [item()]})
    on(date(2026, 6, 15))
    return reload(recurring)


@pytest.mark.both_databases
def test_a_missed_period_is_billed_once_it_is_resumed(on: Callable[[date], None], admin_client: Any) -> None:
    recurring = stopped(on)
    assert (recurring.problem, recurring.is_active) == ("", False)
    page = admin_client.get(f"/admin/invoices/recurring/inspect/{recurring.pk}/").content.decode()
    assert "Paused: the invoice of May 31, 2026 hasn&#x27;t been made. Resume to make it." in page
    assert "Bill missed period" in page
    admin_client.post(f"/admin/invoices/recurring/bill-missed/{recurring.pk}/")
    on(date(2026, 6, 16))
    assert (periods(recurring), reload(recurring).next_on) == (["2026-05-31"], date(2026, 6, 30))
    assert reload(recurring).missed_on is None


def test_a_missed_period_can_be_left_out(on: Callable[[date], None]) -> None:
    recurring = stopped(on)
    assert switch_recurring(recurring=recurring, on=True, bills_missed=False)
    on(date(2026, 6, 30))
    assert periods(recurring) == ["2026-06-30"]


@pytest.mark.both_databases
def test_a_missed_period_outlives_a_change_of_the_schedule(on: Callable[[date], None]) -> None:
    recurring = stopped(on)
    save_recurring(recurring=recurring, values={"ends_on": date(2026, 12, 31)})
    switch_recurring(recurring=recurring, on=True)
    on(date(2026, 6, 16))
    assert periods(recurring) == ["2026-05-31"]


@pytest.mark.both_databases
def test_it_keeps_the_currency_it_was_created_in(on: Callable[[date], None], settings: Any) -> None:
    """Yen have no decimals: 90.00 dollars would become 9,000 yen."""
    on(date(2026, 1, 15))
    recurring = make_recurring(item(9000), starts_on=date(2026, 1, 15))
    settings.SITE_CURRENCY = "jpy"
    on(date(2026, 1, 15))
    save_recurring(recurring=recurring, values={"name": "Support"})
    on(date(2026, 2, 15))
    save_recurring(recurring=recurring, values={"items": [item(8000)]})
    on(date(2026, 3, 15))
    made = Invoice.objects.order_by("period").values_list("currency", "total_cents")
    assert list(made) == [("usd", 9000), ("usd", 9000), ("usd", 8000)]
