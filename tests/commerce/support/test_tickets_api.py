"""The five endpoints: filters and orders of the list, one ticket, and each transition with its refusals."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from cms_api.flags.services import set_setting, switch_feature
from commerce.support.models import Ticket
from commerce.support.resources.tickets import SupportTicketDetailResource
from commerce.support.services import assign_ticket, reply_as_staff
from tests.builders import make_token
from tests.client import Api
from tests.commerce.shop.outcomes import kinds

from .builders import make_agent, make_category, make_ticket, sent, templates

pytestmark = pytest.mark.django_db

LIST = "/support/tickets"
ACTIONS = ("replies", "status", "assign")
Clock = Callable[..., datetime]


def found(api: Api, **query: Any) -> list[int]:
    return sorted(row["id"] for row in api.data(LIST, per_page=100, **query))


def act(api: Api, ticket: Ticket, action: str, body: Any = None, **headers: str) -> Any:
    return api.post(f"{LIST}/{ticket.pk}/{action}", body, **headers)


@pytest.mark.both_databases
def test_it_works(support_api: Api, clock: Clock) -> None:
    category, agent = make_category("Orders"), make_agent("Robin Vale")
    ticket = make_ticket(category=category, priority="high")
    assign_ticket(ticket=ticket, user_id=agent.pk)
    note = reply_as_staff(ticket=ticket, message="Again.", internal=True, user=agent)
    data = support_api.data(f"{LIST}/{ticket.pk}")
    at = "2026-03-02T08:00:00+00:00"
    first = ticket.messages.get(author_type="customer")
    assert data == {
        "id": ticket.pk,
        "number": "SUP-1001",
        "subject": "A broken mug",
        "status": "open",
        "priority": "high",
        "category": {"id": category.pk, "name": "Orders", "slug": "orders"},
        "requester": {"name": "Dana Reyes", "email": "dana@example.com"},
        "assignee": {"id": agent.pk, "name": "Robin Vale"},
        "csat_rating": None,
        "message_count": 2,
        "is_spam": False,
        "first_response_at": None,
        "resolved_at": None,
        "closed_at": None,
        "last_message_at": at,
        "created_at": at,
        "updated_at": at,
        "messages": [
            {
                "id": first.pk,
                "author_name": "Dana Reyes",
                "author_type": "customer",
                "body": "It has no handle.",
                "is_internal": False,
                "created_at": at,
            },
            {
                "id": note.pk,
                "author_name": "Robin Vale",
                "author_type": "staff",
                "body": "Again.",
                "is_internal": True,
                "created_at": at,
            },
        ],
    }
    assert set(data) == set(SupportTicketDetailResource.example)
    (row,) = support_api.data(LIST)
    assert row == {key: value for key, value in data.items() if key != "messages"}


@pytest.mark.both_databases
def test_filters(support_api: Api, clock: Clock) -> None:
    orders, courses, agent = make_category(), make_category(), make_agent()
    first = make_ticket(category=orders, priority="low")
    clock(days=1)
    second = make_ticket(category=courses, email="RUTH@example.com", status="pending")
    clock(days=1)
    third = make_ticket(category=orders, priority="urgent", status="resolved")
    fourth = make_ticket(status="closed")
    spam = make_ticket(spam_reason="Offers.")
    assign_ticket(ticket=second, user_id=agent.pk)
    for status, row in {"open": first, "awaiting_staff": first, "pending": second, "resolved": third, "closed": fourth}.items():
        assert found(support_api, status=status) == [row.pk], status
    every = [first.pk, second.pk, third.pk, fourth.pk]
    assert found(support_api) == found(support_api, include_spam=0) == every
    assert found(support_api, include_spam=1) == found(support_api, include_spam="true") == [*every, spam.pk]
    assert found(support_api, include_spam=1, status="open") == [first.pk, spam.pk]
    assert found(support_api, priority="low") == [first.pk]
    assert found(support_api, priority="urgent") == [third.pk]
    assert found(support_api, email="Ruth@Example.com") == [second.pk]
    assert found(support_api, email="ruth@example.co") == []
    assert found(support_api, assigned_to=agent.pk) == [second.pk]
    assert found(support_api, assigned_to=10**17) == found(support_api, category_id=10**17) == []
    assert found(support_api, category_id=orders.pk) == [first.pk, third.pk]
    assert found(support_api, since="2026-03-03") == every[1:]
    assert found(support_api, since="2026-03-03T08:00:01Z") == every[2:]
    assert found(support_api, category_id=orders.pk, status="resolved", priority="urgent", since="2026-03-04") == [third.pk]
    assert support_api.data(f"{LIST}/{spam.pk}")["is_spam"] is True


@pytest.mark.both_databases
def test_orders(support_api: Api, clock: Clock) -> None:
    first = make_ticket()
    clock(hours=1)
    second = make_ticket()
    clock(hours=1)
    reply_as_staff(ticket=first, message="Hello.")
    ids = {
        sort: [row["id"] for row in support_api.data(LIST, sort=sort)]
        for sort in ("last_message_at", "-updated_at", "created_at")
    }
    assert ids == {
        "last_message_at": [second.pk, first.pk],
        "-updated_at": [first.pk, second.pk],
        "created_at": [first.pk, second.pk],
    }
    assert [row["id"] for row in support_api.data(LIST)] == [second.pk, first.pk]


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("status=lost", "status"),
        ("status=", "status"),
        ("status=Open", "status"),
        ("priority=highest", "priority"),
        ("assigned_to=x", "assigned_to"),
        ("assigned_to=0", "assigned_to"),
        ("assigned_to=99999999999999999999", "assigned_to"),
        ("category_id=%D9%A1", "category_id"),
        ("category_id=1%00", "category_id"),
        ("email=" + 300 * "a", "email"),
        ("email=a%00b", "email"),
        ("since=yesterday", "since"),
        ("since=2026-02-30", "since"),
        ("include_spam=2", "include_spam"),
        ("include_spam=", "include_spam"),
        ("sort=subject", "sort"),
    ],
)
def test_refused_filters(support_api: Api, query: str, key: str) -> None:
    answer = support_api.get(f"{LIST}?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [key])


def test_a_reply(support_api: Api, clock: Clock) -> None:
    ticket = make_ticket()
    Ticket.objects.update(nudged_at=clock(hours=1))
    answer = act(support_api, ticket, "replies", {"message": " We're sorry! "})
    assert answer.status_code == 201
    data = answer.json()["data"]
    assert (data["author_name"], data["author_type"], data["body"], data["is_internal"]) == (
        "Support team",
        "staff",
        "We're sorry!",
        False,
    )
    after = support_api.data(f"{LIST}/{ticket.pk}")
    assert (after["status"], after["first_response_at"], after["messages"][-1]) == ("pending", "2026-03-02T09:00:00+00:00", data)
    assert Ticket.objects.get().nudged_at is None
    assert (templates(), sent()[-1].recipient) == (["received", "reply"], "dana@example.com")


def test_an_internal_reply(support_api: Api) -> None:
    ticket = make_ticket()
    before = support_api.data(f"{LIST}/{ticket.pk}")
    assert act(support_api, ticket, "replies", {"body": "Again.", "internal": True}).json()["data"]["is_internal"] is True
    after = support_api.data(f"{LIST}/{ticket.pk}")
    changed = {key for key in before if before[key] != after[key]}
    assert changed <= {"messages", "message_count", "updated_at", "last_message_at"}
    assert (len(after["messages"]), templates()) == (2, ["received"])


def test_the_body_is_an_alias_of_the_message(support_api: Api) -> None:
    ticket = make_ticket()
    answer = act(support_api, ticket, "replies", {"body": "Hello."}).json()
    assert (answer["data"]["body"], "ignored" in answer.get("meta", {})) == ("Hello.", False)
    answer = act(support_api, ticket, "replies", {"body": "One.", "message": "Two.", "stray": 1}).json()
    assert (answer["data"]["body"], answer["meta"]["ignored"]) == ("Two.", ["body", "stray"])


@pytest.mark.parametrize(
    ("action", "body", "key"),
    [
        ("replies", {}, "message"),
        ("replies", {"message": None}, "message"),
        ("replies", {"message": "  "}, "message"),
        ("replies", {"message": 5}, "message"),
        ("replies", {"body": ""}, "message"),
        ("replies", {"message": "x" * 100_001}, "message"),
        ("replies", {"message": "x", "internal": "maybe"}, "internal"),
        ("status", {}, "status"),
        ("status", {"status": None}, "status"),
        ("status", {"status": "awaiting_staff"}, "status"),
        ("status", {"status": ["open"]}, "status"),
        ("assign", {}, "user_id"),
        ("assign", {"user_id": 10**17}, "user_id"),
        ("assign", {"user_id": "1"}, "user_id"),
        ("assign", {"user_id": 0}, "user_id"),
        ("assign", {"user_id": True}, "user_id"),
    ],
)
def test_refused_bodies(support_api: Api, action: str, body: Any, key: str) -> None:
    ticket = make_ticket()
    before = support_api.data(f"{LIST}/{ticket.pk}")
    answer = act(support_api, ticket, action, body)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [key])
    assert support_api.data(f"{LIST}/{ticket.pk}") == before


def test_a_closed_ticket_refuses_replies(support_api: Api) -> None:
    ticket = make_ticket(status="closed")
    for internal in (False, True):
        answer = act(support_api, ticket, "replies", {"message": "Hello.", "internal": internal})
        assert (answer.status_code, list(answer.json()["errors"])) == (422, ["status"])
    assert act(support_api, ticket, "status", {"status": "open"}).json()["data"]["closed_at"] is None
    assert act(support_api, ticket, "replies", {"message": "Hello."}).status_code == 201


def test_statuses(support_api: Api) -> None:
    set_setting(key="support.csat", value=True)
    ticket = make_ticket()
    for status in ("pending", "resolved", "closed", "closed", "open", "resolved"):
        answer = act(support_api, ticket, "status", {"status": status})
        assert (answer.status_code, answer.json()["data"]["status"]) == (200, status)
        assert answer.json()["data"] == support_api.data(f"{LIST}/{ticket.pk}")
    assert (kinds("ticket."), templates()) == (["ticket.created", "ticket.closed"], ["received", "csat"])


def test_assigning(support_api: Api) -> None:
    ticket, agent = make_ticket(), make_agent("Robin Vale")
    for user_id in (agent.pk, agent.pk, None, None):
        data = act(support_api, ticket, "assign", {"user_id": user_id}).json()["data"]
        assert data["assignee"] == (None if user_id is None else {"id": agent.pk, "name": "Robin Vale"})
    assert templates() == ["received", "assigned"]


@pytest.mark.parametrize(("action", "body"), [("replies", {"message": "Hi."}), ("status", {"status": "closed"})])
@pytest.mark.both_databases
def test_an_idempotency_key_repeats_the_answer(support_api: Api, action: str, body: Any) -> None:
    ticket = make_ticket()
    first, second = (act(support_api, ticket, action, body, idempotency_key="k-1") for _ in range(2))
    assert (second.json(), second.headers["Idempotency-Replayed"]) == (first.json(), "true")
    assert Ticket.objects.get().message_count == (2 if action == "replies" else 1)


def test_abilities_and_methods(support_api: Api) -> None:
    ticket = make_ticket()
    reader = Api(make_token("support:read"))
    for action in ACTIONS:
        assert act(reader, ticket, action).json()["required_ability"] == "support:write"
    assert Api(make_token("support:write")).get(LIST).status_code == 403
    assert support_api.post(LIST, {}).status_code == 405
    switch_feature(name="support", on=False)
    assert support_api.get(f"{LIST}/{ticket.pk}").status_code == 404
