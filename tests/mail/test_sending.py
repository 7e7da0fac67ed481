"""Mails as they arrive at a mail server, and the handling of mails that the server refuses."""

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core.jobs import run_all_jobs
from cms_api.core.module import Block
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.log import resend
from cms_api.mail.services.sending import LEASE, SENDING, send_due
from cms_api.mail.types import RETRY_DELAYS, Attachment

from .conftest import Write
from .postoffice import PostOffice, post_office

pytestmark = pytest.mark.django_db


def make_due() -> None:
    OutgoingMail.objects.filter(state="waiting").update(next_attempt_at=timezone.now())


def wait_of(mail: OutgoingMail) -> float:
    mail.refresh_from_db()
    assert mail.next_attempt_at is not None
    return (mail.next_attempt_at - timezone.now()).total_seconds()


@pytest.mark.both_databases
def test_it_works(write: Write, office: PostOffice, settings: Any) -> None:
    """Text and HTML as alternatives, the attachment beside them, and headers that a reader understands."""
    settings.DEFAULT_FROM_EMAIL = "office@example.org"
    invite = Attachment("Einladung für Ann.ics", "BEGIN:VCALENDAR\r\nSUMMARY:Café\r\n".encode(), "text/calendar; method=REQUEST")
    mail = write(
        '"Müller, Ann \\"M\\"" <Ann@Example.com>',
        context={"name": "Änn", "note": "Grüße <b>\nund mehr", "answers": Block("Farbe: rot", "<p>Farbe: rot</p>")},
        reply_to="Doe, Jane <jane@bücher.example>",
        headers={"List-Unsubscribe": "<https://example.org/unsubscribe>"},
        attachments=[invite],
    )
    assert send_due().attempts == 1
    mail.refresh_from_db()
    assert (mail.state, mail.attempts, mail.failures, mail.error, mail.next_attempt_at) == ("sent", 1, 0, "", None)
    assert mail.finished_at is not None
    (taken,) = office.taken
    assert (taken.sender, taken.recipients) == ("office@example.org", ["ann@example.com"])
    message = taken.message
    assert message["Subject"] == "My site: hello Änn"
    (to,) = message["To"].addresses
    assert (to.display_name, to.addr_spec) == ('Müller, Ann "M"', "ann@example.com")
    (sender,) = message["From"].addresses
    assert (sender.display_name, sender.addr_spec) == ("My site", "office@example.org")
    (reply_to,) = message["Reply-To"].addresses
    assert (reply_to.display_name, reply_to.addr_spec) == ("Doe, Jane", "jane@xn--bcher-kva.example")
    assert message["List-Unsubscribe"] == "<https://example.org/unsubscribe>"
    assert message["Message-ID"] == mail.message_id
    assert mail.message_id.endswith("@example.org>")
    assert message["Auto-Submitted"] == "auto-generated"
    assert abs(message["Date"].datetime - mail.created_at) < dt.timedelta(seconds=1)
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds == ["multipart/mixed", "multipart/alternative", "text/plain", "text/html", "text/calendar"]
    text, html = taken.part("text/plain"), taken.part("text/html")
    for words in ("Hello Änn!", "Grüße <b>\nund mehr", "Farbe: rot", "Go on: https://example.org/go?a=1&b=2", "My site"):
        assert words in text.replace("\r\n", "\n")
    for words in ("<strong>Änn</strong>", "Grüße &lt;b&gt;<br>und mehr", "<p>Farbe: rot</p>", "go?a=1&amp;b=2", "My site"):
        assert words in html
    (attached,) = message.iter_attachments()
    assert attached.get_filename() == "Einladung für Ann.ics"
    assert attached.get_content_disposition() == "attachment"
    assert attached["Content-Type"].params["method"] == "REQUEST"
    assert attached.get_payload(decode=True) == invite.content
    assert max(map(len, taken.content.splitlines())) < 998


@pytest.mark.both_databases
def test_the_domain_is_that_of_the_current_standard(write: Write, office: PostOffice) -> None:
    """Django's own standard would send it to `strasse.example`."""
    write("Ann <ann@straße.example>", reply_to="jane@straße.example")
    assert send_due().attempts == 1
    (taken,) = office.taken
    assert taken.recipients == ["ann@xn--strae-oqa.example"]
    assert taken.message["To"].addresses[0].addr_spec == "ann@xn--strae-oqa.example"
    assert taken.message["Reply-To"].addresses[0].addr_spec == "jane@xn--strae-oqa.example"


@pytest.mark.both_databases
def test_many_go_over_one_connection_in_their_order(write: Write, office: PostOffice) -> None:
    for number in range(120):
        write(f"person{number}@example.com")
    assert send_due().attempts == 120
    assert [taken.recipients for taken in office.taken] == [[f"person{number}@example.com"] for number in range(120)]
    assert office.connections == 1
    assert send_due().attempts == 0


