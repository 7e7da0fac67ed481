"""The form for a donation: what it shows, stores and refuses."""

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.donations.models import Campaign, Donation, RecurringDonation
from commerce.donations.selectors.donations import DONATION_LINK
from commerce.donations.services import give
from commerce.donations.services.campaigns import delete_campaign, save_campaign
from commerce.donations.views.give import DONATIONS_PER_HOUR
from tests.people import PASSWORD
from tests.visitor import hidden

from .builders import make_campaign, make_fundraiser
from .page_builders import errors, made, pay_there, payment_of, send, typed, yesterday

KILN = "/donations/give/a-kiln-for-the-mill"


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    make_campaign(shows_donors=True)
    answer = send(client, KILN, phone="+1 802 555 0100", message="Keep the wheels turning.", designation="Youth workshops")
    donation = made()
    assert (donation.name, donation.email, donation.phone, donation.amount_cents, donation.fee_cover_cents) == (
        "Dana Reyes",
        "dana@example.com",
        "+1 802 555 0100",
        5000,
        0,
    )
    assert (donation.status, donation.frequency, donation.designation, donation.message, donation.is_anonymous) == (
        "pending",
        "once",
        "Youth workshops",
        "Keep the wheels turning.",
        False,
    )
    assert donation.campaign
    assert (donation.campaign.slug, donation.recurring, donation.user) == ("a-kiln-for-the-mill", None, None)
    assert payment_of(donation).amount_cents == 5000
    assert pay_there(client, answer) == DONATION_LINK.path(donation)
    donation.refresh_from_db()
    assert (donation.status, donation.number) == ("paid", "DON-1001")


@pytest.mark.parametrize(
    ("take_away", "said"),
    [
        (lambda campaign: save_campaign(campaign=campaign, values={"is_visible": False}), "doesn't take donations any more"),
        (lambda campaign: delete_campaign(campaign=campaign), "doesn't take donations any more"),
        (lambda campaign: save_campaign(campaign=campaign, values={"ends_on": yesterday()}), "This campaign has ended."),
    ],
    ids=["hidden", "deleted", "ended"],
)
def test_a_form_for_a_campaign_that_is_gone_says_so(take_away: Callable[[Campaign], Any], said: str, client: Client) -> None:
    campaign = make_campaign()
    opened = hidden(client, KILN)
    take_away(campaign)
    answer = client.post(KILN, {**opened, **typed()}, follow=True)
    assert said in unescape(answer.content.decode())
    assert 'href="/donate"' in answer.content.decode()
    assert not Donation.objects.exists()


@pytest.mark.both_databases
def test_a_campaign_that_is_deleted_while_the_donation_is_stored_is_refused(client: Client) -> None:
    campaign = make_campaign()
    stale = Campaign.objects.get(pk=campaign.pk)
    delete_campaign(campaign=campaign)
    with pytest.raises(Invalid) as refusal:
        give(values={"amount_cents": 5000, "last_name": "Reyes", "email": "dana@example.com"}, campaign=stale)
    assert set(refusal.value.errors) == {"campaign"}


def test_a_donation_whose_campaign_is_hidden_can_still_be_paid(client: Client) -> None:
    campaign = make_campaign()
    answer = send(client, KILN)
    with pytest.raises(Invalid):
        delete_campaign(campaign=campaign)
    save_campaign(campaign=campaign, values={"is_visible": False})
    assert client.get(pay_there(client, answer)).status_code == 200
    assert made().status == "paid"


def test_monthly_in_memory_of_somebody(client: Client) -> None:
    campaign = make_campaign()
    fundraiser = make_fundraiser(campaign)
    tribute = {
        "tribute_type": "memory",
        "tribute_name": "Alma Reyes",
        "tribute_message": "She taught us all to throw.",
        "tribute_email": "al@example.com",
    }
    address = {
        "address-country": "US",
        "address-street": "14 Canal Street",
        "address-city": "Brattleboro",
        "address-state": "VT",
        "address-postal_code": "05301",
    }
    path = f"{KILN}/{fundraiser.slug}"
    answer = send(client, path, frequency="monthly", covers_fee="1", anonymous="1", **tribute, **address)
    recurring, donation = RecurringDonation.objects.get(), made()
    assert (donation.recurring, donation.fundraiser, donation.fee_cover_cents) == (recurring, fundraiser, 181)
    assert (recurring.tribute_type, recurring.tribute_name, recurring.tribute_email) == ("memory", "Alma Reyes", "al@example.com")
    assert (donation.street, donation.city, donation.state, donation.postal_code, donation.country) == (
        "14 Canal Street",
        "Brattleboro",
        "VT",
        "05301",
        "US",
    )
    assert donation.is_anonymous
    assert payment_of(donation).amount_cents == 5181
    pay_there(client, answer)
    recurring.refresh_from_db()
    assert recurring.status == "active"
    notified = OutgoingMail.objects.get(template="donation_tribute")
    assert (notified.recipient, "Dana" in notified.text, "Alma Reyes" in notified.text) == ("al@example.com", False, True)


def test_an_amount_of_ones_own(client: Client) -> None:
    send(client, amount="other", other_amount=" 12.5 ")
    assert made().amount_cents == 1250


@pytest.mark.parametrize(
    ("query", "chosen", "other", "frequency"),
    [
        ("amount=10000&frequency=monthly", "10000", "", "monthly"),
        ("amount=other&other_amount=7.5", "other", "7.5", "once"),
        ("amount=7500", "other", "75.00", "once"),
        ("amount=x&frequency=daily", "2500", "", "once"),
        ("amount=99999999999999999999", "2500", "", "once"),
        ("amount=-5&other_amount=" + "9" * 50, "2500", "9" * 20, "once"),
        ("amount=%00&frequency=%00&other_amount=%00", "2500", "\0", "once"),
    ],
)
def test_a_link_chooses(client: Client, query: str, chosen: str, other: str, frequency: str) -> None:
    form = client.get(f"/donations/give?{query}").context["form"]
    assert (form["amount"].value(), form["other_amount"].value(), form["frequency"].value()) == (chosen, other, frequency)


