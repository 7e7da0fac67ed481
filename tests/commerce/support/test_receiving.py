"""Received emails: the ticket that each belongs to, automatic ones, loops, bounces, and limits per sender."""

from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

import pytest

from cms_api.flags.services import set_setting
from cms_api.mail.services.messages import message as outgoing
from commerce.support.models import Attachment, MailKey, Message, ReceivedMail, Ticket
from commerce.support.selectors.addresses import reply_address
from commerce.support.selectors.tickets import public_messages
from commerce.support.services import assign_ticket, receive_mail, reply_as_staff, set_status
from commerce.support.services import receiving as receiving_services
from commerce.support.types.mail import NOBODY
from tests.commerce.shop.outcomes import kinds

from .builders import make_agent, make_mail, make_ticket, receive, sent, templates, thread

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("support")]


def reloaded(ticket: Ticket) -> Ticket:
    return Ticket.objects.get(pk=ticket.pk)


def answered() -> Ticket:
    """A pending ticket, whose requester has an answer."""
    ticket = make_ticket()
    reply_as_staff(ticket=ticket, message="Which one?")
    return reloaded(ticket)


@pytest.mark.both_databases
def test_it_works() -> None:
    received = receive(make_mail("It has no handle.\n\nDana", subject="=?utf-8?q?Caf=C3=A9_mug?="))
    ticket = received.ticket
    assert ticket is not None
    assert (received.outcome, received.sender, ticket.subject, ticket.channel) == (
        "opened",
        "dana@example.com",
        "Café mug",
        "email",
    )
    assert (ticket.name, ticket.email, thread(ticket)) == ("Dana Reyes", "dana@example.com", ["It has no handle.\n\nDana"])
    assert (templates(), kinds("ticket.")) == (["received"], ["ticket.created"])
    with received.original.open("rb") as original:
        assert b"It has no handle." in original.read()
    # The acknowledgement answers the email.
    assert sent()[0].headers["In-Reply-To"] == f"<{MailKey.objects.filter(is_sent=False).get().key}>"


@pytest.mark.both_databases
def test_an_email_is_received_once() -> None:
    mail = make_mail()
    first = receive(mail)
    again = b"Received: by other.example; Mon, 02 Mar 2026 09:00:00 +0000\r\n" + mail.as_bytes().replace(b"\n", b"\r\n")
    assert receive(again).pk == first.pk
    assert (Ticket.objects.count(), Message.objects.count(), ReceivedMail.objects.count()) == (1, 1, 1)
    # The same id in another email, by a program that repeats it, is no repetition.
    assert receive(make_mail("Another.", message_id=mail["message-id"])).pk != first.pk


@pytest.mark.both_databases
def test_emails_without_id_and_date_are_never_taken_for_one() -> None:
    for _ in range(2):
        receive(make_mail("Yes.", message_id=None, date=None))
    assert Message.objects.count() == 2


@pytest.mark.parametrize("by", ["to", "cc", "delivered_to", "command"])
def test_the_token_of_the_address_comes_first(by: str) -> None:
    ticket, other = answered(), make_ticket(email="ruth@example.com")
    address = reply_address(ticket).upper()
    headers: dict[str, Any] = {} if by == "command" else {by: address}
    mail = make_mail("The left one.", subject=f"Re: {other.number}", references=f"<{MailKey.objects.last().key}>", **headers)
    received = receive(mail, *([address] if by == "command" else []))
    assert (received.outcome, received.ticket, thread(ticket)[-1]) == ("replied", ticket, "The left one.")
    assert reloaded(ticket).status == "open"


def test_then_come_the_ids_newest_first() -> None:
    ticket, other = answered(), make_ticket(email="ruth@example.com")
    reply_as_staff(ticket=other, message="Hello Ruth.")
    ours, theirs = (mail.message_id for mail in sent("support_reply"))
    assert receive(make_mail("A.", in_reply_to=ours, references=theirs)).ticket == ticket
    assert receive(make_mail("B.", references=f"{theirs} <unknown@x> {ours}")).ticket == ticket
    # An answer to a received email, by somebody who got a copy.
    first = receive(make_mail("Received.", message_id="<first@mail.example.com>"))
    found = receive(make_mail("Copy.", in_reply_to="<first@mail.example.com>", from_="Eve <eve@example.net>"))
    assert found.ticket == first.ticket


