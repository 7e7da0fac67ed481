"""Transferring tickets."""

from typing import Any

import pytest

from cms_api.content.models import ContentItem
from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import AttendeeTicket, RevokedCode
from commerce.ticketing.selectors.orders import TICKET_LINK, find_by_code, is_revoked
from commerce.ticketing.services.checking_in import check_in
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.transferring import DATE_OFF, rename_attendee, renew_code, transfer_ticket
from events.services.dates import change_date
from events.types.plans import DateStatus

from .builders import adult, make_sales, paid_order
from .refusals import refused

SAM = {"name": "Sam Okafor", "email": "Sam@Example.com"}


def ticket() -> AttendeeTicket:
    return paid_order(make_sales(adult(size=1))).tickets.select_related("order").get()


@pytest.mark.both_databases
def test_it_works() -> None:
    before = ticket()
    token = TICKET_LINK.token(before)
    after = transfer_ticket(ticket=before, **SAM)
    assert after.code != before.code
    assert (after.attendee_name, after.email, after.status) == ("Sam Okafor", "sam@example.com", "valid")
    # The former code and link have ended.
    assert find_by_code(before.code) is None
    assert is_revoked(before.code)
    assert TICKET_LINK.find(AttendeeTicket.objects.all(), token) is None
    sent = dict(OutgoingMail.objects.exclude(template="tickets_bought").values_list("template", "recipient"))
    expected = {"ticket_transferred": "sam@example.com", "ticket_given_away": "dana@example.com"}
    assert sent.items() >= expected.items()


def test_it_is_transferred_on() -> None:
    first = transfer_ticket(ticket=ticket(), **SAM)
    second = transfer_ticket(ticket=first, name="Noor", email="noor@example.com")
    assert (second.email, RevokedCode.objects.count()) == ("noor@example.com", 2)
    assert OutgoingMail.objects.filter(template="ticket_given_away").latest("pk").recipient == "sam@example.com"


def test_a_ticket_as_its_former_holder_saw_it() -> None:
    before = ticket()
    transfer_ticket(ticket=before, **SAM)
    assert "status" in refused(transfer_ticket, ticket=before, name="Eve", email="eve@example.com")


def test_none_for_a_cancelled_date() -> None:
    """Its new holder would be told that it takes place."""
    given = ticket()
    event = ContentItem.objects.get(pk=given.event_id)
    change_date(item=event, start=given.start, status=DateStatus.CANCELLED)
    assert refused(transfer_ticket, ticket=given, **SAM) == {"status": [DATE_OFF]}
    # The buyer's own calendar stays without it.
    OutgoingMail.objects.all().delete()
    renew_code(ticket=given)
    assert not OutgoingMail.objects.get().attachments.filter(name="invite.ics").exists()
    change_date(item=event, start=given.start, status=None)
    given.refresh_from_db()
    transfer_ticket(ticket=given, **SAM)
    assert OutgoingMail.objects.get(template="ticket_transferred").attachments.filter(name="invite.ics").exists()


def test_only_valid_tickets() -> None:
    arrived = ticket()
    check_in(ticket=arrived)
    assert "status" in refused(transfer_ticket, ticket=arrived, **SAM)
    gone = ticket()
    void_tickets(order=gone.order, tickets=[gone.pk])
    assert "status" in refused(transfer_ticket, ticket=gone, **SAM)
    assert "status" in refused(rename_attendee, ticket=gone, name="Sam")


@pytest.mark.parametrize(("changes", "path"), [({"name": ""}, "name"), ({"email": "x"}, "email"), ({"name": "a\nb"}, "name")])
def test_wrong_input(changes: dict[str, Any], path: str) -> None:
    assert path in refused(transfer_ticket, ticket=ticket(), **{**SAM, **changes})


def test_a_name_is_corrected() -> None:
    before = ticket()
    after = rename_attendee(ticket=before, name="Dana R. Reyes")
    assert (after.attendee_name, after.code) == ("Dana R. Reyes", before.code)
