"""Periodic work: reminders, tickets that are closed by themselves, old emails and stray files."""

from collections.abc import Callable
from datetime import datetime

import pytest

from cms_api.flags.services import set_setting
from cms_api.media.services.private import PrivateFolder
from commerce.support.models import PrivateFiles, ReceivedMail, Ticket
from commerce.support.services import files as file_services
from commerce.support.services import reply_as_customer, reply_as_staff, set_status
from commerce.support.services.housekeeping import close_tickets, drop_old_mail, nudge_requesters
from tests.commerce.shop.outcomes import kinds

from .builders import log_of, make_mail, make_ticket, receive, sent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
Clock = Callable[..., datetime]


def run() -> None:
    nudge_requesters()
    close_tickets()


def statuses() -> list[str]:
    return list(Ticket.objects.order_by("pk").values_list("status", flat=True))


@pytest.mark.both_databases
def test_it_works(clock: Clock) -> None:
    ticket = make_ticket()
    reply_as_staff(ticket=ticket, message="Which one?")
    clock(days=2, hours=23)
    run()
    assert sent("support_nudge") == []
    clock(hours=1)
    for _ in range(2):
        run()
    (mail,) = sent("support_nudge")
    assert (mail.auto_submitted, mail.null_sender, mail.recipient) == ("auto-generated", True, "dana@example.com")
    assert statuses() == ["pending"]
    clock(days=7)
    run()
    assert (statuses(), kinds("ticket.")) == (["closed"], ["ticket.created", "ticket.closed"])
    assert log_of(ticket) == ["open", "pending", "closed"]


def test_an_answer_of_either_begins_again(clock: Clock) -> None:
    ticket = make_ticket()
    reply_as_staff(ticket=ticket, message="Which one?")
    clock(days=3)
    run()
    reply_as_staff(ticket=ticket, message="Hello?")
    clock(days=2)
    run()
    assert len(sent("support_nudge")) == 1
    clock(days=1)
    run()
    assert len(sent("support_nudge")) == 2
    reply_as_customer(ticket=ticket, message="The left one.")
    clock(days=30)
    run()
    assert (statuses(), len(sent("support_nudge"))) == (["open"], 2)


def test_nobody_is_reminded_of_what_nobody_asked(clock: Clock) -> None:
    make_ticket(status="pending")
    reply_as_staff(ticket=make_ticket(), message="Note.", internal=True)
    clock(days=30)
    run()
    assert (statuses(), sent("support_nudge")) == (["pending", "open"], [])


def test_resolved_tickets_are_closed(clock: Clock) -> None:
    ticket, reopened, spam = make_ticket(status="resolved"), make_ticket(status="resolved"), make_ticket(spam_reason="Offers.")
    set_status(ticket=spam, status="resolved")
    reply_as_customer(ticket=reopened, message="No.")
    clock(days=6, hours=23)
    run()
    assert statuses() == ["resolved", "open", "resolved"]
    clock(hours=1)
    run()
    assert statuses() == ["closed", "open", "closed"]
    assert kinds("ticket.").count("ticket.closed") == 1
    assert ticket.pk


@pytest.mark.parametrize("days", [0, -5])
def test_it_can_be_switched_off(clock: Clock, days: int) -> None:
    for key in ("support.nudge_days", "support.close_days"):
        set_setting(key=key, value=days)
    reply_as_staff(ticket=make_ticket(), message="Which one?")
    make_ticket(status="resolved")
    clock(days=3000)
    run()
    assert (statuses(), sent("support_nudge")) == (["pending", "resolved"], [])


def test_emails_without_a_ticket_are_dropped_in_time(clock: Clock) -> None:
    receive(make_mail("Hello."))
    receive(make_mail("Loop.", from_="support@help.example"))
    clock(days=89)
    drop_old_mail()
    assert ReceivedMail.objects.count() == 2
    clock(days=2)
    drop_old_mail()
    assert [each.outcome for each in ReceivedMail.objects.all()] == ["opened"]
    assert PrivateFiles().exists(ReceivedMail.objects.get().original.name)


@pytest.mark.both_databases
def test_stray_files_are_deleted(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    receive(make_mail("Hello."))
    (name,) = ReceivedMail.objects.values_list("original", flat=True)
    monkeypatch.setattr(PrivateFolder, "modified_before", lambda storage, moment: [name, "stray"])
    deleted: list[str] = []
    monkeypatch.setattr(PrivateFolder, "delete", lambda storage, each: deleted.append(each))
    assert file_services.clear_stray_files() == 1
    assert deleted == ["stray"]