@pytest.mark.both_databases
@pytest.mark.parametrize(("whose", "outcome"), [("ours", "looped"), ("theirs", "opened")])
def test_an_id_stays_that_of_its_first_email(whose: str, outcome: str) -> None:
    """Somebody in copy sends an email of their own with the id of one in the thread, which must not draw answers to it."""
    theirs = "<first@mail.example.com>"
    ticket = receive(make_mail("The left one.", message_id=theirs)).ticket
    assert ticket
    reply_as_staff(ticket=ticket, message="Hello Kim.")
    known = theirs if whose == "theirs" else sent("support_reply")[0].message_id
    foreign = receive(make_mail("Mine.", message_id=known, from_="Eve <eve@example.net>"))
    assert (foreign.outcome, foreign.ticket != ticket) == (outcome, True)
    assert receive(make_mail("An answer.", in_reply_to=known)).ticket == ticket


@pytest.fixture
def mail_server(settings: Any) -> Callable[..., dict[str, str]]:
    """The header of a mail server that is believed, with its results."""
    settings.SUPPORT_AUTHENTICATION_HOST = "mx.help.example"
    return lambda results, host="MX.help.example": {"Authentication-Results": f"{host}; {results}"}


def test_then_the_subject_if_the_sender_takes_part(mail_server: Callable[..., dict[str, str]]) -> None:
    ticket = answered()
    proof = mail_server("dmarc=pass (p=reject) header.from=example.com")
    found = receive(make_mail("The left one.", subject=f"=?utf-8?q?Re=3A_mug_=5B{ticket.number}=5D?=", **proof))
    assert found.ticket == ticket
    proof = mail_server("dmarc=pass header.from=example.net")
    stranger = receive(make_mail("Me too.", subject=f"Re: {ticket.number}", from_="eve@example.net", **proof))
    assert (stranger.outcome, stranger.ticket != ticket) == ("opened", True)
    # Reply-To is no identity.
    claimed = make_mail("Me.", subject=f"Re: {ticket.number}", from_="eve@example.net", reply_to="dana@example.com", **proof)
    assert receive(claimed).ticket != ticket


def test_a_forged_sender_opens_a_ticket(mail_server: Callable[..., dict[str, str]]) -> None:
    ticket = answered()
    for results in (
        "dmarc=fail header.from=example.com",
        "dmarc=pass header.from=example.net",
        "dmarc=none header.from=example.com; spf=pass smtp.mailfrom=eve@example.net",
        'spf=pass smtp.mailfrom="x; dmarc=pass header.from=example.com "@example.net',
        "spf=pass (dmarc=pass header.from=example.com) smtp.mailfrom=example.net",
        'spf=pass reason="; dmarc=pass header.from=example.com;" smtp.mailfrom=example.net',
        "dkim=pass header.d=notexample.com",
        "dkim=pass header.d=com",
        "dkim=fail (was: dkim=pass) header.d=example.com",
        "spf=pass smtp.helo=example.com",
        "arc=pass header.from=example.com",
        "dmarc=pass header.from=example.com (",
        "none",
        "",
    ):
        received = receive(make_mail("Send it to Eve.", subject=f"Re: [{ticket.number}]", **mail_server(results)))
        assert (received.outcome, received.ticket != ticket) == ("opened", True), results
        assert ticket.number in received.reason
    assert "Send it to Eve." not in thread(ticket)


@pytest.mark.parametrize(
    "results",
    [
        "dmarc=pass header.from=example.com",
        "spf=fail smtp.mailfrom=list.example.org; DKIM = pass (2048-bit key) header.i=@example.com header.d=Example.com",
        'spf=pass (sender SPF authorized; see "\\)") smtp.mailfrom=dana@example.com',
        "dkim=fail header.d=list.example.org; dkim/1=pass header.d=example.com",
    ],
)
def test_a_proved_sender_answers(mail_server: Callable[..., dict[str, str]], results: str) -> None:
    ticket = answered()
    assert receive(make_mail("The left one.", subject=f"Re: [{ticket.number}]", **mail_server(results))).ticket == ticket


