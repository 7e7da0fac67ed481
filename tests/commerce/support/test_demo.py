"""Demo tickets: every status, with public and internal messages, and the same on a second run."""

from collections import Counter

import pytest

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Contact
from commerce.support.demo import DATA, load
from commerce.support.models import CannedAnswer, Category, Hours, Message, StatusChange, Tag, Target, Ticket
from commerce.support.selectors.clocks import clock_of
from commerce.support.services.housekeeping import close_tickets, nudge_requesters
from commerce.support.types.tickets import Priority, TicketStatus

from .builders import make_agent

pytestmark = pytest.mark.usefixtures("support")

TABLES = (Ticket, Message, StatusChange, Category, CannedAnswer, Hours, Target, Tag)


def test_it_works() -> None:
    agent = make_agent()
    switch_feature(name="crm", on=True)
    load(1, lambda count: None)
    found = Counter(Ticket.objects.filter(is_spam=False).values_list("status", flat=True))
    assert set(found) == set(TicketStatus)
    assert min(found.values()) >= 3
    assert set(Ticket.objects.values_list("priority", flat=True)) == set(Priority)
    assert Ticket.objects.filter(is_spam=True).count() == 1
    assert 0 < Ticket.objects.filter(assignee=agent).count() < len(DATA["tickets"])
    for ticket in Ticket.objects.all():
        thread = list(ticket.messages.all())
        assert {message.is_internal for message in thread} == {True, False}
        assert (ticket.message_count, ticket.last_message_at) == (len(thread), thread[-1].created_at)
        assert ticket.status_changes.last().status == ticket.status  # type: ignore[union-attr]
        assert (ticket.first_response_at is None) == (ticket.status == "open")
        assert (ticket.closed_at is not None, ticket.created_at <= ticket.updated_at) == (ticket.status == "closed", True)
        clock_of(ticket)
    # Loading again adds nothing.
    before = [list(table.objects.values()) for table in TABLES]  # type: ignore[attr-defined]
    load(1, lambda count: None)
    assert [list(table.objects.values()) for table in TABLES] == before  # type: ignore[attr-defined]
    # Nobody hears of it.
    statuses = Counter(Ticket.objects.values_list("status", flat=True))
    nudge_requesters()
    close_tickets()
    assert not OutgoingMail.objects.exists()
    assert not OutboxEvent.objects.exists()
    assert not Contact.objects.exists()
    assert Counter(Ticket.objects.values_list("status", flat=True)) == statuses
    load(2, lambda count: None)
    assert Ticket.objects.count() == 2 * len(DATA["tickets"]) + 1
