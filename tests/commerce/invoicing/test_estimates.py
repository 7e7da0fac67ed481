"""Estimates: accepted, declined, expired, reopened, and turned into invoices."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.invoicing.models import Invoice
from commerce.invoicing.services import (
    accept_estimate,
    convert_estimate,
    decline_estimate,
    duplicate_invoice,
    issue_invoice,
    reopen_estimate,
    save_invoice,
    send_invoice,
    void_invoice,
)
from tests.commerce.shop.outcomes import outcome

from .builders import item, make_draft, make_estimate, make_invoice, reloaded


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_user("staff")


def mails() -> list[str]:
    return list(OutgoingMail.objects.values_list("template", flat=True))


def draft_estimate() -> Invoice:
    return make_draft(kind="estimate")


@pytest.mark.both_databases
def test_it_works(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.com"
    estimate = make_estimate(item(12_500, 2, tax=20))
    assert (estimate.number, estimate.status, estimate.balance_due_cents) == ("EST-1001", "sent", 0)
    assert accept_estimate(estimate=estimate, name=" Dana Reyes ", note="Please begin in May.")
    assert not accept_estimate(estimate=estimate, name="Somebody else")
    accepted = reloaded(estimate)
    assert (accepted.status, accepted.decided_by, accepted.decision_note) == ("accepted", "Dana Reyes", "Please begin in May.")
    assert accepted.decided_at is not None
    assert mails() == ["estimate_decided"]
    invoice = convert_estimate(estimate=estimate)
    assert (invoice.kind, invoice.number, invoice.status, invoice.total_cents) == ("invoice", "INV-1001", "draft", 30_000)
    assert (invoice.estimate, invoice.client, invoice.email) == (accepted, estimate.client, estimate.email)
    assert convert_estimate(estimate=estimate) == invoice
    assert Invoice.objects.filter(kind="invoice").count() == 1


@pytest.mark.parametrize("answer", [accept_estimate, decline_estimate])
@pytest.mark.parametrize("make", [draft_estimate, make_invoice])
def test_these_cannot_be_decided(answer: Callable[..., bool], make: Callable[[], Invoice]) -> None:
    record = make()
    assert outcome(lambda: answer(estimate=record, name="Dana")) == "status"
    assert reloaded(record).status == record.status


@pytest.mark.parametrize("answer", [accept_estimate, decline_estimate])
@pytest.mark.parametrize(
    ("values", "key"),
    [({"name": ""}, "name"), ({"name": " "}, "name"), ({"name": "a\0"}, "name"), ({"name": "x" * 1000}, "name")],
)
def test_wrong_names(answer: Callable[..., bool], values: dict[str, str], key: str) -> None:
    estimate = make_estimate()
    assert outcome(lambda: answer(estimate=estimate, **values)) == key
    assert outcome(lambda: answer(estimate=estimate, name="Dana", note="x" * 10_000)) == "note"
    assert reloaded(estimate).status == "sent"


def test_a_decision_is_final_for_the_client() -> None:
    estimate = make_estimate()
    assert decline_estimate(estimate=estimate, name="Dana")
    assert not decline_estimate(estimate=estimate, name="Dana")
    assert outcome(lambda: accept_estimate(estimate=estimate, name="Dana")) == "status"
    assert outcome(lambda: convert_estimate(estimate=estimate)) == "status"
    assert outcome(lambda: send_invoice(invoice=estimate)) == "status"


@pytest.mark.parametrize(("zone", "expected"), [("Pacific/Auckland", "status"), ("UTC", "done"), ("America/Los_Angeles", "done")])
@pytest.mark.both_databases
def test_its_last_day_is_that_of_the_site(zone: str, expected: str, staff: User, monkeypatch: pytest.MonkeyPatch) -> None:
    estimate, other = (make_estimate(issue_date=date(2026, 3, 1), due_date=date(2026, 3, 31)) for _ in range(2))
    set_setting(key="site.timezone", value=zone)
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 3, 31, 12, tzinfo=UTC))
    assert outcome(lambda: accept_estimate(estimate=estimate, name="Dana")) == expected
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 5, 1, tzinfo=UTC))
    with pytest.raises(Invalid, match="expired"):
        accept_estimate(estimate=other, name="Dana")
    # Staff may record what they were told on the phone.
    assert accept_estimate(estimate=other, name="", user=staff)


def test_staff_withdraw_a_draft_without_a_number(staff: User) -> None:
    set_setting(key="invoicing.number_on_issue", value=True)
    draft = draft_estimate()
    assert draft.number is None
    assert decline_estimate(estimate=draft, user=staff)
    assert (reloaded(draft).status, reloaded(draft).number) == ("declined", "EST-1001")


def test_staff_get_no_mail_about_themselves(staff: User, settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.com"
    assert accept_estimate(estimate=make_estimate(), name="", user=staff)
    assert mails() == []


def test_a_sent_one_is_accepted_by_converting_it(staff: User) -> None:
    estimate = make_estimate()
    convert_estimate(estimate=estimate, user=staff)
    assert reloaded(estimate).status == "accepted"


def test_the_invoice_has_terms_of_its_own() -> None:
    set_setting(key="invoicing.terms", value="Payable by bank transfer.")
    assert [make_draft().terms, make_draft(terms="").terms, draft_estimate().terms] == ["Payable by bank transfer.", "", ""]
    assert convert_estimate(estimate=make_estimate()).terms == "Payable by bank transfer."
    assert convert_estimate(estimate=make_estimate(terms="Half in advance.")).terms == "Half in advance."


@pytest.mark.both_databases
def test_the_invoice_can_be_changed_and_the_estimate_not() -> None:
    estimate = make_estimate()
    invoice = convert_estimate(estimate=estimate)
    save_invoice(invoice=invoice, values={"items": [item(99)]})
    assert (reloaded(invoice).total_cents, reloaded(estimate).total_cents) == (99, 10_000)
    for change in (
        lambda: save_invoice(invoice=estimate, values={"notes": "More"}),
        lambda: reopen_estimate(estimate=estimate),
        lambda: void_invoice(invoice=estimate),
    ):
        assert outcome(change) == "status"


@pytest.mark.both_databases
def test_one_whose_invoice_is_void_becomes_another() -> None:
    estimate = make_estimate()
    void = convert_estimate(estimate=estimate)
    void_invoice(invoice=void, reason="Wrong date.")
    made = convert_estimate(estimate=estimate)
    assert (made.number, made.status, made.total_cents, made.estimate) == ("INV-1002", "draft", 10_000, reloaded(estimate))
    assert convert_estimate(estimate=estimate) == made
    assert (reloaded(void).status, reloaded(void).estimate) == ("void", None)


def test_reopening() -> None:
    estimate = make_estimate()
    decline_estimate(estimate=estimate, name="Dana", note="Too much.")
    assert reopen_estimate(estimate=estimate)
    assert not reopen_estimate(estimate=estimate)
    draft = reloaded(estimate)
    assert (draft.status, draft.decided_by, draft.decision_note, draft.decided_at) == ("draft", "", "", None)
    save_invoice(invoice=draft, values={"items": [item(9_000)]})
    issue_invoice(invoice=draft)
    assert (reloaded(draft).status, reloaded(draft).number, reloaded(draft).total_cents) == ("sent", "EST-1001", 9_000)
    assert outcome(lambda: reopen_estimate(estimate=make_invoice())) == "status"


@pytest.mark.parametrize("copy", [lambda each: convert_estimate(estimate=each), lambda each: duplicate_invoice(invoice=each)])
def test_what_is_made_from_it_keeps_its_currency(copy: Any, settings: Any) -> None:
    estimate = make_estimate(item(9000))
    settings.SITE_CURRENCY = "jpy"
    made = copy(estimate)
    assert (made.currency, made.total_cents) == ("usd", 9000)