def test_only_the_mail_server_itself_is_believed(mail_server: Callable[..., dict[str, str]], settings: Any) -> None:
    ticket = answered()
    good, subject = "dmarc=pass header.from=example.com", f"Re: [{ticket.number}]"
    other = mail_server(good, host="mx.example.net")
    assert receive(make_mail("A.", subject=subject, **other)).ticket != ticket
    # The email has brought along a header with the server's name, below the server's own.
    brought = make_mail("B.", subject=subject, **mail_server("dmarc=fail header.from=example.com"))
    brought["Authentication-Results"] = f"mx.help.example; {good}"
    assert receive(brought).ticket != ticket
    several = make_mail("C.", subject=subject, **mail_server(good)).as_bytes()
    assert receive(b"From: eve@example.net\r\n" + several).ticket != ticket
    settings.SUPPORT_AUTHENTICATION_HOST = ""
    assert receive(make_mail("D.", subject=subject, **mail_server(good, host=""))).ticket != ticket


def test_a_stranger_with_the_address_gets_no_rights(settings: Any) -> None:
    settings.SUPPORT_AUTHENTICATION_HOST = "mx.help.example"
    ticket = answered()
    received = receive(make_mail("Let me in.", from_="Eve <eve@example.net>", to=reply_address(ticket)))
    assert received.ticket == ticket
    added = ticket.messages.get(author_email="eve@example.net")
    assert (added.is_participant, added.author_type, added in public_messages(ticket)) == (False, "customer", False)
    # Having written does not make anybody a participant.
    again = {"Authentication-Results": "mx.help.example; dmarc=pass header.from=example.net"}
    assert receive(make_mail("Again.", from_="eve@example.net", subject=ticket.number, **again)).ticket != ticket
    assert reloaded(ticket).email == "dana@example.com"


@pytest.mark.both_databases
def test_the_id_of_the_requesters_own_email_proves_nothing(mail_server: Callable[..., dict[str, str]], settings: Any) -> None:
    """Everybody who got a copy of it knows the id. That of an email of the site went to the requester, who may pass it on."""
    ticket = receive(make_mail("Where is it?", message_id="<first@mail.example.com>", cc="eve@example.net")).ticket
    assert ticket
    answer = reply_as_staff(ticket=ticket, message="On its way.")
    forged = mail_server("dmarc=fail header.from=example.com")
    unknown = mail_server("dmarc=none header.from=example.com; spf=none smtp.mailfrom=dana@example.com")
    good = mail_server("dmarc=pass header.from=example.com")
    sent_id = sent("support_reply")[-1].message_id
    for number, (proof, refers_to, takes_part) in enumerate(
        [
            (unknown, "<first@mail.example.com>", False),
            (forged, "<first@mail.example.com>", False),
            (good, "<first@mail.example.com>", True),
            (unknown, sent_id, True),
            (forged, sent_id, False),
            (good, sent_id, True),
        ]
    ):
        received = receive(make_mail(f"Send it elsewhere, {number}.", in_reply_to=refers_to, **proof))
        assert received.ticket == ticket
        assert received.message
        assert (received.message in public_messages(ticket)) is takes_part, (proof, refers_to)
    received = receive(make_mail("By the address.", to=reply_address(ticket), **forged))
    assert (received.ticket, received.message in public_messages(ticket)) == (ticket, False)
    settings.SUPPORT_AUTHENTICATION_HOST = ""
    received = receive(make_mail("And more.", in_reply_to="<first@mail.example.com>"))
    assert received.message in public_messages(ticket)
    assert answer in public_messages(ticket)


def test_an_email_to_a_closed_ticket_opens_one_that_follows() -> None:
    ticket = answered()
    set_status(ticket=ticket, status="closed")
    received = receive(make_mail("It broke again.", to=reply_address(ticket)))
    assert (received.outcome, received.ticket.follows, reloaded(ticket).status) == ("opened", ticket, "closed")  # type: ignore[union-attr]


