"""The wire shape of donations."""

from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, RecordResource, Resource
from cms_api.http.wire import instant, record
from commerce.common.resources import AddressResource, PersonResource, SluggedResource, address, person

from ..models import Campaign, Donation, Fundraiser
from ..types.donations import DonationStatus, Frequency, TributeType


class TributeResource(Resource):
    """The person a donation honours."""

    type = serializers.ChoiceField(TributeType.values)
    name = serializers.CharField()
    message = serializers.CharField(allow_null=True)


class DonorResource(PersonResource, AddressResource):
    """The donor."""

    email = serializers.EmailField()
    phone = serializers.CharField(allow_null=True)
    anonymous = serializers.BooleanField(help_text="Whether the donor is not named in public.")

    example = {
        "name": "Dana Reyes",
        "first_name": "Dana",
        "last_name": "Reyes",
        "email": "dana.reyes@example.com",
        "phone": None,
        "street": "14 Canal Street",
        "street2": None,
        "city": "Brattleboro",
        "state": "VT",
        "postal_code": "05301",
        "country": "US",
        "anonymous": False,
    }


class DonationResource(RecordResource):
    """A donation, or one payment of a recurring one."""

    status = serializers.ChoiceField(DonationStatus.values)
    amount_cents = CentsField(help_text="Amount without the fee.")
    fee_cover_cents = CentsField(help_text="Amount that the donor adds to cover the fee.")
    total_cents = CentsField()
    currency = CurrencyField()
    frequency = serializers.ChoiceField(Frequency.values)
    designation = serializers.CharField(allow_null=True, help_text="Purpose of the donation.")
    tribute = TributeResource(allow_null=True)
    donor = DonorResource()
    campaign = SluggedResource(allow_null=True)
    fundraiser = SluggedResource(allow_null=True, help_text="The peer-to-peer fundraiser that received it.")
    message = serializers.CharField(allow_null=True)
    paid_at = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 205,
        "status": "paid",
        "amount_cents": 5000,
        "fee_cover_cents": 175,
        "total_cents": 5175,
        "currency": "usd",
        "frequency": "monthly",
        "designation": "Youth workshops",
        "tribute": {"type": "memory", "name": "Alma Reyes", "message": "She taught us all to throw."},
        "donor": DonorResource.example,
        "campaign": {"id": 6, "name": "A kiln for the mill", "slug": "a-kiln-for-the-mill"},
        "fundraiser": None,
        "message": "Keep the wheels turning.",
        "paid_at": "2026-03-01T18:30:00+00:00",
        "created_at": "2026-03-01T18:29:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


def donation(row: Donation) -> dict[str, Any]:
    return {
        **record(row),
        "status": row.status,
        "amount_cents": row.amount_cents,
        "fee_cover_cents": row.fee_cover_cents,
        "total_cents": row.total_cents,
        "currency": row.currency,
        "frequency": row.frequency,
        "designation": row.designation or None,
        "tribute": _tribute(row),
        "donor": _donor(row),
        "campaign": _refer_to(row.campaign),
        "fundraiser": _refer_to(row.fundraiser),
        "message": row.message or None,
        "paid_at": instant(row.paid_at),
    }


def _tribute(row: Donation) -> dict[str, Any] | None:
    if not row.tribute_type:
        return None
    return {"type": row.tribute_type, "name": row.tribute_name, "message": row.tribute_message or None}


def _donor(row: Donation) -> dict[str, Any]:
    contact = {"email": row.email, "phone": row.phone or None}
    return {**person(row), **contact, **address(row), "anonymous": row.is_anonymous}


def _refer_to(row: Campaign | Fundraiser | None) -> dict[str, Any] | None:
    return None if row is None else {"id": row.pk, "name": row.name, "slug": row.slug}
