"""The mail that strangers can cause with RSVPs: one per address, event and hour, and nothing of their own text in it."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from cms_api.accounts.services import create_member
from cms_api.content.services.items import unpublish_item, update_item
from cms_api.mail.models import MailAttachment, OutgoingMail
from cms_api.mail.services.sending import OVER_BUDGET, send_due
from cms_api.mail.services.unconfirmed import MAILBOX_MAILS_PER_HOUR
from events.models import Rsvp
from events.services.mails import send_postponed_mails
from events.services.rsvps import cancel
from tests import people
from tests.client import together
from tests.conftest import renew_budgets

from .guests import GOOD, WEEKLY, mails, make_event, soon, starts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]

BAIT = "Win a prize at evil example"


def post(event: Any, *, client: Client | None = None, **changes: Any) -> None:
    answer = (client or Client()).post(f"/events/{event.slug}/rsvp", {**GOOD, **changes})
    assert answer.status_code == 303, answer.content


def an_hour_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    renew_budgets(monkeypatch)
    Rsvp.objects.exclude(mail_due_at=None).update(mail_due_at=timezone.now())


def test_strangers_get_one_mail_each() -> None:
    event = make_event()
    for size in range(5):
        for number in range(4):
            post(event, email=f"stranger{number}@example.org", name=BAIT, party_size=str(size + 1))
    assert len(mails()) == 4
    assert set(Rsvp.objects.values_list("party_size", flat=True)) == {5}


def test_the_senders_text_is_in_no_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_event()
    post(event, name=BAIT)
    post(event, name=BAIT, party_size="3")
    an_hour_passes(monkeypatch)
    send_postponed_mails()
    cancel(rsvp=Rsvp.objects.get())
    assert [mail.template for mail in OutgoingMail.objects.order_by("id")] == ["event_rsvp", "event_rsvp", "event_rsvp_cancelled"]
    for mail in OutgoingMail.objects.all():
        (file,) = MailAttachment.objects.filter(mail=mail)
        folded = bytes(file.content).replace(b"\r\n ", b"").decode()
        for text in (mail.subject, mail.text, mail.html, mail.recipient_name, mail.to, mail.reply_to, str(mail.headers), folded):
            assert "prize" not in text
        assert mail.text.startswith("Hello,\n")
        assert "<p>Hello,</p>" in mail.html
        assert "CN=dana@example.org" in folded
    assert Rsvp.objects.get().name == BAIT


def test_a_correction_is_mailed_when_the_hour_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_event()
    for size in "245":
        post(event, party_size=size)
    send_postponed_mails()
    assert len(mails()) == 1
    an_hour_passes(monkeypatch)
    send_postponed_mails()
    send_postponed_mails()
    first, second = mails()
    assert "2 people" in first.text
    assert "5 people" in second.text
    assert Rsvp.objects.get().mail_due_at is None


def test_the_same_again_is_not_mailed_later(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_event()
    for _ in range(3):
        post(event)
    an_hour_passes(monkeypatch)
    send_postponed_mails()
    assert len(mails()) == 1


def test_the_dates_of_an_event_share_the_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them is mailed in the end, one an hour."""
    event = make_event(repeat=WEEKLY)
    for start in starts(event)[:3]:
        post(event, occurrence=start)
    for count in (1, 2, 3, 3):
        assert len(mails()) == count
        an_hour_passes(monkeypatch)
        send_postponed_mails()
        send_postponed_mails()
    assert len({mail.text for mail in mails()}) == 3


def test_a_member_who_is_signed_in_gets_every_mail(sign_in: Callable[[Any], Client]) -> None:
    """The address is theirs, and so is the name of the account."""
    member = create_member(email="dana@example.org", password=people.PASSWORD, name="Dana Reyes")
    event, client = make_event(), sign_in(member)
    for size in "25":
        post(event, client=client, party_size=size, name="D.", email="Dana@Example.org")
    assert [mail.recipient_name for mail in mails()] == ["Dana Reyes"] * 2
    assert mails()[1].text.startswith("Hello Dana Reyes,\n")
    assert "5 people" in mails()[1].text


def test_a_members_address_that_somebody_else_enters(sign_in: Callable[[Any], Client]) -> None:
    create_member(email="dana@example.org", password=people.PASSWORD, name="Dana Reyes")
    other = create_member(email="other@example.org", password=people.PASSWORD)
    event = make_event()
    for client in (Client(), sign_in(other)):
        for size in "25":
            post(event, client=client, party_size=size, name=BAIT)
    (mail,) = mails()
    assert mail.text.startswith("Hello Dana Reyes,\n")
    assert "prize" not in mail.to


