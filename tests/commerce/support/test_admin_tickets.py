"""The list of tickets in the admin: filters, search, CSV, bulk actions, and people who are kept out."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from commerce.support.admin.cards import tickets as card_of_tickets
from commerce.support.models import AssignmentRule, Ticket
from commerce.support.services import assign_ticket, set_tags
from tests import people

from .builders import make_agent, make_category, make_ticket, templates

pytestmark = pytest.mark.usefixtures("support")

TICKETS = "/admin/support/tickets/"


def listed(client: Client, **query: Any) -> set[str]:
    answer: Any = client.get(TICKETS, query)
    assert answer.status_code == 200
    return {ticket.subject for ticket in answer.context["object_list"]}


def bulk(client: Client, action: str, *tickets: Ticket, **values: Any) -> Any:
    ids = "&".join(f"id={ticket.pk}" for ticket in tickets)
    return client.post(f"/admin/bulk/support/ticket/{action}/?{ids}&next={TICKETS}", values, follow=True)


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    agent, category = make_agent("Robin Vale"), make_category("Orders")
    mug = make_ticket(category=category, priority="high")
    set_tags(ticket=assign_ticket(ticket=mug, user_id=agent.pk), tags=["VIP"])
    make_ticket(subject="A late parcel", status="pending", email="ruth@example.com", name="")
    make_ticket(subject="An offer", spam_reason="No.")
    page = admin_client.get(TICKETS).content.decode()
    for words in ("SUP-1001", "A broken mug", "dana@example.com", "Robin Vale", "Orders", "High", "A late parcel"):
        assert words in page
    for query in (
        {"status": "awaiting_staff"},
        {"status": "open"},
        {"priority": "high"},
        {"category": category.pk},
        {"assignee": agent.pk},
        {"tags": mug.tags.get().pk},
        {"q": "SUP-1001"},
        {"q": "mug"},
    ):
        assert listed(admin_client, **query) == {"A broken mug"}, query
    assert listed(admin_client, assignee="none") == {"A late parcel"}
    assert listed(admin_client, status="pending") == {"A late parcel"}
    assert listed(admin_client, is_spam="only") == {"An offer"}
    assert listed(admin_client, is_spam="with") == {"A broken mug", "A late parcel", "An offer"}


def test_hostile_filters(admin_client: Client) -> None:
    make_ticket()
    hostile = {"status": "lost", "assignee": "9" * 30, "category": "x", "tags": "0", "is_spam": "\0"}
    for query in (hostile, {"q": "\0"}):
        assert admin_client.get(TICKETS, query).status_code == 200


def test_the_file(admin_client: Client) -> None:
    make_ticket(subject="=1+1")
    make_ticket(spam_reason="No.")
    answer: Any = admin_client.get(TICKETS, {"export": "csv"})
    heading, row, *more = b"".join(answer.streaming_content).decode().splitlines()
    assert heading.startswith("Number,Subject,Name,Email,Status,Priority,Category,Assignee")
    assert row.startswith("SUP-1001,'=1+1,Dana Reyes,dana@example.com,open,normal,,,website,1,,no,")
    assert more == []


@pytest.mark.both_databases
def test_statements_do_not_grow(admin_client: Client) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            listed(admin_client)
        return len(captured)

    make_ticket(category=make_category())
    statements()
    few = statements()
    for _ in range(3):
        assign_ticket(ticket=make_ticket(category=make_category()), user_id=make_agent().pk)
    assert statements() == few


def test_bulk_actions(admin_client: Client) -> None:
    agent, mug, parcel = make_agent("Robin Vale"), make_ticket(), make_ticket(status="closed")
    page = bulk(admin_client, "assign", mug, parcel, user_id=agent.pk).content.decode()
    assert "2 tickets assigned." in page
    assert set(Ticket.objects.values_list("assignee", flat=True)) == {agent.pk}
    assert "2 unchanged" in bulk(admin_client, "assign", mug, parcel, user_id=agent.pk).content.decode()
    page = bulk(admin_client, "close", mug, parcel).content.decode()
    assert "1 ticket closed. 1 unchanged." in page
    assert "2 tickets marked as spam." in bulk(admin_client, "spam", mug, parcel).content.decode()
    assert Ticket.objects.filter(is_spam=True, status="closed").count() == 2
    wrong = bulk(admin_client, "assign", mug, user_id=people.charlie().pk)
    assert "Select a valid choice" in wrong.content.decode()


def test_staff_open_a_ticket(admin_client: Client) -> None:
    agent = make_agent()
    category = make_category("Orders")
    rule = AssignmentRule.objects.create(name="All")
    rule.assignees.add(agent)
    sent = {"name": "Ruth", "email": "ruth@example.com", "subject": "By phone", "message": "A late parcel.", "priority": "urgent"}
    answer = admin_client.post(f"{TICKETS}new/", {**sent, "category": str(category.pk)})
    ticket = Ticket.objects.get()
    assert answer.headers["Location"] == f"{TICKETS}inspect/{ticket.pk}/"
    assert (ticket.channel, ticket.priority, ticket.category, ticket.assignee, ticket.user) == (
        "admin",
        "urgent",
        category,
        agent,
        None,
    )
    assert templates() == ["received", "assigned"]
    page = admin_client.post(f"{TICKETS}new/", {**sent, "email": "nobody", "message": "", "priority": "x"}).content.decode()
    for words in ("Enter a valid email address", "This field is required", "Select a valid choice"):
        assert words in page


def test_subject_and_requester_are_changed(admin_client: Client) -> None:
    ticket = make_ticket()
    path = f"{TICKETS}edit/{ticket.pk}/"
    assert 'value="A broken mug"' in admin_client.get(path).content.decode()
    sent = {"name": "Ruth", "email": "Ruth@example.com", "subject": "Two broken mugs"}
    assert admin_client.post(path, sent).headers["Location"] == f"{TICKETS}inspect/{ticket.pk}/"
    ticket.refresh_from_db()
    assert (ticket.name, ticket.email, ticket.subject) == ("Ruth", "ruth@example.com", "Two broken mugs")
    assert "Enter a valid email address" in admin_client.post(path, {**sent, "email": "no"}).content.decode()


def test_the_home_counts_tickets_that_wait() -> None:
    make_ticket()
    make_ticket(status="pending")
    make_ticket(spam_reason="No.")
    request = people.request_by(people.mallory_manager())
    with CaptureQueriesContext(connection) as statements:
        card = card_of_tickets(request)
    assert (card.count, card.url) == (1, f"{TICKETS}?status=awaiting_staff")
    assert len([each for each in statements if "support_ticket" in each["sql"]]) == 1


def test_people_without_the_role(sign_in: Callable[[Any], Client]) -> None:
    ticket = make_ticket()
    editor = sign_in(people.bob())
    for path in (
        "",
        f"inspect/{ticket.pk}/",
        "new/",
        "response-times/",
        "files/1/",
        "originals/1/",
        f"canned/{ticket.pk}/?answer=1",
    ):
        assert editor.get(TICKETS + path).status_code == 302, path
    for path in ("reply", "close"):
        sent = f"{TICKETS}inspect/{ticket.pk}/reply/" if path == "reply" else f"{TICKETS}close/{ticket.pk}/"
        assert editor.post(sent, {"message": "x", "kind": "answer"}).status_code == 302
    ticket.refresh_from_db()
    assert (ticket.status, ticket.message_count) == ("open", 1)
    assert "Help desk" not in editor.get("/admin/").content.decode()
    menu = sign_in(people.mallory_manager()).get("/admin/").content.decode()
    for words in ("Help desk", "Canned answers", "Assignment rules", "Response times", "Support hours"):
        assert words in menu