def test_a_stranger_does_not_learn_the_subject_of_a_closed_ticket() -> None:
    ticket = answered()
    set_status(ticket=ticket, status="closed")
    received = receive(make_mail("Let me in.", from_="eve@example.net", to=reply_address(ticket)))
    assert (received.ticket.email, received.ticket.subject) == ("eve@example.net", "Let me in.")  # type: ignore[union-attr]
    assert "A broken mug" not in sent("support_received")[-1].text


AUTOMATIC: dict[str, dict[str, str]] = {
    "auto-replied": {"auto_submitted": "auto-replied"},
    "auto-generated": {"auto_submitted": "auto-generated; type=x"},
    "precedence": {"precedence": "Bulk"},
    "list": {"list_id": "<news.example.com>"},
    "suppressed": {"x_auto_response_suppress": "OOF, AutoReply"},
    "null return path": {"return_path": "<>"},
    "autoreply": {"x_autoreply": "yes"},
    "mailer daemon": {"from_": "MAILER-DAEMON@mx.example.com"},
}


@pytest.mark.parametrize("headers", AUTOMATIC.values(), ids=AUTOMATIC)
def test_automatic_mail_changes_no_status(headers: dict[str, str]) -> None:
    ticket, agent = answered(), make_agent()
    assign_ticket(ticket=ticket, user_id=agent.pk)
    before = templates()
    received = receive(make_mail("I am on holiday.", to=reply_address(ticket), **headers))
    added = ticket.messages.order_by("pk").last()
    assert added is not None
    assert (received.outcome, received.reason != "", added.is_automatic, added.body) == (
        "replied",
        True,
        True,
        "I am on holiday.",
    )
    assert (reloaded(ticket).status, reloaded(ticket).waiting_since is not None, templates()) == ("pending", True, before)


@pytest.mark.parametrize("headers", AUTOMATIC.values(), ids=AUTOMATIC)
def test_automatic_mail_opens_tickets_in_quarantine_only(headers: dict[str, str]) -> None:
    received = receive(make_mail("Disk full.", **headers))
    assert (received.outcome, received.ticket.is_spam, templates(), kinds("ticket.")) == ("quarantined", True, [], [])  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "headers", [{"auto_submitted": "no"}, {"precedence": "first-class"}, {"return_path": "<dana@example.com>"}]
)
def test_mail_of_people_is_not_automatic(headers: dict[str, str]) -> None:
    assert receive(make_mail("Hello.", **headers)).outcome == "opened"


def test_automatic_mail_to_a_closed_ticket_opens_none() -> None:
    ticket = answered()
    set_status(ticket=ticket, status="closed")
    received = receive(make_mail("I am on holiday.", to=reply_address(ticket), auto_submitted="auto-replied"))
    assert (received.ticket, reloaded(ticket).status, Ticket.objects.count()) == (ticket, "closed", 1)


@pytest.mark.parametrize("loop", ["header", "id", "address", "token"])
def test_own_mail_ends_here(loop: str) -> None:
    ticket = answered()
    mail = sent("support_reply")[0]
    if loop == "header":
        came_back = make_mail("x", x_loop=mail.headers["X-Loop"])
    elif loop == "id":
        came_back = make_mail("x", message_id=mail.message_id)
    else:
        came_back = make_mail("x", from_="support@help.example" if loop == "address" else reply_address(ticket))
    before = Message.objects.count()
    assert receive(came_back).outcome == "looped"
    assert (Message.objects.count(), Ticket.objects.count()) == (before, 1)


def test_two_help_desks_that_answer_each_other_stop() -> None:
    """Each of our emails, sent back with an answer in it, as another help desk without any marks would."""
    receive(make_mail("Hello?", from_="desk@other.example"))
    for number in range(100):
        mails = sent()
        if number >= len(mails):
            break
        raw = outgoing(mails[number]).message()
        answer = make_mail(f"We received your message {number}.", from_="desk@other.example", to=mails[number].reply_to)
        answer["In-Reply-To"] = raw["Message-ID"]
        receive(answer)
    assert templates() == ["received"]


