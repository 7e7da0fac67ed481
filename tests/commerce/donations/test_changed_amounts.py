"""A recurring donation's amount, changed by the link in emails: a raise waits for the mailbox, and each change can be undone."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.sending import send_due
from commerce.common.selectors import format_money
from commerce.common.types.money import Money, is_payable
from commerce.donations.models import RecurringDonation
from commerce.donations.selectors.donations import MANAGE_LINK
from commerce.donations.services import cancel_recurring, change_amount

from .builders import make_campaign, paid_donation

OVER = "This link is no longer valid"


@pytest.fixture
def recurring() -> RecurringDonation:
    """A running donation of 50.00 a month."""
    found = paid_donation(make_campaign(), frequency="monthly").recurring
    assert found is not None
    OutgoingMail.objects.all().delete()
    return found


def ask(client: Client, recurring: RecurringDonation, amount: str, **more: str) -> Any:
    return client.post(MANAGE_LINK.path(recurring) + "amount", {"other_amount": amount, **more}, follow=True)


def cents(recurring: RecurringDonation) -> int:
    recurring.refresh_from_db()
    return recurring.amount_cents


def link() -> str:
    """Return the path of the link in the latest mail."""
    found = re.search(r"http://testserver(/donations/changes/\S+)", OutgoingMail.objects.latest("pk").words.text)
    assert found
    return found[1]


def mails() -> list[str]:
    return list(OutgoingMail.objects.order_by("pk").values_list("template", flat=True))


def test_a_raise_waits_for_the_mailbox(client: Client, recurring: RecurringDonation) -> None:
    answer = ask(client, recurring, "80")
    assert "sent you a link to confirm your new donation of $80.00 a month" in unescape(answer.content.decode())
    assert (cents(recurring), mails()) == (5000, ["donation_raise_asked"])
    confirm = link()
    page = client.get(confirm)
    assert (page.status_code, page.headers["Cache-Control"]) == (200, "no-store, private")
    assert "Give $80.00 a month?" in page.content.decode()
    assert cents(recurring) == 5000
    answer = client.post(confirm, follow=True)
    assert "Your donation is now $80.00 a month." in answer.content.decode()
    assert (cents(recurring), mails()) == (8000, ["donation_raise_asked", "donation_changed"])


def test_covering_the_fee_is_a_raise(client: Client, recurring: RecurringDonation) -> None:
    ask(client, recurring, "50", covers_fee="1")
    recurring.refresh_from_db()
    assert recurring.fee_cover_cents == 0
    client.post(link())
    recurring.refresh_from_db()
    assert recurring.fee_cover_cents == 181


@pytest.mark.both_databases
def test_a_lower_amount_counts_at_once_and_can_be_undone(client: Client, recurring: RecurringDonation) -> None:
    answer = ask(client, recurring, "20")
    assert "Your donation is now $20.00 a month." in answer.content.decode()
    assert (cents(recurring), mails()) == (2000, ["donation_changed"])
    mail = OutgoingMail.objects.get()
    assert "Your donation is now $20.00 a month. It was $50.00 a month." in mail.text
    client.post(link())
    assert cents(recurring) == 5000


def test_the_same_amount_is_no_change(client: Client, recurring: RecurringDonation) -> None:
    ask(client, recurring, "50")
    assert (cents(recurring), mails()) == (5000, [])


@pytest.mark.both_databases
def test_staff_change_it_at_once_and_the_donor_is_told(recurring: RecurringDonation) -> None:
    change_amount(recurring=recurring, amount_cents=2_000_000, covers_fee=False)
    assert (cents(recurring), mails()) == (2_000_000, ["donation_changed"])


def unsent(template: str) -> OutgoingMail:
    """The mail that waits for the budget of the mailbox."""
    return OutgoingMail.objects.get(template=template, state="waiting")


@pytest.mark.both_databases
def test_a_request_does_not_replace_the_mail_of_a_change(client: Client, recurring: RecurringDonation) -> None:
    ask(client, recurring, "1")
    ask(client, recurring, "1.50")
    assert "It was $50.00 a month." in unsent("donation_changed").text
    assert "$1.50 a month" in unsent("donation_raise_asked").text
    ask(client, recurring, "2")
    assert "$2.00 a month" in unsent("donation_raise_asked").text


def test_a_change_that_replaces_an_unsent_one_undoes_both(client: Client, recurring: RecurringDonation) -> None:
    for amount in ("30", "1"):
        ask(client, recurring, amount)
    assert "Your donation is now $1.00 a month. It was $50.00 a month." in unsent("donation_changed").text
    client.post(link())
    assert cents(recurring) == 5000
    assert "Your donation is now $50.00 a month. It was $1.00 a month." in unsent("donation_changed").text


def test_a_change_after_a_sent_one_undoes_itself(client: Client, recurring: RecurringDonation) -> None:
    ask(client, recurring, "30")
    send_due()
    ask(client, recurring, "1")
    assert "It was $30.00 a month." in unsent("donation_changed").text
    client.post(link())
    assert cents(recurring) == 3000


@pytest.mark.both_databases
def test_a_link_that_was_followed_before_asks_for_nothing(client: Client, recurring: RecurringDonation) -> None:
    ask(client, recurring, "80")
    confirm = link()
    assert "Give $80.00 a month?" in client.get(confirm).content.decode()
    client.post(confirm)
    again = client.get(confirm, follow=True)
    assert again.redirect_chain == [(MANAGE_LINK.path(recurring), 302)]
    assert "Your donation is now $80.00 a month." in again.content.decode()
    cancel_recurring(recurring=recurring)
    assert "It has been cancelled." in client.get(confirm, follow=True).content.decode()


def test_a_link_does_not_undo_later_changes(client: Client, recurring: RecurringDonation) -> None:
    ask(client, recurring, "80")
    confirm = link()
    ask(client, recurring, "20")
    answer = client.post(confirm, follow=True)
    assert "Your donation has been changed since we sent this link." in unescape(answer.content.decode())
    assert cents(recurring) == 2000


@pytest.mark.both_databases
def test_links_end(client: Client, recurring: RecurringDonation, clock: Any) -> None:
    clock("2027-01-31 12:00")
    ask(client, recurring, "80")
    confirm = link()
    for forged in (confirm[:-2] + "/", "/donations/changes/x/", f"/donations/changes/{MANAGE_LINK.token(recurring)}/"):
        answer = client.post(forged)
        assert (answer.status_code, OVER in answer.content.decode()) == (404, True)
    cancel_recurring(recurring=recurring)
    answer = client.post(confirm, follow=True)
    assert "has been cancelled" in answer.content.decode()
    assert cents(recurring) == 5000


def test_links_end_with_their_days(client: Client, recurring: RecurringDonation, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(client, recurring, "80")
    confirm = link()
    monkeypatch.setattr("commerce.donations.selectors.changes.timedelta", lambda days: timedelta(seconds=-1))
    assert client.post(confirm).status_code == 404
    assert cents(recurring) == 5000


def test_there_is_a_largest_amount(client: Client, recurring: RecurringDonation) -> None:
    answer = ask(client, recurring, "950000000")
    assert answer.context["errors"] == [("Enter an amount of at most $10,000.00.", "id_other_amount")]
    set_setting(key="donations.maximum_cents", value=6000)
    answer = ask(client, recurring, "60.01")
    assert answer.context["errors"] == [("Enter an amount of at most $60.00.", "id_other_amount")]
    assert (cents(recurring), mails()) == (5000, [])
    answer = client.post("/donations/give", {"frequency": "once", "amount": "other", "other_amount": "60.01"})
    assert "Enter an amount of at most $60.00." in answer.content.decode()


def test_staff_change_it_to_what_can_be_charged(recurring: RecurringDonation) -> None:
    set_setting(key="payments.provider", value="stripe")
    for amount, covers_fee in ((100_000_000, False), (99_999_999, True)):
        with pytest.raises(Invalid) as refusal:
            change_amount(recurring=recurring, amount_cents=amount, covers_fee=covers_fee)
        assert list(refusal.value.errors) == ["amount_cents"]
        assert "$999,999.99" in refusal.value.message
    assert cents(recurring) == 5000


@pytest.fixture
def in_dinars(recurring: RecurringDonation) -> RecurringDonation:
    """A donation of 5.000 dinars, of which single fils can't be paid, with 0.181 for the fee, on a site in dollars."""
    set_setting(key="payments.provider", value="stripe")
    recurring.currency, recurring.fee_cover_cents = "kwd", 181
    recurring.save()
    return recurring


