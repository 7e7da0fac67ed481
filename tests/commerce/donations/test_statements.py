"""Yearly statements: who gets one, once unless asked for again, whatever fails; and receipts that are sent again."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core.batches import RowsFailed
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.donations.models import Donation, EmailedStatement
from commerce.donations.selectors.statements import statement_year, statement_years
from commerce.donations.services import mailing, request_statements, send_receipt_again, send_statements

from .admin_builders import stored
from .builders import make_donation, paid_donation

Clock = Callable[[str], None]


def recipients() -> list[str]:
    sent = OutgoingMail.objects.filter(template="donation_statement")
    return sorted(sent.values_list("recipient", flat=True))


@pytest.fixture
def year(clock: Clock) -> int:
    """Donations of 2026, as seen from 2027: two of Dana's, one of Ruth's, one of Tom's that went back, one unpaid."""
    clock("2026-03-02 12:00")
    stored()
    clock("2026-12-31 12:00")
    stored(amount_cents=2000)
    stored(email="ruth@example.com")
    stored("refunded", email="tom@example.com", refunded_cents=5000)
    stored("pending", email="unpaid@example.com")
    clock("2027-01-05 12:00")
    stored(email="later@example.com")
    return 2026


@pytest.mark.both_databases
def test_it_works(year: int) -> None:
    assert request_statements(year=year) == 2
    send_statements()
    assert recipients() == ["dana@example.com", "ruth@example.com"]
    mail = OutgoingMail.objects.get(template="donation_statement", recipient="dana@example.com")
    assert mail.subject == "Your donations in 2026"
    assert [file.name for file in mail.attachments.all()] == ["donations-2026.pdf"]


def test_its_figures(year: int) -> None:
    found = statement_year(year)
    assert (found.donors, found.donations, found.total.cents) == (2, 3, 12_000)
    assert (found.sent, found.waiting, found.failed, found.unsent) == (0, 0, 0, 2)
    request_statements(year=year)
    found = statement_year(year)
    assert (found.sent, found.waiting, found.unsent) == (0, 2, 0)
    send_statements()
    found = statement_year(year)
    assert (found.sent, found.waiting, found.unsent, found.last_sent_at) == (2, 0, 0, timezone.now())
    assert statement_years() == [2027, 2026]


def test_each_donor_gets_one(year: int) -> None:
    request_statements(year=year)
    request_statements(year=year)
    send_statements()
    assert request_statements(year=year) == 0
    send_statements()
    assert len(recipients()) == 2
    stored(email="new@example.com", paid_at=datetime(2026, 7, 1, tzinfo=UTC))
    assert request_statements(year=year) == 1
    send_statements()
    assert recipients() == ["dana@example.com", "new@example.com", "ruth@example.com"]


@pytest.mark.both_databases
def test_it_is_sent_again_on_request(year: int, clock: Clock) -> None:
    request_statements(year=year)
    send_statements()
    clock("2027-01-06 12:00")
    shown_at = timezone.now()
    clock("2027-01-06 12:01")
    assert request_statements(year=year, again_before=shown_at) == 2
    send_statements()
    # The same form, sent twice.
    assert request_statements(year=year, again_before=shown_at) == 0
    send_statements()
    assert len(recipients()) == 4


@pytest.mark.both_databases
def test_a_crash_sends_nothing_twice(year: int, monkeypatch: pytest.MonkeyPatch) -> None:
    request_statements(year=year)
    render, calls = mailing.statement_document, 0

    def killed(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise SystemExit
        return render(*args)

    monkeypatch.setattr(mailing, "statement_document", killed)
    with pytest.raises(SystemExit):
        send_statements()
    assert len(recipients()) == 1
    send_statements()
    assert recipients() == ["dana@example.com", "ruth@example.com"]


@pytest.mark.both_databases
def test_one_that_fails_keeps_nobody_waiting(year: int, monkeypatch: pytest.MonkeyPatch) -> None:
    request_statements(year=year)
    render = mailing.statement_document

    def failing(donations: Any, year: int) -> Any:
        if donations[0].email == "dana@example.com":
            raise ValueError("No \0 font.")
        return render(donations, year)

    monkeypatch.setattr(mailing, "statement_document", failing)
    with pytest.raises(RowsFailed, match="1 of 2 failed"):
        send_statements()
    assert recipients() == ["ruth@example.com"]
    # It waits for staff.
    send_statements()
    found = statement_year(year)
    assert (found.sent, found.waiting, found.failed, found.unsent) == (1, 0, 1, 1)
    assert EmailedStatement.objects.get(email="dana@example.com").error == "ValueError('No \\x00 font.')"
    monkeypatch.undo()
    assert request_statements(year=year) == 1
    send_statements()
    assert recipients() == ["dana@example.com", "ruth@example.com"]


def test_years_without_donations_are_refused(year: int) -> None:
    for wrong in (2025, 2028, 0):
        with pytest.raises(Invalid) as refusal:
            request_statements(year=wrong)
        assert set(refusal.value.errors) == {"year"}


def test_the_year_is_that_of_the_site(clock: Clock) -> None:
    set_setting(key="site.timezone", value="Asia/Tokyo")
    clock("2026-12-31 16:00")
    stored()
    assert statement_years() == [2027]


@pytest.mark.both_databases
def test_a_receipt_is_sent_again() -> None:
    donation = paid_donation()
    send_receipt_again(donation=donation)
    mails = OutgoingMail.objects.filter(template="donation_received")
    assert [mail.recipient for mail in mails] == ["dana@example.com"] * 2


@pytest.mark.parametrize("email", ["old@localhost", ""])
def test_a_receipt_is_not_sent_again_where_no_mail_arrives(email: str) -> None:
    donation = paid_donation()
    Donation.objects.filter(pk=donation.pk).update(email=email)
    with pytest.raises(Invalid) as refusal:
        send_receipt_again(donation=donation)
    assert set(refusal.value.errors) == {"email"}
    assert OutgoingMail.objects.filter(template="donation_received").count() == 1


def test_an_unpaid_donation_has_no_receipt() -> None:
    with pytest.raises(Invalid) as refusal:
        send_receipt_again(donation=make_donation())
    assert set(refusal.value.errors) == {"status"}
    assert not OutgoingMail.objects.filter(template="donation_received").exists()
