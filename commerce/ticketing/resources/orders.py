"""The wire shapes of ticket orders and attendees' tickets."""

from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, RecordResource, Resource
from cms_api.http.wire import instant, record
from commerce.common.resources import NamedResource, refer_to

from ..models import AttendeeTicket, TicketOrder
from ..types.orders import OrderStatus, TicketStatus

OCCURRENCE_HELP = "The chosen date of a repeating event, as local time without an offset; null if the event has one date."


class TicketedEventResource(Resource):
    """The event of a ticket order, as sold."""

    id = serializers.IntegerField()
    title = serializers.CharField()
    slug = serializers.CharField()
    starts_at = serializers.DateTimeField(allow_null=True, help_text="Null for an all-day event.")
    venue = serializers.CharField(allow_null=True)


class TicketOrderItemResource(Resource):
    """A line of a ticket order, as sold."""

    ticket_type_id = serializers.IntegerField()
    name = serializers.CharField()
    quantity = serializers.IntegerField(min_value=1)
    unit_price_cents = CentsField()
    total_cents = CentsField()


class AttendeeTicketResource(RecordResource):
    """A ticket shown at the door."""

    code = serializers.CharField(help_text="As printed; not case-sensitive.")
    status = serializers.ChoiceField(TicketStatus.values)
    order_id = serializers.IntegerField()
    event_id = serializers.IntegerField()
    ticket_type = NamedResource()
    attendee_name = serializers.CharField(allow_null=True)
    purchaser_email = serializers.EmailField()
    occurrence_start = serializers.CharField(allow_null=True, help_text=OCCURRENCE_HELP)
    checked_in_at = serializers.DateTimeField(allow_null=True)
    checked_in_by = NamedResource(allow_null=True, help_text="The member of staff; null for a check-in through the API.")
    voided_at = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 301,
        "code": "K7PWM4XR",
        "status": "valid",
        "order_id": 88,
        "event_id": 19,
        "ticket_type": {"id": 2, "name": "Adult"},
        "attendee_name": "Dana Reyes",
        "purchaser_email": "dana.reyes@example.com",
        "occurrence_start": "2026-06-13T19:30",
        "checked_in_at": None,
        "checked_in_by": None,
        "voided_at": None,
        "created_at": "2026-03-01T18:30:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


class ScannedEventResource(Resource):
    """The event of a ticket, as a scanner is told it."""

    id = serializers.IntegerField()
    title = serializers.CharField()

    example = {"id": 19, "title": "Midsummer quartet"}


class ScannedTicketResource(Resource):
    """A ticket as the device at a door is told of it."""

    code = serializers.CharField(help_text="As printed; not case-sensitive.")
    status = serializers.ChoiceField(TicketStatus.values)
    attendee_name = serializers.CharField(allow_null=True)
    ticket_type = NamedResource()
    event = ScannedEventResource()
    event_id = serializers.IntegerField()
    occurrence_start = serializers.CharField(allow_null=True, help_text=OCCURRENCE_HELP)
    checked_in_at = serializers.DateTimeField(allow_null=True)

    example = {
        "code": "K7PWM4XR",
        "status": "valid",
        "attendee_name": "Dana Reyes",
        "ticket_type": {"id": 2, "name": "Adult"},
        "event": ScannedEventResource.example,
        "event_id": 19,
        "occurrence_start": "2026-06-13T19:30",
        "checked_in_at": None,
    }


