"""Statuses, assignment, merging, tags, ratings and other changes of tickets."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from cms_api.accounts.services.members import create_member
from cms_api.flags.services import set_setting, switch_feature
from commerce.crm.models import Activity
from commerce.support.models import Tag, Ticket
from commerce.support.resources.tickets import ticket_detail
from commerce.support.selectors.links import RATING_LINK, find_by_rating_token
from commerce.support.selectors.tickets import public_messages, tickets_of
from commerce.support.services import (
    assign_ticket,
    mark_spam,
    merge_tickets,
    open_ticket,
    rate_ticket,
    release_ticket,
    reply_as_customer,
    reply_as_staff,
    set_category,
    set_priority,
    set_requester,
    set_status,
    set_subject,
    set_tags,
)
from commerce.support.types.tickets import Channel
from tests.commerce.shop.outcomes import emitted, kinds

from .builders import log_of, make_agent, make_category, make_mail, make_ticket, receive, refusals, sent, templates, thread

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
Clock = Callable[..., datetime]


def reloaded(ticket: Ticket) -> Ticket:
    return Ticket.objects.get(pk=ticket.pk)


@pytest.mark.both_databases
def test_it_works(clock: Clock) -> None:
    switch_feature(name="crm", on=True)
    ticket = make_ticket()
    resolved = clock(hours=1)
    set_status(ticket=ticket, status="resolved")
    closed = clock(hours=1)
    ticket = set_status(ticket=ticket, status="closed")
    assert (ticket.status, ticket.resolved_at, ticket.closed_at) == ("closed", resolved, closed)
    assert emitted("ticket.")[-1] == ("ticket.closed", ticket_detail(ticket))
    assert log_of(ticket) == ["open", "resolved", "closed"]
    assert "closed" in Activity.objects.filter(kind="support").order_by("pk").values_list("summary", flat=True)[1]
    ticket = set_status(ticket=ticket, status="open")
    assert (ticket.resolved_at, ticket.closed_at) == (None, None)


@pytest.mark.both_databases
def test_closing_fires_once_each_time_that_it_is_closed() -> None:
    ticket = make_ticket()
    for _ in range(3):
        set_status(ticket=ticket, status="closed")
    assert (kinds("ticket."), log_of(ticket)) == (["ticket.created", "ticket.closed"], ["open", "closed"])
    set_status(ticket=ticket, status="open")
    set_status(ticket=ticket, status="closed")
    assert kinds("ticket.").count("ticket.closed") == 2


@pytest.mark.both_databases
def test_a_ticket_that_is_closed_at_once_counts_as_resolved(clock: Clock) -> None:
    set_setting(key="support.csat", value=True)
    ticket = make_ticket()
    at = clock(hours=1)
    ticket = set_status(ticket=ticket, status="closed")
    assert (ticket.resolved_at, templates()) == (at, ["received"])


def test_spam_fires_nothing() -> None:
    set_setting(key="support.csat", value=True)
    ticket = make_ticket(spam_reason="Offers.")
    for status in ("resolved", "closed"):
        set_status(ticket=ticket, status=status)
    assert (kinds("ticket."), templates()) == ([], [])
    assert release_ticket(ticket=ticket)
    assert (kinds("ticket."), templates()) == (["ticket.created"], [])


def test_a_ticket_that_was_marked_as_spam_is_not_created_again() -> None:
    ticket = make_ticket()
    mark_spam(ticket=ticket)
    release_ticket(ticket=ticket)
    assert (kinds("ticket."), templates()) == (["ticket.created"], ["received"])


@pytest.mark.parametrize("is_on", [True, False])
def test_the_first_resolve_asks_for_a_rating(is_on: bool) -> None:
    set_setting(key="support.csat", value=is_on)
    ticket = make_ticket()
    for status in ("resolved", "open", "resolved"):
        set_status(ticket=ticket, status=status)
    mails = sent("support_csat")
    assert len(mails) == is_on
    if is_on:
        assert (mails[0].auto_submitted, mails[0].null_sender) == ("auto-generated", True)
        assert RATING_LINK.url(ticket) in mails[0].text


def test_ratings() -> None:
    ticket = make_ticket()
    assert list(refusals(lambda: rate_ticket(ticket=ticket, rating=5))) == ["rating"]
    set_status(ticket=ticket, status="resolved")
    token = RATING_LINK.url(ticket).rstrip("/").rpartition("/")[2]
    assert find_by_rating_token(token) == ticket
    for rating in (0, 6, True, None, "5"):
        assert list(refusals(lambda rating=rating: rate_ticket(ticket=ticket, rating=rating))) == ["rating"]
    assert list(refusals(lambda: rate_ticket(ticket=ticket, rating=4, comment="x" * 2001))) == ["comment"]
    rate_ticket(ticket=ticket, rating=2, comment=" Slow. ")
    rate_ticket(ticket=ticket, rating=5)
    assert (reloaded(ticket).csat_rating, reloaded(ticket).csat_comment) == (5, "")


@pytest.mark.parametrize("status", ["", "Open", "reopened", "awaiting_staff", None])
@pytest.mark.both_databases
def test_unknown_statuses(status: Any) -> None:
    ticket = make_ticket()
    assert list(refusals(lambda: set_status(ticket=ticket, status=status))) == ["status"]


def test_assigning_emails_the_new_assignee() -> None:
    ticket, ada, ben = make_ticket(), make_agent("Ada Lane"), make_agent()
    for person in (ada, ada, ben):
        assign_ticket(ticket=ticket, user_id=person.pk)
    assert [mail.recipient for mail in sent("support_assigned")] == [ada.email, ben.email]
    mail = sent("support_assigned")[0]
    for words in ("Hello Ada Lane,", "Dana Reyes", "It has no handle.", f"/admin/support/tickets/inspect/{ticket.pk}/"):
        assert words in mail.text, words
    assert assign_ticket(ticket=ticket, user_id=None).assignee is None
    # Nobody is told of what they did themselves.
    assign_ticket(ticket=ticket, user_id=ada.pk, user=ada)
    assert len(sent("support_assigned")) == 2


def test_only_staff_is_assigned() -> None:
    ticket, person = make_ticket(), make_agent()
    person.user_permissions.clear()
    for wrong in (person.pk, 10**17):
        assert list(refusals(lambda wrong=wrong: assign_ticket(ticket=ticket, user_id=wrong))) == ["user_id"]
    inactive = make_agent()
    type(inactive).objects.filter(pk=inactive.pk).update(is_active=False)
    assert list(refusals(lambda: assign_ticket(ticket=ticket, user_id=inactive.pk))) == ["user_id"]


def test_an_assignee_without_an_address_gets_no_mail() -> None:
    agent = make_agent()
    type(agent).objects.filter(pk=agent.pk).update(email="")
    assert assign_ticket(ticket=make_ticket(), user_id=agent.pk).assignee == agent
    assert templates() == ["received"]


@pytest.mark.both_databases
def test_merging_moves_everything() -> None:
    target, source = make_ticket(), make_ticket(message="The second mail.")
    reply_as_staff(ticket=source, message="We saw both.")
    set_tags(ticket=source, tags=["VIP"])
    address = sent("support_reply")[-1].reply_to
    answered = source.messages.get(author_type="staff").created_at
    merged = merge_tickets(ticket=source, into=target)
    assert thread(merged) == [
        "It has no handle.",
        "The second mail.",
        "We saw both.",
        f"{source.number} was merged into this ticket.",
    ]
    assert (merged.message_count, merged.first_response_at) == (4, answered)
    assert [tag.name for tag in merged.tags.all()] == ["VIP"]
    source = reloaded(source)
    assert (source.status, source.merged_into, source.message_count) == ("closed", merged, 1)
    assert kinds("ticket.") == ["ticket.created", "ticket.created", "ticket.closed"]
    # An answer to the merged one arrives at the other.
    assert receive(make_mail("Thank you.", to=address)).ticket == merged
    assert thread(merged)[-1] == "Thank you."
    assert list(refusals(lambda: set_status(ticket=source, status="open"))) == ["status"]


def test_messages_of_another_requester_stay_hidden() -> None:
    target, source = make_ticket(), make_ticket(email="ruth@example.com", message="Ruth's secret.")
    reply_as_staff(ticket=source, message="Dear Ruth, your new card is on its way.")
    reply_as_customer(ticket=source, message="I have it too.", email=target.email)
    merge_tickets(ticket=source, into=target)
    assert [message.body for message in public_messages(target)] == ["It has no handle.", "I have it too."]
    assert {"Ruth's secret.", "Dear Ruth, your new card is on its way."} <= set(thread(target))
    reply_as_staff(ticket=target, message="Yours too.")
    assert public_messages(target).last().body == "Yours too."
    assert "your new card" not in sent("support_reply")[-1].text


def test_refused_merges() -> None:
    one, other, third = make_ticket(), make_ticket(), make_ticket()
    assert list(refusals(lambda: merge_tickets(ticket=one, into=one))) == ["into"]
    merge_tickets(ticket=one, into=other)
    for source, target in ((one, third), (third, one)):
        assert list(refusals(lambda source=source, target=target: merge_tickets(ticket=source, into=target))) == ["into"]
    closed, spam = make_ticket(status="closed"), make_ticket(spam_reason="Offers.")
    assert list(refusals(lambda: merge_tickets(ticket=third, into=closed))) == ["into"]
    assert list(refusals(lambda: merge_tickets(ticket=spam, into=third))) == ["into"]


@pytest.mark.both_databases
def test_tags_are_the_same_in_any_case() -> None:
    one, other = make_ticket(), make_ticket()
    set_tags(ticket=one, tags=["VIP", " vip ", "Returns", ""])
    set_tags(ticket=other, tags=["returns"])
    assert [tag.name for tag in one.tags.all()] == ["Returns", "VIP"]
    assert (other.tags.get().name, Tag.objects.count()) == ("Returns", 2)
    for tags in (["x" * 51], [str(number) for number in range(51)], ["a\0b"]):
        assert list(refusals(lambda tags=tags: set_tags(ticket=one, tags=tags))) == ["tags"]


def test_other_changes() -> None:
    ticket, category = make_ticket(), make_category()
    set_priority(ticket=ticket, priority="urgent")
    set_category(ticket=ticket, category=category)
    set_subject(ticket=ticket, subject=" Two  mugs ")
    ticket = set_requester(ticket=ticket, email="RUTH@example.com", name="Ruth")
    assert (ticket.priority, ticket.category, ticket.subject, ticket.email, ticket.name) == (
        "urgent",
        category,
        "Two mugs",
        "ruth@example.com",
        "Ruth",
    )
    assert set_category(ticket=ticket, category=None).category is None
    assert list(refusals(lambda: set_priority(ticket=ticket, priority="x"))) == ["priority"]
    assert list(refusals(lambda: set_subject(ticket=ticket, subject=" "))) == ["subject"]
    assert list(refusals(lambda: set_requester(ticket=ticket, email="x"))) == ["email"]


def test_a_former_requester_does_not_find_the_ticket_in_their_account() -> None:
    """Their account would list it, with the link that the new requester has."""
    dana = create_member(email="dana@example.com", password="a long password")
    values = {"subject": "A mug", "message": "Broken.", "email": "dana@example.com", "name": "Dana"}
    ticket = open_ticket(values=values, channel=Channel.WEBSITE, user=dana)
    assert list(tickets_of(dana)) == [ticket]
    set_requester(ticket=ticket, email="dana@example.com", name="Dana R.")
    assert list(tickets_of(dana)) == [ticket]
    set_requester(ticket=ticket, email="ruth@example.com", name="Ruth")
    assert list(tickets_of(dana)) == []
    ruth = create_member(email="ruth@example.com", password="a long password")
    assert list(tickets_of(ruth)) == [ticket]


def test_a_deleted_ticket_is_refused() -> None:
    ticket = make_ticket()
    Ticket.objects.all().delete()
    for work in (
        lambda: reply_as_staff(ticket=ticket, message="x"),
        lambda: reply_as_customer(ticket=ticket, message="x"),
        lambda: set_status(ticket=ticket, status="closed"),
        lambda: assign_ticket(ticket=ticket, user_id=None) if ticket.assignee_id else set_status(ticket=ticket, status="open"),
    ):
        assert list(refusals(work)) == ["status"]