def test_the_page_says_what_the_fee_is(client: Client) -> None:
    page = client.get("/donations/give?amount=10000").content.decode()
    assert "For $100, this adds $3.30: $103.30 in total." in page
    assert 'data-basis-points="290"' in page
    assert "until you cancel" in page
    assert "this adds" not in client.get("/donations/give?amount=other&other_amount=x").content.decode()
    set_setting(key="donations.offer_fee_cover", value=False)
    assert "Cover the transaction fee" not in client.get("/donations/give").content.decode()


def test_errors_lead_to_their_inputs(client: Client) -> None:
    make_campaign()
    sent = {"amount": "other", "other_amount": "12.345", "last_name": "", "email": "dana", "frequency": "daily"}
    tribute = {"tribute_type": "honor", "tribute_email": "x"}
    found = errors(send(client, KILN, **sent, **tribute, **{"address-street": "14 Canal Street", "address-country": "US"}))
    assert found == [
        ("Choose a frequency.", "id_frequency"),
        ("Enter an amount such as 1,500.00.", "id_other_amount"),
        ("Enter the name of the person.", "id_tribute_name"),
        ("Enter a valid email address.", "id_tribute_email"),
        ("Enter your last name.", "id_last_name"),
        ("Enter a valid email address.", "id_email"),
        ("Enter a city.", "id_address-city"),
        ("Enter a state.", "id_address-state"),
        ("Enter a ZIP code.", "id_address-postal_code"),
    ]
    assert not Donation.objects.exists()


def test_inputs_that_are_hidden_are_not_checked(client: Client) -> None:
    send(client, tribute_email="x", tribute_name="Alma", other_amount="x")
    assert (made().tribute_name, made().tribute_email, made().amount_cents) == ("", "", 5000)


def test_small_and_large_amounts(client: Client) -> None:
    for amount, sentence in (
        ("0.99", "Enter an amount of at least $1.00."),
        ("0", "Enter an amount of at least $1.00."),
        ("-5", "Enter an amount of at least $1.00."),
        ("9999999999", "Enter an amount of at most 999,999,999.99."),
        ("10000.01", "Enter an amount of at most $10,000.00."),
        ("12,50", "Enter an amount such as 1,500.00."),
        ("", "Enter an amount such as 1,500.00."),
        ("1e3000", "Enter an amount such as 1,500.00."),
    ):
        assert errors(send(client, amount="other", other_amount=amount)) == [(sentence, "id_other_amount")]
    assert errors(send(client, amount="123")) == [("Choose an amount.", "id_amount")]
    make_campaign(amounts=[50, 5000])
    assert errors(send(client, KILN, amount="50")) == [("Enter an amount of at least $1.00.", "id_amount")]


def test_hostile_input_stores_nothing(client: Client) -> None:
    make_campaign()
    for sent in (
        {"last_name": "\0"},
        {"email": "a@b\n.example"},
        {"designation": "No such purpose"},
        {"amount": ""},
        {"amount": "\0"},
        {"address-street": "14 Canal Street", "address-country": "XX"},
        {"_stamp": "x"},
        {"hp_url": "https://spam.example"},
        {"message": "http://a.example http://b.example http://c.example http://d.example"},
    ):
        assert send(client, KILN, **sent).status_code == 422, sent
    assert not Donation.objects.exists()


def test_what_takes_no_donations_leads_back(client: Client) -> None:
    campaign = make_campaign(ends_on=yesterday())
    for answer in (client.get(KILN), client.post(KILN, typed())):
        assert answer.headers["Location"] == "/donate/a-kiln-for-the-mill"
    assert client.get(f"/donations/give/{campaign.slug}/nobody").status_code == 404
    assert client.get("/donations/give/nothing").status_code == 404
    assert not Donation.objects.exists()


def test_an_account_is_known(client: Client) -> None:
    mia = create_member(email="mia@example.com", password=PASSWORD, name="Mia Van Sand")
    client.force_login(mia)
    form = client.get("/donations/give").context["form"]
    assert (form["first_name"].value(), form["last_name"].value(), form["email"].value()) == (
        "Mia Van",
        "Sand",
        "mia@example.com",
    )
    send(client)
    assert made().user == mia


def test_the_page_is_never_cached_or_listed(client: Client) -> None:
    answer = client.get("/donations/give")
    assert "no-store" in answer.headers["Cache-Control"]
    assert '<meta name="robots" content="noindex">' in answer.content.decode()


def test_without_a_provider_nothing_can_be_given(client: Client) -> None:
    opened = hidden(client, "/donations/give")
    set_setting(key="payments.allow_test_payments", value=False)
    assert "Online donations aren't available" in unescape(client.get("/donations/give").content.decode())
    answer = client.post("/donations/give", {**opened, **typed()})
    assert (answer.status_code, answer.context["notice"]) == (422, "Online payments aren't available at the moment.")
    assert not Donation.objects.exists()


def test_one_address_donates_so_many_times_an_hour(client: Client) -> None:
    opened = hidden(client, "/donations/give")
    answers = [
        client.post("/donations/give", {**opened, **typed(email=f"{n}@example.com")}) for n in range(DONATIONS_PER_HOUR + 2)
    ]
    statuses = [answer.status_code for answer in answers]
    assert statuses[0] == 302
    assert set(statuses) <= {302, 422, 429}
    assert 302 not in statuses[-2:]
    assert Donation.objects.count() <= DONATIONS_PER_HOUR
