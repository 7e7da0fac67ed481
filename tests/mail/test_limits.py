"""Mail that visitors cause to addresses that may be a stranger's: one budget a mailbox, and the last state of a record."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory
from django.utils import timezone

from cms_api.accounts.services import create_member
from cms_api.http.current import answering
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services import unconfirmed
from cms_api.mail.services.log import resend, resend_failed
from cms_api.mail.services.sending import OVER_BUDGET, send_due
from cms_api.mail.services.unconfirmed import MAILBOX_MAILS_PER_DAY, MAILBOX_MAILS_PER_HOUR, RECORD_MAILS_PER_HOUR, declare_paid
from cms_api.mail.types import Visitor
from tests import people
from tests.client import together
from tests.conftest import renew_budgets

from .conftest import Write
from .postoffice import PostOffice

pytestmark = pytest.mark.django_db


@contextmanager
def visiting(user: Any = None) -> Iterator[None]:
    request = RequestFactory().post("/")
    request.user = user or AnonymousUser()
    with answering(request):
        yield


def states() -> list[str]:
    return list(OutgoingMail.objects.order_by("pk").values_list("state", flat=True))


def windows_end(monkeypatch: pytest.MonkeyPatch) -> None:
    renew_budgets(monkeypatch)
    OutgoingMail.objects.filter(state="waiting").update(next_attempt_at=timezone.now())


@pytest.mark.both_databases
def test_it_works(write: Write, office: PostOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mails over the budget of a mailbox, in all its spellings, are sent when the window has ended."""
    with visiting():
        for number in range(MAILBOX_MAILS_PER_HOUR + 2):
            write(f"Ann+{number}@example.com")
        write("ben@example.com")
    send_due()
    assert len(office.taken) == MAILBOX_MAILS_PER_HOUR + 1
    delayed = OutgoingMail.objects.filter(state="waiting", error=OVER_BUDGET)
    assert [mail.recipient for mail in delayed.order_by("pk")] == ["ann+10@example.com", "ann+11@example.com"]
    windows_end(monkeypatch)
    send_due()
    assert len(office.taken) == MAILBOX_MAILS_PER_HOUR + 3


def test_gmail_ignores_dots_and_has_two_domains(write: Write, office: PostOffice) -> None:
    spellings = [
        f"{'annlee'[:place]}.{'annlee'[place:]}@{domain}" for place in range(1, 6) for domain in ("gmail.com", "googlemail.com")
    ]
    with visiting():
        for address in [*spellings, "annlee@gmail.com", "Ann.Lee+x@GMail.com"]:
            write(address)
        for place in range(1, 6):
            write(f"{'annlee'[:place]}.{'annlee'[place:]}@example.com")
    send_due()
    assert len(office.taken) == MAILBOX_MAILS_PER_HOUR + 5


def test_a_day_is_limited(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unconfirmed, "MAILBOX_MAILS_PER_HOUR", 1000)
    with visiting():
        for _ in range(MAILBOX_MAILS_PER_DAY + 5):
            write()
    send_due()
    assert states().count("sent") == MAILBOX_MAILS_PER_DAY


def test_changes_of_a_record_become_one_mail(write: Write, office: PostOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(50):
        with visiting():
            write(context={"name": str(number)}, about="booking:7")
        send_due()
    assert len(office.taken) == RECORD_MAILS_PER_HOUR
    assert states() == ["sent"] * RECORD_MAILS_PER_HOUR + ["replaced"] * (49 - RECORD_MAILS_PER_HOUR) + ["waiting"]
    windows_end(monkeypatch)
    send_due()
    assert str(office.taken[-1].message["Subject"]).endswith("hello 49")
    assert len(office.taken) == RECORD_MAILS_PER_HOUR + 1


def test_what_staff_do_replaces_what_waits(write: Write) -> None:
    with visiting():
        for _ in range(RECORD_MAILS_PER_HOUR + 1):
            write(about="booking:7")
            send_due()
    write(about="booking:7")
    send_due()
    assert states() == ["sent"] * RECORD_MAILS_PER_HOUR + ["replaced", "sent"]


def test_other_records_and_others_mails_are_not_replaced(write: Write) -> None:
    with visiting():
        write(about="booking:7")
        write(about="booking:8")
        write("ben@example.com", about="booking:7")
        write()
        write()
    assert states() == ["waiting"] * 5


def test_who_is_not_limited(write: Write) -> None:
    """Staff, machines, what was paid for, and an account with this confirmed address; not one with another."""
    member = create_member(email="ann@example.com", password=people.PASSWORD)
    with visiting(member):
        own, others = write("ANN@example.com"), write("ben@example.com")
    with visiting(people.alice()):
        staff = write()
    with visiting(), declare_paid():
        bought = write()
    machine, stranger = write(), write(entered_by=Visitor())
    assert [mail.is_limited for mail in (own, others, staff, bought, machine, stranger)] == [
        False,
        True,
        False,
        False,
        False,
        True,
    ]


def test_an_address_that_was_entered_earlier(write: Write) -> None:
    """In a job, the account that entered it has confirmed this address, or another, or there is none; payments change nothing."""
    member = create_member(email="ann@example.com", password=people.PASSWORD)
    entered = [("Ann@example.com", member), ("ben@example.com", member), ("ann@example.com", None)]
    with declare_paid():
        mails = [write(address, entered_by=Visitor(user)) for address, user in entered]
    assert [mail.is_limited for mail in mails] == [False, True, True]


@pytest.mark.both_databases
def test_staff_send_one_at_once(write: Write) -> None:
    with visiting():
        mails = [write() for _ in range(MAILBOX_MAILS_PER_HOUR + 1)]
    send_due()
    assert resend(mail=mails[-1])
    send_due()
    assert states() == ["sent"] * len(mails)
    assert not resend(mail=mails[-1])


def test_a_flood_that_has_failed_is_not_sent_with_the_rest(write: Write) -> None:
    for is_limited in (True, False):
        mail = write()
        OutgoingMail.objects.filter(pk=mail.pk).update(state="failed", is_limited=is_limited)
    assert resend_failed() == 1


@pytest.mark.django_db(transaction=True)
class TestRace:
    WORKERS = 8

    def race(self, write: Write, office: PostOffice) -> int:
        with visiting():
            for _ in range(3 * MAILBOX_MAILS_PER_HOUR):
                write()
        together(lambda _: send_due(), self.WORKERS)
        return len(office.taken)

    def test_it_works(self, write: Write, office: PostOffice) -> None:
        assert self.race(write, office) == MAILBOX_MAILS_PER_HOUR

    def test_without_the_budget_there_would_be_many(
        self, write: Write, office: PostOffice, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The positive control."""
        monkeypatch.setattr("cms_api.mail.services.sending._admit", lambda mail: None)
        assert self.race(write, office) == 3 * MAILBOX_MAILS_PER_HOUR