def test_a_passing_refusal_is_tried_again(write: Write, office: PostOffice) -> None:
    mail = write()
    office.refuse_recipient = lambda address: "450 4.2.1 Greylisted, come back later"
    send_due()
    assert wait_of(mail) == pytest.approx(60, abs=20)
    assert (mail.state, mail.failures, mail.attempts) == ("waiting", 1, 1)
    assert mail.error == "The recipient was refused: 450 4.2.1 Greylisted, come back later"
    assert send_due().attempts == 0
    office.refuse_recipient = lambda address: ""
    make_due()
    send_due()
    mail.refresh_from_db()
    assert (mail.state, mail.attempts, mail.failures, mail.error, len(office.taken)) == ("sent", 2, 1, "", 1)


def test_the_retries_and_their_end(write: Write, office: PostOffice) -> None:
    mail = write()
    office.refuse_message = lambda: "451 4.3.0 Trouble"
    for number, minutes in enumerate((1, 5, 30, 120, 480), start=1):
        assert send_due().attempts == 1
        assert wait_of(mail) == pytest.approx(minutes * 60, abs=20)
        assert (mail.state, mail.attempts, mail.failures) == ("waiting", number, number)
        make_due()
    send_due()
    mail.refresh_from_db()
    assert (mail.state, mail.attempts, mail.next_attempt_at) == ("failed", len(RETRY_DELAYS) + 1, None)
    assert mail.finished_at is not None
    assert mail.error == "The mail was refused: 451 4.3.0 Trouble"
    assert send_due().attempts == 0


@pytest.mark.parametrize("where", ["refuse_recipient", "refuse_message"])
def test_a_lasting_refusal_fails_at_once_and_holds_nobody_up(write: Write, office: PostOffice, where: str) -> None:
    refused, other = write("nobody@example.com"), write("ann@example.com")
    answers = ["550 5.1.1 No such user here", ""]
    setattr(office, where, lambda *_: answers.pop(0))
    assert send_due().attempts == 2
    refused.refresh_from_db()
    other.refresh_from_db()
    assert (refused.state, refused.attempts, refused.next_attempt_at) == ("failed", 1, None)
    assert "refused: 550 5.1.1 No such user here" in refused.error
    assert (other.state, [taken.recipients for taken in office.taken]) == ("sent", [["ann@example.com"]])


def test_a_server_that_is_down(write: Write, office: PostOffice, settings: Any) -> None:
    """One mail finds out, and the round is over; the others lose nothing by it, and all go out when it is back."""
    settings.EMAIL_PORT = 1
    first, second = write("a@example.com"), write("b@example.com")
    found = send_due()
    assert (found.attempts, found.reachable) == (1, False)
    assert wait_of(first) == pytest.approx(60, abs=20)
    second.refresh_from_db()
    assert (first.failures, first.attempts, second.failures, second.attempts) == (1, 1, 0, 0)
    assert first.error.startswith("The mail server cannot be reached: ")
    settings.EMAIL_PORT = office.port
    make_due()
    assert send_due().attempts == 2
    assert set(OutgoingMail.objects.values_list("state", flat=True)) == {"sent"}


def test_a_server_that_hangs_up_in_the_midst(write: Write, settings: Any, office: PostOffice) -> None:
    """The next mail gets a connection of its own."""
    write("a@example.com")
    write("b@example.com")
    answers = ["421 4.3.2 Shutting down", ""]
    office.refuse_recipient = lambda address: answers.pop(0)
    assert send_due().attempts == 2
    assert (len(office.taken), office.connections) == (1, 2)
    assert OutgoingMail.objects.get(state="waiting").error == "The recipient was refused: 421 4.3.2 Shutting down"