class TicketOrderResource(RecordResource):
    """An order of event tickets."""

    number = serializers.CharField(help_text="`TIX-nnnn`, as shown to the customer.")
    status = serializers.ChoiceField(OrderStatus.values)
    event = TicketedEventResource()
    event_id = serializers.IntegerField()
    occurrence_start = serializers.CharField(allow_null=True, help_text=OCCURRENCE_HELP)
    email = serializers.EmailField()
    name = serializers.CharField(allow_null=True)
    items = TicketOrderItemResource(many=True)
    subtotal_cents = CentsField()
    discount_cents = CentsField()
    fee_cents = CentsField()
    tax_cents = CentsField()
    total_cents = CentsField()
    currency = CurrencyField()
    promo_code = serializers.CharField(allow_null=True)
    ticket_count = serializers.IntegerField(min_value=0)
    paid_at = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 88,
        "number": "TIX-1088",
        "status": "paid",
        "event": {
            "id": 19,
            "title": "Midsummer quartet",
            "slug": "midsummer-quartet",
            "starts_at": "2026-06-13T23:30:00+00:00",
            "venue": "The great hall",
        },
        "event_id": 19,
        "occurrence_start": "2026-06-13T19:30",
        "email": "dana.reyes@example.com",
        "name": "Dana Reyes",
        "items": [
            {"ticket_type_id": 2, "name": "Adult", "quantity": 2, "unit_price_cents": 3200, "total_cents": 6400},
            {"ticket_type_id": 3, "name": "Student", "quantity": 1, "unit_price_cents": 1800, "total_cents": 1800},
        ],
        "subtotal_cents": 8200,
        "discount_cents": 820,
        "fee_cents": 300,
        "tax_cents": 0,
        "total_cents": 7680,
        "currency": "usd",
        "promo_code": "SPRING10",
        "ticket_count": 3,
        "paid_at": "2026-03-01T18:30:00+00:00",
        "created_at": "2026-03-01T18:27:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


class TicketOrderDetailResource(TicketOrderResource):
    """An order of event tickets with all issued tickets."""

    tickets = AttendeeTicketResource(many=True)

    example = {
        **TicketOrderResource.example,
        "tickets": [
            AttendeeTicketResource.example,
            {**AttendeeTicketResource.example, "id": 302, "code": "TB9H3QDL", "attendee_name": "Sam Okafor"},
            {
                **AttendeeTicketResource.example,
                "id": 303,
                "code": "W2NX6VCA",
                "ticket_type": {"id": 3, "name": "Student"},
                "attendee_name": "Noa Reyes",
            },
        ],
    }


def ticket_order(row: TicketOrder) -> dict[str, Any]:
    """Return an order for a list. Reads its items."""
    event = {"id": row.event_id, **{name: row.event_data.get(name) for name in ("title", "slug", "starts_at", "venue")}}
    return {
        **record(row),
        "number": row.number,
        "status": row.status,
        "event": event,
        "event_id": row.event_id,
        "occurrence_start": row.occurrence_start,
        "email": row.email,
        "name": row.name or None,
        "items": [
            {
                "ticket_type_id": item.ticket_type_id,
                "name": item.name,
                "quantity": item.quantity,
                "unit_price_cents": item.unit_price_cents,
                "total_cents": item.total_cents,
            }
            for item in row.items.all()
        ],
        "subtotal_cents": row.subtotal_cents,
        "discount_cents": row.discount_cents,
        "fee_cents": row.fee_cents,
        "tax_cents": row.tax_cents,
        "total_cents": row.total_cents,
        "currency": row.currency,
        "promo_code": row.promo_code or None,
        "ticket_count": row.ticket_count,
        "paid_at": instant(row.paid_at),
    }


def ticket_order_detail(row: TicketOrder) -> dict[str, Any]:
    """Return an order with its tickets."""
    tickets = list(row.tickets.select_related("checked_in_by").order_by("pk"))
    for ticket in tickets:
        ticket.order = row
    return {**ticket_order(row), "tickets": [attendee_ticket(ticket) for ticket in tickets]}


def attendee_ticket(row: AttendeeTicket) -> dict[str, Any]:
    """Return a ticket. Reads its order."""
    return {
        **record(row),
        "code": row.code,
        "status": row.status,
        "order_id": row.order_id,
        "event_id": row.event_id,
        "ticket_type": {"id": row.ticket_type_id, "name": row.type_name},
        "attendee_name": row.attendee_name or None,
        "purchaser_email": row.order.email,
        "occurrence_start": row.order.occurrence_start,
        "checked_in_at": instant(row.checked_in_at),
        "checked_in_by": refer_to(row.checked_in_by),
        "voided_at": instant(row.voided_at),
    }


def scanned_ticket(row: AttendeeTicket) -> dict[str, Any]:
    """Return what a door has to know of a ticket. Reads its order."""
    whole = attendee_ticket(row)
    event = {"id": row.event_id, "title": row.order.event_data.get("title", "")}
    return {**{name: whole[name] for name in ScannedTicketResource.example if name in whole}, "event": event}
