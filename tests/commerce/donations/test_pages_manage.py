"""The pages behind signed links: thanks, receipts, and what donors can do with their recurring donations."""

from html import unescape
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from pypdf import PdfReader

from cms_api.accounts.services import create_member
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.messages import content_of
from commerce.donations.models import Donation, RecurringDonation
from commerce.donations.selectors.donations import DONATION_LINK, MANAGE_LINK
from commerce.donations.services import cancel_recurring
from commerce.donations.services.renewing import write_renewal
from commerce.donations.views.statements import STATEMENTS_PER_HOUR
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, settle
from commerce.payments.types import PaymentStatus
from tests.people import PASSWORD

from .builders import make_campaign, make_donation, paid_donation, start
from .page_builders import pay_there, this_year


def html(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    assert answer.headers["Cache-Control"] == "no-store, private"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    return unescape(answer.content.decode())


def pdf_text(answer: Any) -> str:
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/pdf")
    assert "no-store" in answer.headers["Cache-Control"]
    return " ".join(page.extract_text() for page in PdfReader(BytesIO(answer.content)).pages)


def monthly(**changes: Any) -> tuple[RecurringDonation, str]:
    """A running monthly donation, and the path of its page."""
    recurring = paid_donation(make_campaign(), frequency="monthly", **changes).recurring
    assert recurring is not None
    return recurring, MANAGE_LINK.path(recurring)


def test_it_works(client: Client) -> None:
    donation = paid_donation(make_campaign(), covers_fee=True, tribute={"type": "memory", "name": "Alma Reyes"})
    page = html(client, DONATION_LINK.path(donation))
    for words in ("Thank you, Dana!", "DON-1001", "$51.81", "A kiln for the mill", "In memory of Alma Reyes", "Receipt (PDF)"):
        assert words in page
    assert "Manage your donation" not in page
    assert "Try again" not in page
    text = pdf_text(client.get(DONATION_LINK.path(donation) + "receipt.pdf"))
    for words in ("Donation receipt", "DON-1001", "$51.81", "Dana Reyes"):
        assert words in text


def test_a_payment_that_failed_can_be_made_again(client: Client) -> None:
    donation = make_donation()
    path = DONATION_LINK.path(donation)
    assert "Continue to payment" in html(client, path)
    payment = start(donation)
    decide_test_payment(payment=payment, status=PaymentStatus.FAILED)
    settle(payment_id=payment.pk)
    page = html(client, path)
    assert "Your payment didn't go through." in page
    assert "Try again" in page
    assert client.get(path + "receipt.pdf").status_code == 404
    assert pay_there(client, client.post(path + "pay")) == path
    assert "Thank you, Dana!" in html(client, path)
    # It is paid now.
    answer = client.post(path + "pay", follow=True)
    assert "This donation has already been paid." in unescape(answer.content.decode())


def test_a_payment_on_its_way_is_waited_for(client: Client) -> None:
    donation = make_donation()
    Donation.objects.filter(pk=donation.pk).update(is_processing=True)
    page = html(client, DONATION_LINK.path(donation))
    assert "Your payment is on its way." in page
    assert "Continue to payment" not in page


def test_a_recurring_donation(client: Client) -> None:
    recurring, path = monthly(covers_fee=True)
    assert path in html(client, DONATION_LINK.path(recurring.donations.get()))
    page = html(client, path)
    for words in (
        "$51.81 a month",
        "Active",
        "Next payment",
        "Test card",
        "A kiln for the mill",
        "DON-1001",
        "Paid",
        "receipt.pdf",
    ):
        assert words in page
    assert "Pay $" not in page
    answer = client.post(path + "pay", follow=True)
    assert "This donation doesn't wait for a payment." in unescape(answer.content.decode())


def test_an_open_renewal_is_paid_by_hand(client: Client) -> None:
    recurring, path = monthly()
    first = recurring.donations.get()
    RecurringDonation.objects.filter(pk=recurring.pk).update(status="past_due")
    due = make_donation(frequency="once", amount_cents=5000)
    Donation.objects.filter(pk=due.pk).update(
        recurring=recurring, frequency="monthly", period=first.period.replace(year=first.period.year + 1), status="failed"
    )
    page = html(client, path)
    for words in ("We couldn't charge Test card.", "Pay $50.00", "Payment failed"):
        assert words in page
    assert pay_there(client, client.post(path + "pay")) == path
    recurring.refresh_from_db()
    due.refresh_from_db()
    assert (recurring.status, due.status) == ("active", "paid")


def test_a_renewal_that_is_about_to_be_charged_is_not_asked_for(client: Client, clock: Any) -> None:
    clock("2026-03-10 12:00")
    recurring, path = monthly()
    clock("2026-04-10 12:00")
    assert write_renewal(recurring.pk)
    page = html(client, path)
    assert "Awaiting payment" in page
    assert "Pay $" not in page


def test_the_amount_is_typed_in_the_currency_of_the_donation(client: Client, settings: Any) -> None:
    recurring, path = monthly()
    settings.SITE_CURRENCY = "jpy"
    form = html(client, path + "amount")
    assert ("Amount in USD" in form, 'value="50.00"' in form) == (True, True)
    client.post(path + "amount", {"other_amount": "20"})
    recurring.refresh_from_db()
    assert (recurring.amount_cents, recurring.currency) == (2000, "usd")


def test_the_amount_is_changed(client: Client) -> None:
    recurring, path = monthly()
    form = html(client, path + "amount")
    assert 'value="50.00"' in form
    assert "checked" not in form
    wrong = client.post(path + "amount", {"other_amount": "0.5"})
    assert (wrong.status_code, wrong.context["errors"]) == (422, [("Enter an amount of at least $1.00.", "id_other_amount")])
    assert client.post(path + "amount", {"other_amount": ""}).status_code == 422
    answer = client.post(path + "amount", {"other_amount": "20", "covers_fee": "1"}, follow=True)
    assert "Your donation is now $20.91 a month." in answer.content.decode()
    recurring.refresh_from_db()
    assert (recurring.amount_cents, recurring.fee_cover_cents) == (2000, 91)
    assert 'name="covers_fee" value="1" checked' in html(client, path + "amount")


def test_it_is_cancelled_after_confirmation(client: Client) -> None:
    recurring, path = monthly()
    assert "Cancel this recurring donation?" in html(client, path + "cancel")
    recurring.refresh_from_db()
    assert recurring.status == "active"
    answer = client.post(path + "cancel", follow=True)
    assert "has been cancelled" in answer.content.decode()
    recurring.refresh_from_db()
    assert (recurring.status, recurring.next_on) == ("cancelled", None)
    assert OutgoingMail.objects.filter(template="donation_cancelled").count() == 1
    page = html(client, path)
    assert "Change amount" not in page
    assert "Cancel donation" not in page
    for action in ("amount", "cancel"):
        assert client.get(path + action).headers["Location"] == path
    client.post(path + "amount", {"other_amount": "20"})
    client.post(path + "cancel")
    recurring.refresh_from_db()
    assert recurring.amount_cents == 5000
    assert OutgoingMail.objects.filter(template="donation_cancelled").count() == 1


def test_one_that_was_cancelled_before_it_began_is_not_paid(client: Client) -> None:
    donation = make_donation(frequency="yearly")
    assert donation.recurring
    manage, thanks = MANAGE_LINK.path(donation.recurring), DONATION_LINK.path(donation)
    assert "begins once we've received this payment" in html(client, thanks)
    assert "Pay $50.00" in html(client, manage)
    assert client.get(manage + "amount").headers["Location"] == manage
    cancel_recurring(recurring=donation.recurring)
    for path in (manage, thanks):
        assert "has been cancelled" in html(client, path)
        client.post(path + "pay")
    assert not Payment.objects.exists()


@pytest.mark.parametrize("action", ["pay", "cancel", "amount"])
def test_a_get_changes_nothing(client: Client, action: str) -> None:
    recurring, path = monthly()
    before = RecurringDonation.objects.values().get()
    for client_call in (client.get, client.head):
        assert client_call(path + action).status_code in {200, 405}
    assert RecurringDonation.objects.values().get() == before
    assert Payment.objects.count() == 1
    assert client.get(f"{path}statements/{this_year()}").status_code == 405
    assert recurring.status == "active"


@pytest.mark.both_databases
def test_the_statement_of_a_recurring_donation_has_its_own_payments(client: Client) -> None:
    recurring, path = monthly()
    paid_donation(amount_cents=123_00)
    year = this_year()
    text = pdf_text(client.get(f"{path}statements/{year}.pdf"))
    assert "DON-1001" in text
    assert "DON-1002" not in text
    for other in (year - 1, 0, 9999, 10**6):
        assert client.get(f"{path}statements/{other}.pdf").status_code == 404
    assert f"statements/{year}.pdf" in html(client, path)
    assert recurring.donations.count() == 1


@pytest.mark.both_databases
def test_the_statement_of_an_address_is_sent_there_only(client: Client) -> None:
    """Anybody can donate in another person's name, and gets a link."""
    recurring, manage = monthly()
    paid_donation(amount_cents=123_00)
    stranger = paid_donation(email="DANA@example.com", amount_cents=100, first_name="Mallory")
    year = this_year()
    for path in (DONATION_LINK.path(stranger), manage):
        OutgoingMail.objects.all().delete()
        assert "123.00" not in html(client, path)
        answer = client.post(f"{path}statements/{year}", follow=True)
        assert f"We've emailed the statement for {year} to dana@example.com." in unescape(answer.content.decode())
        mail = OutgoingMail.objects.get(template="donation_statement")
        attached = PdfReader(BytesIO(content_of(mail.attachments.get())))
        assert mail.recipient == "dana@example.com"
        assert "DON-1002" in attached.pages[0].extract_text()
    assert client.post(f"{manage}statements/{year - 1}").status_code == 404
    assert recurring.email == "dana@example.com"


@pytest.mark.both_databases
def test_statements_are_asked_for_so_many_times_an_hour(client: Client) -> None:
    path = DONATION_LINK.path(paid_donation())
    for _ in range(STATEMENTS_PER_HOUR + 2):
        answer = client.post(f"{path}statements/{this_year()}", follow=True)
    assert "Too many requests." in answer.content.decode()
    assert OutgoingMail.objects.filter(template="donation_statement").count() == STATEMENTS_PER_HOUR


def test_the_donations_of_an_account() -> None:
    visitor, path = Client(), "/accounts/donations/"
    assert visitor.get(path).headers["Location"].startswith("/accounts/login/")
    mia = create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")
    visitor.force_login(mia)
    assert "You haven't donated yet." in unescape(visitor.get(path).content.decode())
    own = paid_donation(make_campaign(), email="mia@example.com", frequency="yearly")
    unpaid = make_donation(email="mia@example.com")
    foreign = paid_donation(email="dana@example.com")
    page = unescape(visitor.get(path).content.decode())
    assert own.recurring
    for words in ("DON-1001, A kiln for the mill", "$50.00 a year", "Awaiting payment", MANAGE_LINK.path(own.recurring)):
        assert words in page
    assert DONATION_LINK.path(own) in page
    assert DONATION_LINK.path(unpaid) in page
    assert DONATION_LINK.path(foreign) not in page
    year = this_year()
    assert f"{path}{year}.pdf" in page
    text = pdf_text(visitor.get(f"{path}{year}.pdf"))
    assert "DON-1001" in text
    assert "DON-1002" not in text
    assert visitor.get(f"{path}{year - 1}.pdf").status_code == 404
    assert path in visitor.get("/accounts/").content.decode()