def test_an_attempt_whose_worker_died_is_made_again_with_the_same_id(
    write: Write, office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not before the lease is over. It counts as an attempt, not as a failure."""
    mail = write()

    class Dying(Exception):
        pass

    def succeed(*_: Any, **__: Any) -> None:
        raise Dying

    monkeypatch.setattr("cms_api.core.queues.succeed", succeed)
    with pytest.raises(Dying):
        send_due()
    monkeypatch.undo()
    mail.refresh_from_db()
    assert (mail.state, mail.attempts, mail.failures, len(office.taken)) == ("waiting", 1, 0, 1)
    assert wait_of(mail) == pytest.approx(60, abs=30)
    assert send_due().attempts == 0
    make_due()
    assert send_due().attempts == 1
    mail.refresh_from_db()
    assert (mail.state, mail.attempts, mail.lost) == ("sent", 2, 0)
    first, second = office.taken
    assert first.message["Message-ID"] == second.message["Message-ID"] == mail.message_id
    assert first.message["Date"] == second.message["Date"]


@pytest.mark.parametrize("is_sent", [True, False])
def test_an_earlier_state_is_not_sent_after_a_later_one(write: Write, office: PostOffice, is_sent: bool) -> None:
    """The attempt of the first was interrupted: it may have been sent."""
    first = write(about="rsvp:7")
    OutgoingMail.objects.update(attempts=1, lost=1, next_attempt_at=timezone.now() + LEASE)
    later = write(about="rsvp:7")
    others = [write("ben@example.com", about="rsvp:7"), write(about="rsvp:8"), write()]
    if is_sent:
        assert send_due().attempts == 4
    make_due()
    send_due()
    states = [each.state for each in OutgoingMail.objects.order_by("pk")]
    assert states == ["replaced" if is_sent else "sent", *["sent"] * 4]
    assert len(office.taken) == (4 if is_sent else 5)
    first.refresh_from_db()
    assert first.next_attempt_at is None
    assert [later.pk, *(each.pk for each in others)] == sorted(each.pk for each in OutgoingMail.objects.exclude(pk=first.pk))


def test_a_mail_that_kills_every_worker_is_given_up(write: Write, office: PostOffice) -> None:
    mail = write()
    OutgoingMail.objects.update(attempts=SENDING.max_lost, lost=SENDING.max_lost)
    send_due()
    mail.refresh_from_db()
    assert (mail.state, mail.error) == ("failed", "Too many attempts were interrupted.")
    assert office.connections == 0


def test_a_failed_mail_is_sent_again_by_hand_with_all_its_retries(write: Write, office: PostOffice) -> None:
    mail = write()
    assert not resend(mail=mail)
    OutgoingMail.objects.update(state="failed", failures=6, attempts=6, next_attempt_at=None)
    assert resend(mail=mail)
    assert not resend(mail=mail)
    office.refuse_message = lambda: "451 Later"
    send_due()
    assert wait_of(mail) == pytest.approx(60, abs=20)
    office.refuse_message = lambda: ""
    make_due()
    send_due()
    mail.refresh_from_db()
    assert (mail.state, mail.attempts, len(office.taken)) == ("sent", 8, 1)


def test_a_host_without_a_worker_sends_with_its_periodic_jobs(write: Write, office: PostOffice) -> None:
    write()
    assert "send_mail" in run_all_jobs()
    assert len(office.taken) == 1


def test_a_mail_that_cannot_be_made_is_no_end_of_the_others(
    write: Write, office: PostOffice, caplog: pytest.LogCaptureFixture
) -> None:
    broken = write("a@example.com")
    write("b@example.com")
    OutgoingMail.objects.filter(pk=broken.pk).update(sender="two\nlines")
    assert send_due().attempts == 2
    broken.refresh_from_db()
    assert (broken.state, broken.failures) == ("waiting", 1)
    assert broken.error.startswith("The mail could not be sent: ")
    assert len(office.taken) == 1


def test_a_server_that_wants_a_password(write: Write, settings: Any) -> None:
    """The site's own setting is wrong: no fault of the mail."""
    with post_office() as office:
        settings.EMAIL_BACKEND = "cms_api.mail.services.smtp_backend.SmtpBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", office.port
        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "site", "wrong"
        mail = write()
        assert not send_due().reachable
    mail.refresh_from_db()
    assert (mail.state, mail.failures) == ("waiting", 1)


@pytest.mark.parametrize(
    ("submitted", "header"), [("", None), ("auto-replied", "auto-replied"), ("auto-generated", "auto-generated")]
)
def test_the_mark_of_automatic_mail(write: Write, office: PostOffice, submitted: str, header: str | None) -> None:
    write(auto_submitted=submitted)
    send_due()
    (taken,) = office.taken
    assert (taken.message["Auto-Submitted"], taken.sender) == (submitted or None, "webmaster@example.com")


def test_an_envelope_without_a_sender(write: Write, office: PostOffice) -> None:
    mail = write(null_sender=True)
    send_due()
    (taken,) = office.taken
    mail.refresh_from_db()
    # So the library writes it.
    assert (taken.sender, taken.recipients, mail.state) == ("<>", ["ann@example.com"], "sent")
    assert taken.message["From"].addresses[0].addr_spec == "webmaster@example.com"


@pytest.mark.parametrize("answer", ["550 Sender <> is refused", "501 Bad sender"])
def test_a_server_that_demands_a_sender_gets_one(write: Write, office: PostOffice, answer: str) -> None:
    office.refuse_sender = lambda address: answer if address == "<>" else ""
    write(null_sender=True)
    send_due()
    assert [taken.sender for taken in office.taken] == ["webmaster@example.com"]


def test_a_refused_recipient_of_an_envelope_without_a_sender_is_final(write: Write, office: PostOffice) -> None:
    office.refuse_recipient = lambda address: "550 No such user"
    mail = write(null_sender=True)
    send_due()
    mail.refresh_from_db()
    assert (mail.state, mail.error) == ("failed", "The recipient was refused: 550 No such user")