BOUNCE = """\
From: MAILER-DAEMON@mx.example.com
To: office@help.example
Subject: Undelivered Mail Returned to Sender
Date: Mon, 02 Mar 2026 08:00:00 +0000
Return-Path: <>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

Your message could not be delivered.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.com

Final-Recipient: rfc822; dana@example.com
Action: {action}
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 No such
 user here

--b
Content-Type: message/rfc822

From: office@help.example
Message-ID: {message_id}
Subject: Re: A broken mug

Which one?
--b--
"""


def bounce(*, action: str = "failed", original: str = "") -> bytes:
    """A report about an answer of staff."""
    message_id = original or sent("support_reply")[-1].message_id
    return BOUNCE.format(action=action, message_id=message_id).encode()


def test_bounces_are_noted_on_their_message() -> None:
    ticket = answered()
    received = receive(bounce())
    message = ticket.messages.get(author_type="staff")
    assert (received.outcome, received.message, received.ticket) == ("bounced", message, ticket)
    assert (message.bounced_at is not None, message.bounce_reason) == (True, "smtp; 550 5.1.1 No such user here")
    assert (reloaded(ticket).status, Ticket.objects.count(), Message.objects.count()) == ("pending", 1, 2)


def test_bounces_of_unknown_emails_are_kept_and_open_nothing() -> None:
    answered()
    assert receive(bounce(original="<unknown@example.com>")).outcome == "ignored"
    assert Ticket.objects.count() == 1


def test_a_delay_is_no_bounce() -> None:
    ticket = answered()
    received = receive(bounce(action="delayed"))
    assert (received.outcome, ticket.messages.filter(bounced_at=None).count()) == ("quarantined", 2)


def test_new_tickets_of_one_sender_are_limited() -> None:
    set_setting(key="support.tickets_per_hour", value=3)
    outcomes = [receive(make_mail(f"Mail {number}.")).outcome for number in range(5)]
    assert outcomes == ["opened"] * 3 + ["quarantined"] * 2
    assert receive(make_mail("Hello.", from_="ruth@example.com")).outcome == "opened"


def test_a_flood_of_answers_stops_having_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving_services, "MAX_REPLIES_PER_HOUR", 2)
    ticket, agent = answered(), make_agent()
    assign_ticket(ticket=ticket, user_id=agent.pk)
    for number in range(4):
        receive(make_mail(f"Answer {number}.", to=reply_address(ticket)))
    assert len(thread(ticket)) == 6
    assert len(sent("support_message")) == 2


def test_what_the_mail_server_marked_is_quarantined() -> None:
    for headers in ({"x_spam_flag": "YES"}, {"x_spam_status": "Yes, score=9"}):
        assert receive(make_mail("Offers.", **headers)).outcome == "quarantined"
    assert receive(make_mail("Hello.", x_spam_status="No, score=0")).outcome == "opened"


@pytest.mark.parametrize("sender", [None, "", "Dana", "@", "dana@", "=?utf-8?b?/?="])
def test_an_email_without_a_valid_sender_is_quarantined(sender: str | None) -> None:
    raw = make_mail("Hello.", from_=None).as_bytes()
    received = receive(raw if sender is None else f"From: {sender}\n".encode() + raw)
    assert (received.outcome, received.sender, received.ticket.email) == ("quarantined", NOBODY, NOBODY)  # type: ignore[union-attr]


def test_files_arrive() -> None:
    mail = make_mail("See the picture.")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="Löffel.png")
    inner = EmailMessage()
    inner["Subject"] = "Inner"
    inner.set_content("The first mail.")
    mail.add_attachment(inner)
    ticket = receive(mail).ticket
    files = Attachment.objects.filter(message__ticket=ticket)
    assert [(file.filename, file.type) for file in files] == [("Löffel.png", "image/png"), ("forwarded.eml", "message/rfc822")]
    assert (files[0].read(), b"The first mail." in files[1].read()) == (b"\x89PNG", True)


def test_a_failure_stores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("No space left on device")

    mail = make_mail("Hello.").as_bytes()
    monkeypatch.setattr(receiving_services, "store_ticket", fail)
    with pytest.raises(OSError, match="No space"):
        receive_mail(raw=mail)
    assert (ReceivedMail.objects.count(), Ticket.objects.count()) == (0, 0)
    monkeypatch.undo()
    assert receive(mail).outcome == "opened"