def test_an_unconfirmed_account_is_no_proof(sign_in: Callable[[Any], Client]) -> None:
    member = create_member(email="dana@example.org", password=people.PASSWORD, name=BAIT)
    EmailAddress.objects.update(verified=False)
    event, client = make_event(), sign_in(member)
    for size in "25":
        post(event, client=client, party_size=size)
    (mail,) = mails()
    assert mail.text.startswith("Hello,\n")
    assert mail.recipient_name == ""


def test_each_event_has_an_hour_of_its_own() -> None:
    for event in (make_event(), make_event()):
        post(event)
    assert len(mails()) == 2


@pytest.mark.both_databases
def test_an_address_has_one_hour_in_all_its_spellings() -> None:
    event = make_event()
    for email in ("dana@bücher.example", "Dana@xn--bcher-kva.example"):
        post(event, email=email)
    assert len(mails()) == 1


def test_a_mailbox_gets_few_in_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.services.mails.MAILS_PER_DAY", 3)
    event = make_event()
    for number in range(5):
        post(event, email=f"dana+{number}@example.org")
    assert len(mails()) == 3
    waiting = Rsvp.objects.filter(mail_due_at__gt=timezone.now() + dt.timedelta(hours=20))
    assert waiting.count() == 2


def test_a_cancelled_reply_is_not_confirmed_later(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_event()
    post(event)
    post(event, party_size="7")
    cancel(rsvp=Rsvp.objects.get())
    an_hour_passes(monkeypatch)
    send_postponed_mails()
    assert [mail.template for mail in OutgoingMail.objects.order_by("id")] == ["event_rsvp", "event_rsvp_cancelled"]


def test_an_event_that_closes_meanwhile_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_event()
    post(event)
    post(event, party_size="7")
    unpublish_item(item=event)
    an_hour_passes(monkeypatch)
    send_postponed_mails()
    assert len(mails()) == 1
    assert Rsvp.objects.get().mail_due_at is None


def test_the_page_says_the_same_whether_a_mail_was_sent(client: Client) -> None:
    event = make_event()
    pages = []
    for size in "25":
        answer = client.post(f"/events/{event.slug}/rsvp", {**GOOD, "party_size": size})
        pages.append(client.get(answer.headers["Location"]).content.decode())
    assert pages[0] == pages[1]
    assert "at most one email an hour" in pages[0]


def test_the_first_mail_still_cancels(client: Client) -> None:
    event = make_event()
    post(event)
    post(event, party_size="7")
    path = mails()[0].text.partition("/events/rsvp/")[2].split()[0]
    assert client.post(f"/events/rsvp/{path}").status_code == 200
    assert Rsvp.objects.get().status == "cancelled"


@pytest.mark.both_databases
def test_notices_of_what_staff_change_share_the_budget_of_the_mailbox(sign_in: Callable[[Any], Client]) -> None:
    """Each date has an email of its own, and a stranger may have replied to all of them in somebody's name."""
    member = create_member(email="member@example.org", password=people.PASSWORD)
    event, client = make_event(repeat={**WEEKLY, "count": MAILBOX_MAILS_PER_HOUR + 2}), sign_in(member)
    for start in starts(event):
        post(event, occurrence=start)
        post(event, occurrence=start, client=client, email="member@example.org")
    OutgoingMail.objects.all().delete()
    renewed = {**event.data["event_date"], "start": soon(8)}
    update_item(item=event, values={"data": {"event_date": renewed}})
    send_postponed_mails()
    send_due()
    moved = OutgoingMail.objects.filter(template="event_moved")
    delayed = moved.filter(state="waiting", error=OVER_BUDGET)
    assert moved.count() == 2 * (MAILBOX_MAILS_PER_HOUR + 2)
    assert [mail.recipient for mail in delayed] == ["dana@example.org"] * 2


@pytest.mark.django_db(transaction=True)
class TestRace:
    THREADS = 12

    def race(self) -> int:
        event = make_event()
        together(lambda number: post(event, party_size=str(number % 20 + 1)), self.THREADS)
        return len(mails())

    def test_it_works(self) -> None:
        assert self.race() == 1

    def test_without_the_budget_there_would_be_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The positive control."""
        monkeypatch.setattr("events.services.mails._postponed_until", lambda rsvp: None)
        assert self.race() == self.THREADS
