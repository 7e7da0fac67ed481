"""Donations in the admin: the list, the page of one, its buttons and documents, and people who are kept out."""

from secrets import token_urlsafe
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.mail.models import OutgoingMail
from commerce.donations.admin.donations import DonationViewSet
from commerce.donations.models import Donation, EmailedStatement
from commerce.donations.selectors.donations import today
from commerce.donations.services import send_statements
from commerce.payments.models import Refund
from tests import people
from tests.confirming import button_of, post_twice

from .admin_builders import stored, stored_recurring
from .builders import make_campaign, make_fundraiser, paid_donation

DONATIONS = "/admin/donations/"
STATEMENTS = f"{DONATIONS}statements/"


def posted(**changes: str) -> dict[str, str]:
    """The fields of the form of a recorded donation."""
    payment = {"total": "250", "method": "check", "paid_on": "2026-03-02", "reference": "1042", "note": "By post"}
    person = {"first_name": "Ruth", "last_name": "Adeyemi", "email": "Ruth@example.com", "phone": "", "message": "For the kiln"}
    address = {"street": "", "street2": "", "city": "", "state": "", "postal_code": "", "country": "US"}
    purpose = {"campaign": "", "fundraiser": "", "designation": ""}
    tribute = {"tribute_type": "", "tribute_name": "", "tribute_email": "", "tribute_message": ""}
    return {**payment, **person, **address, **purpose, **tribute, "once": token_urlsafe(16), **changes}


def test_it_works(admin_client: Client) -> None:
    fundraiser = make_fundraiser(make_campaign(designations=["Youth workshops"]))
    values = posted(
        fundraiser=str(fundraiser.pk),
        designation="Youth workshops",
        is_anonymous="on",
        street="14 Canal Street",
        city="Brattleboro",
        state="VT",
        postal_code="05301",
        tribute_type="memory",
        tribute_name="Alma Reyes",
        tribute_email="alma@example.com",
    )
    assert admin_client.post(f"{DONATIONS}new/", values).status_code == 302
    donation = Donation.objects.get()
    assert (donation.status, donation.total_cents, donation.email, donation.number) == (
        "paid",
        25_000,
        "ruth@example.com",
        "DON-1001",
    )
    assert (donation.campaign, donation.fundraiser, donation.designation) == (fundraiser.campaign, fundraiser, "Youth workshops")
    assert (donation.is_anonymous, donation.city, donation.tribute_name) == (True, "Brattleboro", "Alma Reyes")
    sent = set(OutgoingMail.objects.values_list("template", "recipient"))
    assert sent >= {("donation_received", "ruth@example.com"), ("donation_tribute", "alma@example.com")}
    page = admin_client.get(f"{DONATIONS}inspect/{donation.pk}/").content.decode()
    for words in (
        *("DON-1001", "Ruth Adeyemi (anonymous in public)", "14 Canal Street", "In memory of Alma Reyes", "For the kiln"),
        *(
            "$250.00, check: succeeded (1042)",
            "By post",
            "Noor runs for the kiln",
            "Receipt (PDF)",
            "Donor&#x27;s page",
            "Paid $250.00",
        ),
    ):
        assert words in page, words


def test_a_form_that_is_sent_twice_records_one_donation(admin_client: Client) -> None:
    page = admin_client.get(f"{DONATIONS}new/")
    values = posted(once=page.context["form"]["once"].value())
    assert page.content.decode().count(f'value="{values["once"]}"') == 1
    first, second = (admin_client.post(f"{DONATIONS}new/", values) for _ in range(2))
    donation = Donation.objects.get()
    assert first.headers["Location"] == second.headers["Location"] == f"{DONATIONS}inspect/{donation.pk}/"
    assert OutgoingMail.objects.filter(template="donation_received").count() == 1
    shown = admin_client.get(second.headers["Location"]).content.decode()
    assert "This form was already submitted. Nothing was added a second time." in shown