def test_the_fee_is_covered_in_the_currency_of_the_donation(in_dinars: RecurringDonation) -> None:
    """2.9%, and not the 0.30 dollars beside it."""
    changed = change_amount(recurring=in_dinars, amount_cents=5010, covers_fee=True)
    assert (changed.currency, changed.amount_cents, changed.fee_cover_cents) == ("kwd", 5010, 150)
    assert is_payable(changed.total_cents, "kwd")


def test_what_is_sent_unchanged_stays(client: Client, in_dinars: RecurringDonation) -> None:
    page = client.get(MANAGE_LINK.path(in_dinars) + "amount").content.decode()
    for words in ("0.181: KWD", "5.181 in total", 'data-present-cover="181"', 'data-fixed-cents="0"'):
        assert words in page
    ask(client, in_dinars, "5.000", covers_fee="1")
    set_setting(key="donations.offer_fee_cover", value=False)
    ask(client, in_dinars, "5.000")
    assert (cents(in_dinars), in_dinars.fee_cover_cents, mails()) == (5000, 181, [])


def test_the_limits_of_the_site_are_for_its_currency(client: Client, in_dinars: RecurringDonation) -> None:
    """They are in dollars. The provider's are for each currency."""
    set_setting(key="donations.minimum_cents", value=4000)
    set_setting(key="donations.maximum_cents", value=6000)
    ask(client, in_dinars, "1.000")
    assert cents(in_dinars) == 1000
    for typed in ("7.000", "99,999.990"):
        ask(client, in_dinars, typed)
    assert mails() == ["donation_changed", *["donation_raise_asked"] * 2]
    answer = ask(client, in_dinars, "100,000")
    ((sentence, _),) = answer.context["errors"]
    assert sentence == f"Enter an amount of at most {format_money(Money(99_999_999, 'kwd'))}."
