"""Opening tickets: numbers, values, the webhook event, the acknowledgement, and rules of assignment."""

from typing import Any

import pytest

from cms_api.flags.services import set_setting, switch_feature
from commerce.crm.models import Activity, Contact
from commerce.support.models import Attachment, Ticket
from commerce.support.resources.tickets import ticket_detail
from commerce.support.selectors.tickets import tickets
from commerce.support.services import open_ticket, release_ticket
from commerce.support.services.notices import ask_for_rating, send_nudge
from commerce.support.services.setup import save_rule
from commerce.support.types.files import NewFile
from commerce.support.types.tickets import Channel
from tests.commerce.shop.outcomes import emitted, kinds

from .builders import log_of, make_agent, make_category, make_rule, make_ticket, refusals, sent, templates, thread

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("support")]


@pytest.mark.both_databases
def test_it_works() -> None:
    category = make_category("Orders")
    ticket = make_ticket(category=category, priority="high", email="DANA@Example.com")
    assert (ticket.number, ticket.status, ticket.email, ticket.message_count) == ("SUP-1001", "open", "dana@example.com", 1)
    assert (thread(ticket), log_of(ticket), ticket.last_message_at) == (["It has no handle."], ["open"], ticket.created_at)
    assert emitted("ticket.") == [("ticket.created", ticket_detail(Ticket.objects.get()))]
    (mail,) = sent()
    assert (mail.template, mail.recipient, mail.subject) == ("support_received", "dana@example.com", "Your request [SUP-1001]")
    assert make_ticket().number == "SUP-1002"


def test_the_acknowledgement_is_marked() -> None:
    make_ticket()
    (mail,) = sent()
    assert (mail.auto_submitted, mail.null_sender, mail.headers["X-Auto-Response-Suppress"]) == ("auto-replied", True, "All")
    assert mail.headers["X-Loop"].startswith("support@")
    assert mail.text.startswith("##- Please type your reply above this line -##")
    # Anyone may have entered the address.
    assert "handle" not in mail.text + mail.html


def test_mails_do_not_carry_a_strangers_words() -> None:
    """Anyone may have entered the address in the form on the site. Staff and integrations word subjects themselves."""
    make_ticket(subject="Your account is locked, call us")
    make_ticket(subject="Your invoice", email="sam@example.com", channel=Channel.API)
    assert [mail.subject for mail in sent()] == ["Your request [SUP-1001]", "Your invoice [SUP-1002]"]
    ticket = make_ticket(subject="You won: https://evil.example/claim", email="kim@example.com")
    ask_for_rating(ticket)
    send_nudge(ticket)
    assert not [mail for mail in sent() if "evil.example" in mail.subject + mail.text + mail.html]


def test_a_sender_gets_one_acknowledgement_an_hour() -> None:
    for address in ("dana@example.com", "DANA@example.com", "dana@example.com", "other@example.com"):
        make_ticket(email=address)
    assert [mail.recipient for mail in sent()] == ["dana@example.com", "other@example.com"]
    assert len(kinds("ticket.")) == 4


def test_without_a_subject_it_is_called_by_its_first_words() -> None:
    assert make_ticket(subject=" ", message="\n\n The handle is off. \nThe rest is fine.").subject == "The handle is off."
    assert len(make_ticket(subject="", message="x" * 500).subject) == 200


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"email": ""}, "email"),
        ({"email": "dana"}, "email"),
        ({"email": "a@b.example\r\nBcc: c@example.com"}, "email"),
        ({"message": ""}, "message"),
        ({"message": "x" * 100_001}, "message"),
        ({"message": "a\0b"}, "message"),
        ({"subject": "x" * 201}, "subject"),
        ({"subject": "a\0b"}, "subject"),
        ({"name": "x" * 201}, "name"),
        ({"priority": "highest"}, "priority"),
        ({"category": 5}, "category"),
    ],
)
def test_refused_values(changes: dict[str, Any], key: str) -> None:
    assert list(refusals(lambda: make_ticket(**changes))) == [key]
    assert not Ticket.objects.exists()


