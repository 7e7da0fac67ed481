"""Answers, notes, and messages of customers: what each changes, and which email is sent."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from cms_api.flags.services import set_setting
from commerce.support.models import Message, Ticket
from commerce.support.selectors.addresses import reply_address, ticket_of_addresses
from commerce.support.selectors.links import TICKET_LINK, find_by_rating_token, find_by_ticket_token
from commerce.support.selectors.tickets import public_messages
from commerce.support.services import assign_ticket, mark_spam, reply_as_customer, reply_as_staff, set_status
from commerce.support.types.files import NewFile
from tests.commerce.shop.outcomes import kinds

from .builders import log_of, make_agent, make_ticket, refusals, sent, templates, thread

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
Clock = Callable[..., datetime]


def reloaded(ticket: Ticket) -> Ticket:
    return Ticket.objects.get(pk=ticket.pk)


@pytest.mark.both_databases
def test_it_works(clock: Clock) -> None:
    ticket, agent = make_ticket(), make_agent("Robin Vale")
    at = clock(hours=1)
    message = reply_as_staff(ticket=ticket, message=" We're sorry! ", user=agent)
    ticket = reloaded(ticket)
    assert (message.author_type, message.author_name, message.body, message.is_internal) == (
        "staff",
        "Robin Vale",
        "We're sorry!",
        False,
    )
    assert (ticket.status, ticket.first_response_at, ticket.last_message_at, ticket.message_count) == ("pending", at, at, 2)
    assert log_of(ticket) == ["open", "pending"]
    mail = sent()[-1]
    assert (mail.template, mail.recipient, mail.subject) == ("support_reply", "dana@example.com", "Re: A broken mug [SUP-1001]")
    for words in ("Hello Dana,", "We're sorry!", "Robin Vale", "> It has no handle.", TICKET_LINK.url(ticket)):
        assert words in mail.text, words
    # A person wrote it, so that an out-of-office reply comes back.
    assert (mail.auto_submitted, mail.null_sender, "X-Auto-Response-Suppress" in mail.headers) == ("", False, False)
    assert ticket_of_addresses([mail.reply_to]) == ticket.pk


@pytest.mark.both_databases
def test_the_first_response_is_stamped_once(clock: Clock) -> None:
    ticket = make_ticket()
    first = clock(hours=1)
    reply_as_staff(ticket=ticket, message="One.")
    clock(hours=1)
    reply_as_staff(ticket=ticket, message="Two.")
    assert reloaded(ticket).first_response_at == first
    assert log_of(ticket) == ["open", "pending"]


@pytest.mark.both_databases
def test_a_note_changes_nothing_else(clock: Clock) -> None:
    ticket = make_ticket()
    before = Ticket.objects.values().get()
    clock(hours=1)
    note = reply_as_staff(ticket=ticket, message="The second one this month.", internal=True)
    after = Ticket.objects.values().get()
    assert {key for key in before if before[key] != after[key]} == {"updated_at", "last_message_at", "message_count"}
    assert (note.is_internal, templates(), log_of(ticket)) == (True, ["received"], ["open"])
    assert note not in public_messages(ticket)
    reply_as_staff(ticket=ticket, message="Sorry.")
    assert "second one" not in sent()[-1].text


def test_an_answer_clears_the_nudge() -> None:
    ticket = make_ticket(status="pending")
    Ticket.objects.update(nudged_at=ticket.created_at)
    reply_as_staff(ticket=ticket, message="Note.", internal=True)
    assert reloaded(ticket).nudged_at is not None
    reply_as_staff(ticket=ticket, message="Hello?")
    assert reloaded(ticket).nudged_at is None


@pytest.mark.parametrize("internal", [False, True])
def test_a_closed_ticket_is_refused(internal: bool) -> None:
    ticket = make_ticket(status="closed")
    found = refusals(lambda: reply_as_staff(ticket=ticket, message="Hello.", internal=internal))
    assert found == {"status": "This ticket is closed. Reopen it first."}
    assert thread(ticket) == ["It has no handle."]
    set_status(ticket=ticket, status="open")
    reply_as_staff(ticket=ticket, message="Hello.", internal=internal)


def test_an_answer_to_spam_is_refused_but_a_note_is_not() -> None:
    ticket = make_ticket()
    assert mark_spam(ticket=ticket)
    assert not mark_spam(ticket=ticket)
    assert list(refusals(lambda: reply_as_staff(ticket=ticket, message="Hello."))) == ["status"]
    reply_as_staff(ticket=ticket, message="Looks like spam.", internal=True)


@pytest.mark.parametrize("message", ["", "  \n", "x" * 100_001, "a\0b", None, 5])
def test_refused_messages(message: Any) -> None:
    ticket = make_ticket()
    assert list(refusals(lambda: reply_as_staff(ticket=ticket, message=message))) == ["message"]
    assert list(refusals(lambda: reply_as_customer(ticket=ticket, message=message))) == ["message"]


def test_files_are_sent_with_the_answer() -> None:
    ticket = make_ticket()
    reply_as_staff(ticket=ticket, message="See the label.", files=[NewFile("label.pdf", b"%PDF-", "application/pdf")])
    file = sent()[-1].attachments.get()
    assert (file.name, bytes(file.content), file.type) == ("label.pdf", b"%PDF-", "application/pdf")
    many = [NewFile("a.bin", bytes(6 * 1024 * 1024))] * 2
    assert list(refusals(lambda: reply_as_staff(ticket=ticket, message="x", files=many))) == ["files"]
    reply_as_staff(ticket=ticket, message="x", files=many, internal=True)


@pytest.mark.parametrize("status", ["open", "pending", "resolved"])
def test_a_message_of_the_customer_opens_it(status: str) -> None:
    ticket, agent = make_ticket(status=status), make_agent()
    assign_ticket(ticket=ticket, user_id=agent.pk)
    message = reply_as_customer(ticket=ticket, message="Still broken.")
    ticket = reloaded(ticket)
    assert (message.author_type, message.author_name, message.author_email) == ("customer", "Dana Reyes", "dana@example.com")
    assert (ticket.status, ticket.resolved_at, ticket.message_count) == ("open", None, 2)
    assert log_of(ticket) == (["open"] if status == "open" else ["open", status, "open"])
    assert [(mail.template, mail.recipient) for mail in sent()[-1:]] == [("support_message", agent.email)]
    assert "Still broken." in sent()[-1].text


def test_a_message_to_a_closed_ticket_opens_a_new_one() -> None:
    ticket = make_ticket(status="closed")
    message = reply_as_customer(ticket=ticket, message="It broke again.")
    following = message.ticket
    assert (following.follows, following.status, following.subject, following.number) == (
        ticket,
        "open",
        "A broken mug",
        "SUP-1002",
    )
    assert (reloaded(ticket).status, thread(ticket), thread(following)) == ("closed", ["It has no handle."], ["It broke again."])
    assert kinds("ticket.") == ["ticket.created", "ticket.closed", "ticket.created"]
    # Another one goes to the new ticket, as long as that is open.
    assert reply_as_customer(ticket=ticket, message="Hello?").ticket == following
    set_status(ticket=following, status="closed")
    assert reply_as_customer(ticket=ticket, message="Again.").ticket.number == "SUP-1003"


@pytest.mark.parametrize(
    ("text", "hours", "is_on", "status"),
    [
        ("Thanks a lot!", 2, True, "resolved"),
        ("Vielen Dank!!", 2, True, "resolved"),
        ("Thanks, but it is still broken", 2, True, "open"),
        ("Thanks?", 2, True, "open"),
        ("Thanks", 25, True, "open"),
        ("Thanks", 2, False, "open"),
    ],
)
def test_thanks_may_leave_it_resolved(clock: Clock, text: str, hours: int, is_on: bool, status: str) -> None:
    set_setting(key="support.ignore_thanks", value=is_on)
    ticket = make_ticket(status="resolved")
    clock(hours=hours)
    reply_as_customer(ticket=ticket, message=text)
    assert (reloaded(ticket).status, thread(ticket)[-1]) == (status, text)


def test_history_is_quoted_unless_it_is_off() -> None:
    ticket = make_ticket(message="One.")
    for text in ("Two.", "Three.", "Four."):
        reply_as_customer(ticket=ticket, message=text)
    reply_as_staff(ticket=ticket, message="Five.")
    quoted = sent()[-1].text
    assert [quoted.find(f"> {text}") >= 0 for text in ("One.", "Two.", "Three.", "Four.")] == [False, True, True, True]
    assert quoted.index("> Four.") < quoted.index("> Two.")
    assert "<blockquote>Four.</blockquote>" in sent()[-1].html
    set_setting(key="support.quote_history", value=False)
    reply_as_staff(ticket=ticket, message="Six.")
    assert "> " not in sent()[-1].text


def test_hostile_texts_stay_text() -> None:
    ticket = make_ticket(subject="<b>{{ name }}</b>", name="{{ ticket_url }} <i>", message="<script>x</script>")
    reply_as_staff(ticket=ticket, message="<img src=x onerror=y> {{ history }}")
    mail = sent()[-1]
    assert "<script" not in mail.html
    assert "<img" not in mail.html
    assert "{{ history }}" in mail.text


def test_emails_are_one_conversation() -> None:
    ticket = make_ticket()
    for text in ("One.", "Two."):
        reply_as_staff(ticket=ticket, message=text)
    received, first, second = sent()
    assert first.headers["In-Reply-To"] == received.message_id
    assert second.headers["References"] == f"{received.message_id} {first.message_id}"
    for _ in range(30):
        reply_as_staff(ticket=ticket, message="More.")
    assert len(sent()[-1].headers["References"]) < 900


def test_a_token_names_one_ticket_only(settings: Any) -> None:
    one, other = make_ticket(), make_ticket()
    address = reply_address(one)
    assert ticket_of_addresses([address.upper()]) == one.pk
    forged = address.replace(f"+{one.pk}-", f"+{other.pk}-")
    changed = address[:-20] + ("b" if address[-20] == "a" else "a") + address[-19:]
    for wrong in (forged, changed, "support@help.example", address.replace("help", "evil"), ""):
        assert ticket_of_addresses([wrong]) is None, wrong
    settings.SUPPORT_REPLY_ADDRESS = ""
    assert (reply_address(one), ticket_of_addresses([address])) == ("office@help.example", None)


def test_links_are_signed_for_one_purpose() -> None:
    ticket = make_ticket()
    token = TICKET_LINK.url(ticket).rstrip("/").rpartition("/")[2]
    assert find_by_ticket_token(token) == ticket
    for wrong in (token[:-1], token.replace(ticket.link_key.hex, make_ticket().link_key.hex), "", "x"):
        assert find_by_ticket_token(wrong) is None
    assert find_by_rating_token(token) is None


def test_an_automatic_message_is_no_first_response() -> None:
    ticket = make_ticket()
    assert Message.objects.filter(author_type="staff").count() == 0
    assert (templates(), reloaded(ticket).first_response_at) == (["received"], None)
