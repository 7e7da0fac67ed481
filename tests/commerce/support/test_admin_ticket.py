"""The page of a ticket in the admin: the thread, answers, canned answers, buttons, files, and merging."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from commerce.support.admin import conversation
from commerce.support.models import Attachment, Message, Ticket
from commerce.support.selectors.addresses import reply_address
from commerce.support.services import reply_as_customer, reply_as_staff, set_tags
from commerce.support.services.setup import save_canned_answer, save_target
from commerce.support.types.files import NewFile
from tests import people
from tests.submitting import shown_keys

from .builders import make_agent, make_category, make_mail, make_ticket, receive, templates, thread
from .page_builders import a_file

pytestmark = pytest.mark.usefixtures("support")

TICKETS = "/admin/support/tickets/"


def path_of(ticket: Ticket) -> str:
    return f"{TICKETS}inspect/{ticket.pk}/"


def text(client: Client, ticket: Ticket, query: str = "") -> str:
    answer: Any = client.get(path_of(ticket) + query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def reply(client: Client, ticket: Ticket, **values: Any) -> Any:
    return client.post(f"{path_of(ticket)}reply/", {"kind": "answer", "message": "We're sorry!", **values})


def test_an_answer_that_is_sent_twice_goes_out_once(admin_client: Client) -> None:
    ticket = make_ticket()
    form = text(admin_client, ticket).partition('id="reply"')[2].partition("</form>")[0]
    (key,) = shown_keys(form)
    for _ in range(2):
        assert reply(admin_client, ticket, once=key).status_code == 302
    assert templates() == ["received", "reply"]


def press(client: Client, ticket: Ticket, name: str, **values: Any) -> str:
    return client.post(f"{TICKETS}{name}/{ticket.pk}/", values, follow=True).content.decode()


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    ticket = make_ticket()
    answer = reply(admin_client, ticket, attachments=a_file("label.pdf"))
    message = Message.objects.latest("pk")
    assert answer.headers["Location"] == f"{path_of(ticket)}#message-{message.pk}"
    ticket.refresh_from_db()
    assert (ticket.status, message.is_internal, message.author_name) == ("pending", False, "alice@example.com")
    assert reply(admin_client, ticket, kind="note", message="The second one.").status_code == 302
    assert templates() == ["received", "reply"]
    page = text(admin_client, ticket)
    for words in (
        "desk__message--note",
        "desk__message--staff",
        "desk__message--customer",
        "label.pdf",
        "The second one.",
        "Note",
    ):
        assert words in page
    assert page.index("It has no handle.") < page.index("We&#x27;re sorry!") < page.index("The second one.")


def test_what_is_known_of_it(admin_client: Client) -> None:
    save_target(priority="normal", first_response_minutes=480, resolution_minutes=None)
    ticket = make_ticket(category=make_category("Orders"))
    make_ticket(subject="Of the same person", status="resolved")
    set_tags(ticket=ticket, tags=["VIP"])
    page = text(admin_client, ticket)
    for words in ("0 min so far. Target: 8 h, due", "Of the same person", "VIP", "mailto:dana@example.com", "Tags changed"):
        assert words in page


def test_mails(admin_client: Client) -> None:
    ticket = make_ticket()
    receive(make_mail("Hello?\n\nOn Monday, Robin wrote:\n> We are sorry.", to=reply_address(ticket)), reply_address(ticket))
    receive(make_mail("Let me in.", from_="eve@example.com", to=reply_address(ticket)), reply_address(ticket))
    Message.objects.filter(body="It has no handle.").update(bounced_at=ticket.created_at, bounce_reason="No such mailbox.")
    page = text(admin_client, ticket)
    for words in ("Show the quoted text", "Not the requester", "Not delivered", "No such mailbox.", "Original email (.eml)"):
        assert words in page
    mail = Message.objects.get(body="Hello?").received_mails.get()
    for path in (f"{TICKETS}originals/{mail.pk}/", f"/admin/support/mails/originals/{mail.pk}/"):
        answer: Any = admin_client.get(path)
        assert b"On Monday, Robin wrote" in b"".join(answer.streaming_content)
        assert answer.headers["Content-Disposition"] == f'attachment; filename="email-{mail.pk}.eml"'
    assert admin_client.get(f"{TICKETS}originals/{mail.pk + 100}/").status_code == 404


def test_mails_without_a_ticket(admin_client: Client) -> None:
    received = receive(make_mail(auto_submitted="auto-replied", x_loop="support@testserver"))
    assert received.ticket is None
    page = admin_client.get("/admin/support/mails/").content.decode()
    assert "Sent by this site, ignored" in page
    # It may have a link that signs somebody in.
    page = admin_client.get(f"/admin/support/mails/inspect/{received.pk}/").content.decode()
    assert "Download original" not in page
    assert not received.original
    for path in (f"{TICKETS}originals/{received.pk}/", f"/admin/support/mails/originals/{received.pk}/"):
        assert admin_client.get(path).status_code == 404


def test_managers_do_not_read_emails_as_they_arrived(sign_in: Callable[[Any], Client]) -> None:
    """Answers quote what they answer, such as a link to reset a password."""
    ticket = make_ticket()
    received = receive(make_mail("Hello?", to=reply_address(ticket)), reply_address(ticket))
    manager = sign_in(people.mallory_manager())
    page = text(manager, ticket)
    assert "Hello?" in page
    assert "Original email" not in page
    assert "Download original" not in manager.get(f"/admin/support/mails/inspect/{received.pk}/").content.decode()
    for path in (f"{TICKETS}originals/{received.pk}/", f"/admin/support/mails/originals/{received.pk}/"):
        assert "/admin/" in manager.get(path).headers["Location"]


def test_markup_is_shown_as_text(admin_client: Client) -> None:
    ticket = make_ticket(
        subject="<script>1", message="<img src=x>", name="<i>Dana</i>", files=[NewFile("<b>.txt", b"x", "text/html")]
    )
    page = text(admin_client, ticket)
    for markup in ("<script>1", "<img src=x>", "<i>Dana", "<b>.txt"):
        assert markup not in page
    file = Attachment.objects.get()
    answer: Any = admin_client.get(f"{TICKETS}files/{file.pk}/")
    assert (answer.headers["Content-Type"], b"".join(answer.streaming_content)) == ("application/octet-stream", b"x")
    assert admin_client.get(f"{TICKETS}files/{10**25}/").status_code == 404


def test_canned_answers(admin_client: Client) -> None:
    orders = make_category("Orders")
    ticket = make_ticket(category=orders)
    save_canned_answer(values={"title": "A greeting", "body": "Hello {{ name }}!"})
    canned = save_canned_answer(
        values={"title": "Parcel", "body": "{{ number }}: {{ subject }} by {{ agent }}", "category": orders}
    )
    page = text(admin_client, ticket)
    assert page.index(">Parcel<") < page.index(">A greeting<")
    answer = admin_client.get(f"{TICKETS}canned/{ticket.pk}/", {"answer": canned.pk})
    assert answer.content.decode() == "SUP-1001: A broken mug by alice@example.com"
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    for wrong in ("", "x", "²", "0", "9" * 40, "\0"):
        assert admin_client.get(f"{TICKETS}canned/{ticket.pk}/", {"answer": wrong}).status_code == 404
    # Without scripts, the form is sent.
    page = reply(admin_client, ticket, message="Dear Dana,", canned=canned.pk, kind="note", insert="1").content.decode()
    assert "Dear Dana,\n\nSUP-1001: A broken mug by alice@example.com" in page
    assert 'value="note" id="reply_kind_1" checked' in page.replace(" required", "")
    assert thread(ticket) == ["It has no handle."]
    assert reply(admin_client, ticket, canned="x", insert="1").status_code == 200


def test_hostile_answers(admin_client: Client) -> None:
    ticket = make_ticket()
    save_canned_answer(values={"title": "A greeting", "body": "Hello!"})
    hostile: list[dict[str, Any]] = [{"message": " "}, {"message": "\0"}, {"message": "x" * 100_001}, {"kind": "shout"}]
    for wrong in (*hostile, {"canned": "0"}, {"attachments": a_file("empty.txt", b"")}):
        answer = reply(admin_client, ticket, **wrong)
        assert answer.status_code == 422, wrong
        assert "error-message" in answer.content.decode()
    assert thread(ticket) == ["It has no handle."]


def test_closed_and_quarantined_tickets_take_no_answer(admin_client: Client) -> None:
    closed, spam = make_ticket(status="closed"), make_ticket(spam_reason="No.")
    assert "This ticket is closed. Reopen it to reply." in text(admin_client, closed)
    assert reply(admin_client, closed).status_code == 422
    assert reply(admin_client, spam).status_code == 422
    assert reply(admin_client, spam, kind="note").status_code == 302
    assert templates() == ["received"]


def test_buttons(admin_client: Client) -> None:
    ticket, category = make_ticket(), make_category("Orders")
    for name, status in (("wait", "pending"), ("resolve", "resolved"), ("close", "closed"), ("reopen", "open")):
        press(admin_client, ticket, name)
        ticket.refresh_from_db()
        assert ticket.status == status
    assert "SUP-1001 is assigned to you." in press(admin_client, ticket, "take")
    press(admin_client, ticket, "priority", priority="urgent")
    press(admin_client, ticket, "category", category=category.pk)
    press(admin_client, ticket, "tags", tags="VIP, returns,, vip")
    ticket.refresh_from_db()
    assert ticket.assignee
    assert (ticket.assignee.email, ticket.priority, ticket.category) == ("alice@example.com", "urgent", category)
    assert sorted(ticket.tags.values_list("name", flat=True)) == ["VIP", "returns"]
    assert "Assignee changed." in press(admin_client, ticket, "assign", user_id=make_agent().pk)
    press(admin_client, ticket, "assign", user_id="")
    press(admin_client, ticket, "category", category="")
    ticket.refresh_from_db()
    assert (ticket.assignee, ticket.category) == (None, None)
    for name, values in (("priority", {"priority": "x"}), ("assign", {"user_id": "0"}), ("category", {"category": "\0"})):
        press(admin_client, ticket, name, **values)
    press(admin_client, ticket, "tags", tags="x" * 200)
    ticket.refresh_from_db()
    assert (ticket.priority, ticket.assignee, ticket.tags.count()) == ("urgent", None, 2)


def test_spam_is_marked_and_released(admin_client: Client) -> None:
    ticket = make_ticket(spam_reason="Too many links.")
    assert "Too many links." in text(admin_client, ticket)
    assert templates() == []
    assert "SUP-1001 released." in press(admin_client, ticket, "release")
    assert templates() == ["received"]
    assert "SUP-1001 marked as spam." in press(admin_client, ticket, "mark-spam")


def test_tickets_are_merged(admin_client: Client) -> None:
    ticket, into = make_ticket(), make_ticket(subject="Two broken mugs")
    assert "cannot be separated again" in admin_client.get(f"{TICKETS}merge/{ticket.pk}/").content.decode()
    for wrong, said in (("SUP-1", "no ticket"), ("", "required"), ("sup-1001", "into itself"), ("\0", "Null characters")):
        answer = admin_client.post(f"{TICKETS}merge/{ticket.pk}/", {"into": wrong})
        assert answer.status_code == 422, wrong
        assert said in answer.content.decode()
    answer = admin_client.post(f"{TICKETS}merge/{ticket.pk}/", {"into": " sup-1002 "})
    assert answer.headers["Location"] == path_of(into)
    page = text(admin_client, ticket)
    assert "SUP-1002 Two broken mugs" in page
    assert "merged into another one" in page
    assert "SUP-1001 was merged into this ticket." in text(admin_client, into)
    press(admin_client, ticket, "reopen")
    ticket.refresh_from_db()
    assert ticket.is_closed


def test_a_long_thread(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "SHOWN_MESSAGES", 2)
    ticket = make_ticket()
    for number in range(3):
        reply_as_customer(ticket=ticket, message=f"Message {number}")
    page = text(admin_client, ticket)
    assert "Show 2 earlier messages" in page
    assert "It has no handle." not in page
    assert page.index("Message 1") < page.index("Message 2")
    assert "It has no handle." in text(admin_client, ticket, "?all=1")


@pytest.mark.both_databases
def test_statements_do_not_grow_with_the_thread(admin_client: Client) -> None:
    def statements(number: int) -> int:
        ticket = make_ticket(email=f"{number}@example.com")
        for _ in range(number):
            reply_as_staff(ticket=ticket, message="A note", internal=True, files=[NewFile("a.txt", b"a", "text/plain")])
        text(admin_client, ticket)
        with CaptureQueriesContext(connection) as captured:
            text(admin_client, ticket)
        return len(captured)

    assert statements(1) == statements(4)