def test_a_form_that_was_refused_or_failed_can_be_sent_again(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    values = posted()
    assert admin_client.post(f"{DONATIONS}new/", {**values, "total": "0"}).status_code == 200
    with monkeypatch.context() as patched:
        patched.setattr(DonationViewSet, "create", Mock(side_effect=RuntimeError))
        with pytest.raises(RuntimeError):
            admin_client.post(f"{DONATIONS}new/", values)
    assert admin_client.post(f"{DONATIONS}new/", values).status_code == 302
    assert Donation.objects.count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"total": "much", "method": "online", "email": "nobody", "campaign": "99999", "tribute_email": "no"},
        {
            **{"total": "0", "last_name": "", "first_name": "", "designation": "Youth workshops", "tribute_name": "Alma"},
            **{"street": "14 Canal Street", "city": "Brattleboro", "state": "VT", "postal_code": "no"},
        },
        {"paid_on": "2999-01-01"},
    ],
)
def test_refusals_are_shown_at_their_fields(wrong: dict[str, str], admin_client: Client) -> None:
    make_campaign(designations=["Youth workshops"])
    answer = admin_client.post(f"{DONATIONS}new/", posted(**wrong))
    assert answer.status_code == 200
    # A tribute without a type, and an address without a name, are refused at these fields.
    right = {"first_name", "tribute_name", "street", "city", "state"}
    assert set(answer.context["form"].errors) - {"tribute_type"} == wrong.keys() - right
    assert not Donation.objects.exists()


@pytest.mark.both_databases
def test_the_list_filters_searches_and_exports(admin_client: Client) -> None:
    campaign = make_campaign()
    monthly = stored(frequency="monthly", campaign=campaign, fee_cover_cents=175, designation="Youth workshops", message="=1+1")
    yearly = stored("failed", frequency="yearly", email="ruth@example.com")
    once = stored(refunded_cents=1000)

    def shown(**query: str) -> set[int]:
        answer = admin_client.get(DONATIONS, query)
        assert answer.status_code == 200
        return {each.pk for each in answer.context["object_list"]}

    assert shown() == {monthly.pk, yearly.pk, once.pk}
    assert shown(status="failed") == {yearly.pk}
    assert shown(frequency="recurring") == {monthly.pk, yearly.pk}
    assert shown(frequency="once") == {once.pk}
    assert shown(campaign=str(campaign.pk)) == {monthly.pk}
    assert shown(paid_at_from=str(timezone.localdate())) == {monthly.pk, once.pk}
    assert shown(q=str(once.number).lower()) == {once.pk}
    for hostile in ({"status": "\0"}, {"campaign": "9" * 30}, {"q": "\0"}, {"q": "DON-\0"}, {"paid_at_from": "0001-01-01"}):
        assert admin_client.get(DONATIONS, hostile).status_code == 200
    page = admin_client.get(DONATIONS).content.decode()
    for words in ("$51.75", "with $1.75 for the fee", "$10.00 refunded", "Youth workshops"):
        assert words in page, words
    lines = admin_client.get(DONATIONS, {"export": "csv", "campaign": campaign.pk}).getvalue().decode().splitlines()
    assert lines[0].startswith("Receipt,Status,First name,Last name,Email,Phone,Street,")
    assert lines[1].startswith(f"{monthly.number},paid,Dana,Reyes,dana@example.com,,,,,,,,no,50.00,1.75,51.75,0.00,USD,monthly,")
    assert ",'=1+1," in lines[1]


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    fundraiser = make_fundraiser(make_campaign())

    def statements() -> int:
        stored(recurring=stored_recurring(), period=today(), campaign=fundraiser.campaign, fundraiser=fundraiser)
        admin_client.get(DONATIONS)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(DONATIONS).status_code == 200
        return len(caught)

    few = statements()
    statements()
    assert statements() <= few


def test_buttons_are_offered_where_they_work(admin_client: Client) -> None:
    offered: dict[str, set[str]] = {
        "pending": set(),
        "failed": set(),
        "paid": {"send-receipt", "refund"},
        "refunded": {"send-receipt"},
    }
    for status, actions in offered.items():
        donation = stored(status)
        page = admin_client.get(f"{DONATIONS}inspect/{donation.pk}/").content.decode()
        found = {action for action in ("send-receipt", "refund") if f"{DONATIONS}{action}/{donation.pk}/" in page}
        assert found == actions, status
        assert ("Receipt (PDF)" in page) == bool(donation.paid_at)


