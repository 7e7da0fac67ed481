"""The wire shape of appointments."""

from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, RecordResource, Resource
from cms_api.http.wire import instant, record
from commerce.common.resources import NamedResource

from ..models import Appointment
from ..selectors.appointments import MANAGE_LINK
from ..types.appointments import AppointmentStatus


class AppointmentCustomerResource(Resource):
    """The customer of an appointment."""

    name = serializers.CharField()
    email = serializers.EmailField()
    phone = serializers.CharField(allow_null=True)


class BookedServiceResource(NamedResource):
    """The booked service, as it was at the time of booking."""

    duration_minutes = serializers.IntegerField(min_value=1)


class IntakeAnswerResource(Resource):
    """An intake question and its answer."""

    question = serializers.CharField()
    answer = serializers.CharField(allow_null=True)


class AppointmentResource(RecordResource):
    """An appointment."""

    status = serializers.ChoiceField(AppointmentStatus.values)
    customer = AppointmentCustomerResource()
    service = BookedServiceResource()
    staff = NamedResource()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    timezone = serializers.CharField(help_text="The customer's time zone, as an IANA name.")
    price_cents = CentsField()
    deposit_cents = CentsField(help_text="Amount due at booking.")
    discount_cents = CentsField()
    amount_paid_cents = CentsField()
    balance_due_cents = CentsField(help_text="The price, less the discount and what was paid.")
    currency = CurrencyField()
    intake = IntakeAnswerResource(many=True)
    manage_url = serializers.URLField(help_text="Page on which the customer can reschedule or cancel.")
    notes = serializers.CharField(allow_null=True)
    cancelled_at = serializers.DateTimeField(allow_null=True)
    completed_at = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 77,
        "status": "confirmed",
        "customer": {"name": "Dana Reyes", "email": "dana.reyes@example.com", "phone": "+1 802 555 0142"},
        "service": {"id": 4, "name": "Wheel throwing, one to one", "duration_minutes": 90},
        "staff": {"id": 3, "name": "Robin Vale"},
        "starts_at": "2026-03-10T14:00:00+00:00",
        "ends_at": "2026-03-10T15:30:00+00:00",
        "timezone": "America/New_York",
        "price_cents": 9000,
        "deposit_cents": 2000,
        "discount_cents": 900,
        "amount_paid_cents": 2000,
        "balance_due_cents": 6100,
        "currency": "usd",
        "intake": [{"question": "Have you thrown before?", "answer": "Twice, long ago."}],
        "manage_url": "https://example.com/booking/manage/77:6Jt0pWq3",
        "notes": None,
        "cancelled_at": None,
        "completed_at": None,
        "created_at": "2026-03-01T18:30:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


def appointment(row: Appointment) -> dict[str, Any]:
    return {
        **record(row),
        "status": row.status,
        "customer": {"name": row.name, "email": row.email, "phone": row.phone or None},
        "service": {"id": row.service_id, "name": row.service_name, "duration_minutes": row.duration_minutes},
        "staff": {"id": row.staff_id, "name": row.staff_name},
        "starts_at": instant(row.starts_at),
        "ends_at": instant(row.ends_at),
        "timezone": row.timezone,
        "price_cents": row.price_cents,
        "deposit_cents": row.deposit_cents,
        "discount_cents": row.discount_cents,
        "amount_paid_cents": row.amount_paid_cents,
        "balance_due_cents": row.balance_due_cents,
        "currency": row.currency,
        "intake": row.intake,
        "manage_url": MANAGE_LINK.url(row),
        "notes": row.notes or None,
        "cancelled_at": instant(row.cancelled_at),
        "completed_at": instant(row.completed_at),
    }