def test_files_are_stored_and_limited() -> None:
    ticket = make_ticket(files=[NewFile("../a\u202eb.png", b"abc", "image/png")])
    file = Attachment.objects.get(message__ticket=ticket)
    assert (file.filename, file.type, file.size, file.read()) == ("ab.png", "image/png", 3, b"abc")
    for files in ([NewFile("a.txt", b"")], [NewFile("a.txt", bytes(11 * 1024 * 1024))], [NewFile("a.txt", b"x")] * 51):
        assert list(refusals(lambda files=files: make_ticket(files=files))) == ["files"]


def test_spam_is_silent_until_it_is_released() -> None:
    switch_feature(name="crm", on=True)
    agent = make_agent()
    make_rule(agent)
    ticket = make_ticket(spam_reason="Too many links.")
    assert (ticket.is_spam, ticket.assignee, templates(), kinds("ticket."), Contact.objects.count()) == (True, None, [], [], 0)
    assert not tickets().exists()
    assert tickets(include_spam=True).count() == 1
    assert release_ticket(ticket=ticket)
    assert not release_ticket(ticket=ticket)
    ticket.refresh_from_db()
    assert (ticket.is_spam, ticket.spam_reason, ticket.assignee) == (False, "", agent)
    assert (templates(), kinds("ticket."), Contact.objects.count()) == (["received", "assigned"], ["ticket.created"], 1)


def test_the_contact_is_captured_and_has_it_in_its_timeline() -> None:
    switch_feature(name="crm", on=True)
    ticket = make_ticket(name="Dana van Dyck")
    contact = Contact.objects.get()
    assert (contact.email, contact.first_name, contact.last_name, contact.source) == (
        "dana@example.com",
        "Dana",
        "van Dyck",
        "support",
    )
    entry = Activity.objects.get(kind="support")
    assert (entry.summary, entry.link) == (
        f"Opened {ticket.number}: A broken mug",
        f"/admin/support/tickets/inspect/{ticket.pk}/",
    )


def test_staff_open_tickets_for_requesters() -> None:
    agent = make_agent()
    ticket = open_ticket(
        values={"email": "dana@example.com", "message": "By phone."}, channel=Channel.ADMIN, user=agent, by_staff=True
    )
    assert (ticket.user, ticket.status_changes.get().user) == (None, agent)


def test_rules_take_turns() -> None:
    ada, ben = make_agent(), make_agent()
    make_rule(ada, ben)
    assert [make_ticket().assignee for _ in range(3)] == [ada, ben, ada]
    assert [mail.recipient for mail in sent("support_assigned")] == [ada.email, ben.email, ada.email]


def test_the_first_rule_that_matches_applies() -> None:
    orders = make_category("Orders")
    ada, ben, cleo, dan = (make_agent() for _ in range(4))
    make_rule(ada, position=1, categories=[orders], priorities=["urgent"])
    make_rule(ben, position=2, words=["Broken handle", "café"])
    make_rule(cleo, position=3, categories=[orders])
    make_rule(dan, position=0, enabled=False)
    assert make_ticket(category=orders, priority="urgent").assignee == ada
    assert make_ticket(message="A  BROKEN\nhandle!").assignee == ben
    assert make_ticket(message="At the Cafe.").assignee == ben
    assert make_ticket(message="Unbroken handle, cafeteria.").assignee is None
    assert make_ticket(category=orders).assignee == cleo
    ben.user_permissions.clear()
    assert make_ticket(message="A broken handle.", category=orders).assignee == cleo


def test_refused_rules() -> None:
    for values, key in (
        ({"name": ""}, "name"),
        ({"assignees": []}, "assignees"),
        ({"assignees": [10**9]}, "assignees"),
        ({"position": -1}, "position"),
        ({"words": ["x" * 101]}, "words"),
    ):
        agent = make_agent()
        given = {"name": "Rule", "assignees": [agent.pk], **values}
        assert list(refusals(lambda given=given: save_rule(values=given))) == [key]


@pytest.mark.both_databases
def test_search() -> None:
    ticket = make_ticket(name="Ömer Güneş")
    make_ticket(name="Ruth", subject="Certificate")
    for words in ("omer", "sup-1001 broken", "dana@example.com gunes"):
        assert list(tickets(search=words)) == [ticket], words


def test_no_acknowledgement_is_sent_where_it_is_not_wanted() -> None:
    values = {"email": "dana@example.com", "message": "By phone."}
    open_ticket(values=values, channel=Channel.ADMIN, acknowledge=False)
    set_setting(key="support.csat", value=True)
    assert templates() == []
