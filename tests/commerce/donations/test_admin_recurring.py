"""Recurring donations in the admin: the list, the page of one, and its buttons."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.donations.models import RecurringDonation
from commerce.donations.selectors.donations import today
from tests import people

from .admin_builders import stored, stored_recurring
from .builders import make_campaign

RECURRING = "/admin/donations/recurring/"
OFFERED = {
    "pending": {"change-amount", "cancel"},
    "active": {"pause", "change-amount", "cancel"},
    "past_due": {"pause", "change-amount", "cancel"},
    "paused": {"resume", "change-amount", "cancel"},
    "cancelled": set(),
}
LEADS_TO = {"pause": "paused", "resume": "active", "cancel": "cancelled"}


def test_it_works(admin_client: Client) -> None:
    recurring = stored_recurring(campaign=make_campaign(), fee_cover_cents=175, phone="802 555")
    stored(recurring=recurring, period=today(), frequency="monthly")
    page = admin_client.get(f"{RECURRING}inspect/{recurring.pk}/").content.decode()
    for words in ("$51.75 a month", "Visa •••• 4242", "A kiln for the mill", "802 555", "DON-1001", "/donations/manage/"):
        assert words in page, words


@pytest.mark.parametrize("status", OFFERED)
def test_buttons_move_it_or_are_refused(status: str, admin_client: Client) -> None:
    recurring = stored_recurring(status)
    page = admin_client.get(f"{RECURRING}inspect/{recurring.pk}/").content.decode()
    actions = (*LEADS_TO, "change-amount")
    assert {each for each in actions if f"{RECURRING}{each}/{recurring.pk}/" in page} == OFFERED[status]
    before = RecurringDonation.objects.filter(pk=recurring.pk).values().get()
    for action, reached in LEADS_TO.items():
        admin_client.post(f"{RECURRING}{action}/{recurring.pk}/")
        found = RecurringDonation.objects.filter(pk=recurring.pk)
        assert found.get().status == (reached if action in OFFERED[status] else status)
        found.update(**before)


def test_what_is_sent_unchanged_stays(admin_client: Client) -> None:
    """The fee was another one."""
    recurring = stored_recurring(fee_cover_cents=175)
    path = f"{RECURRING}change-amount/{recurring.pk}/"
    for offers_cover, sent in ((True, {"covers_fee": "on"}), (False, {})):
        set_setting(key="donations.offer_fee_cover", value=offers_cover)
        admin_client.post(path, {"amount_cents": "50.00", **sent})
        recurring.refresh_from_db()
        assert (recurring.amount_cents, recurring.fee_cover_cents) == (5000, 175)


def test_the_amount_is_changed(admin_client: Client) -> None:
    recurring = stored_recurring(fee_cover_cents=175)
    path = f"{RECURRING}change-amount/{recurring.pk}/"
    page = admin_client.get(path).content.decode()
    for words in ('value="50.00"', "Amount a month", "$1.75 at the present amount", "The donor gets an email"):
        assert words in page, words
    assert admin_client.post(path, {"amount_cents": "0.10"}).status_code == 422
    answer = admin_client.post(path, {"amount_cents": "80"}, follow=True)
    assert "Dana Reyes now donates $80.00 a month." in answer.content.decode()
    recurring.refresh_from_db()
    assert (recurring.amount_cents, recurring.fee_cover_cents) == (8000, 0)
    assert OutgoingMail.objects.filter(template="donation_changed", recipient=recurring.email).exists()
    admin_client.post(path, {"amount_cents": "100", "covers_fee": "on"})
    recurring.refresh_from_db()
    assert (recurring.amount_cents, recurring.fee_cover_cents) == (10_000, 330)
    set_setting(key="donations.offer_fee_cover", value=False)
    assert "covers_fee" not in admin_client.get(path).content.decode()


def test_the_list_and_its_file(admin_client: Client) -> None:
    active, paused = stored_recurring(), stored_recurring("paused", frequency="yearly", email="ruth@example.com")

    def shown(**query: str) -> list[RecurringDonation]:
        return list(admin_client.get(RECURRING, query).context["object_list"])

    assert set(shown()) == {active, paused}
    assert shown(status="paused") == [paused]
    assert shown(frequency="monthly") == [active]
    assert shown(next_on_from=str(today())) == [active]
    lines = admin_client.get(RECURRING, {"export": "csv", "status": "paused"}).getvalue().decode().splitlines()
    assert lines[1].startswith("paused,Dana,Reyes,ruth@example.com,,50.00,0.00,50.00,USD,yearly,,,,Visa •••• 4242,")


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    campaign = make_campaign()

    def statements() -> int:
        stored_recurring(campaign=campaign)
        admin_client.get(RECURRING)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(RECURRING).status_code == 200
        return len(caught)

    few = statements()
    statements()
    assert statements() <= few


def test_editors_are_kept_out(client: Client) -> None:
    recurring = stored_recurring()
    client.force_login(people.bob())
    for path in (RECURRING, f"{RECURRING}inspect/{recurring.pk}/", f"{RECURRING}cancel/{recurring.pk}/"):
        assert client.get(path).status_code == 302
    client.post(f"{RECURRING}cancel/{recurring.pk}/")
    recurring.refresh_from_db()
    assert recurring.status == "active"