def test_a_refund_and_a_receipt(admin_client: Client, django_capture_on_commit_callbacks: Any) -> None:
    donation = stored()
    path = f"{DONATIONS}refund/{donation.pk}/"
    assert 'value="50.00"' in admin_client.get(path).content.decode()
    assert admin_client.post(path, {"amount_cents": "51", "most_cents": "5000"}).status_code == 422
    values = {"amount_cents": "20", "most_cents": "5000", "reason": "Asked for it"}
    assert button_of(admin_client.post(path, values)) == "Refund $20.00"
    assert not Refund.objects.exists()
    for _ in range(2):
        # The second one was typed while the page said that 50.00 were left.
        with django_capture_on_commit_callbacks(execute=True):
            post_twice(admin_client, path, values)
    donation.refresh_from_db()
    assert (donation.status, donation.refunded_cents) == ("paid", 2000)
    page = admin_client.get(f"{DONATIONS}inspect/{donation.pk}/").content.decode()
    assert "$20.00, succeeded: Asked for it" in page
    assert admin_client.post(f"{DONATIONS}send-receipt/{donation.pk}/").status_code == 302
    assert OutgoingMail.objects.filter(template="donation_received").count() == 1


def test_documents(admin_client: Client) -> None:
    donation, unpaid = stored(), stored("pending")
    for name in ("receipt", "statement"):
        answer = admin_client.get(f"{DONATIONS}{name}/{donation.pk}/")
        assert answer.content.startswith(b"%PDF")
        assert "no-store" in answer["Cache-Control"]
        assert admin_client.get(f"{DONATIONS}{name}/{unpaid.pk}/").status_code == 404


@pytest.mark.both_databases
def test_statements_of_a_year(admin_client: Client) -> None:
    assert "There are no paid donations yet." in admin_client.get(STATEMENTS).content.decode()
    stored(email="one@example.com")
    stored(email="two@example.com")
    year = today().year
    page = admin_client.get(STATEMENTS)
    assert page.context["facts"]["Not sent yet"] == "2"
    assert f"{year} is not over" in page.content.decode()
    shown_at = page.context["entry_form"]["shown_at"].value()
    answer = admin_client.post(STATEMENTS, {"year": year, "shown_at": shown_at}, follow=True)
    assert f"2 statements for {year} will be emailed." in answer.content.decode()
    send_statements()
    assert EmailedStatement.objects.filter(sent_at__isnull=False).count() == 2
    answer = admin_client.post(STATEMENTS, {"year": year, "shown_at": shown_at, "again": "on"}, follow=True)
    assert "All donors have been sent" in answer.content.decode()
    shown_at = answer.context["entry_form"]["shown_at"].value()
    answer = admin_client.post(STATEMENTS, {"year": year, "shown_at": shown_at, "again": "on"}, follow=True)
    assert "2 statements" in answer.content.decode()
    for hostile in ({"year": "x"}, {"year": "1999"}, {"year": "\0"}):
        assert admin_client.get(STATEMENTS, hostile).status_code == 404
        assert admin_client.post(STATEMENTS, {**hostile, "shown_at": shown_at}).status_code == 302
    assert admin_client.post(STATEMENTS, {"year": year, "shown_at": "\0"}).status_code == 302


def test_who_may_do_what(client: Client) -> None:
    donation = paid_donation()
    paths = (
        DONATIONS,
        STATEMENTS,
        *(f"{DONATIONS}{page}/{donation.pk}/" for page in ("inspect", "receipt", "statement", "refund")),
    )
    client.force_login(people.bob())
    for path in paths:
        assert client.get(path).status_code == 302, path
    client.force_login(people.mallory_manager())
    assert {client.get(path).status_code for path in (DONATIONS, STATEMENTS)} == {200}
