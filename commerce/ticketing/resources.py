"""The wire shapes of ticket orders and attendees' tickets."""

from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, RecordResource, Resource
from commerce.common.resources import NamedResource

OCCURRENCE_HELP = "The chosen occurrence of a repeating event, as local time without an offset."


class TicketedEventResource(Resource):
    """The event of a ticket order, as sold."""

    id = serializers.IntegerField()
    title = serializers.CharField()
    slug = serializers.CharField()
    starts_at = serializers.DateTimeField(allow_null=True, help_text="Null for an all-day event.")
    venue = serializers.CharField(allow_null=True)


class TicketOrderItemResource(Resource):
    """A line of a ticket order, as sold."""

    ticket_type_id = serializers.IntegerField(allow_null=True, help_text="Null if the ticket type was deleted.")
    name = serializers.CharField()
    quantity = serializers.IntegerField(min_value=1)
    unit_price_cents = CentsField()
    total_cents = CentsField()


class AttendeeTicketResource(RecordResource):
    """A ticket shown at the door."""

    code = serializers.CharField(help_text="As printed; not case-sensitive.")
    status = serializers.ChoiceField(("valid", "checked_in", "void"))
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


class TicketOrderResource(RecordResource):
    """An order of event tickets."""

    number = serializers.CharField(help_text="`TIX-nnnn`, as shown to the customer.")
    status = serializers.ChoiceField(("pending", "paid", "cancelled", "refunded"))
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
