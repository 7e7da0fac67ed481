"""The wire shape of donations."""

from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, RecordResource, Resource
from commerce.common.resources import AddressResource, PersonResource, SluggedResource


class TributeResource(Resource):
    """The person a donation honours."""

    type = serializers.ChoiceField(("honor", "memory"))
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

    status = serializers.ChoiceField(("pending", "paid", "failed", "refunded"))
    amount_cents = CentsField(help_text="Amount without the fee.")
    fee_cover_cents = CentsField(help_text="Amount that the donor adds to cover the fee.")
    total_cents = CentsField()
    currency = CurrencyField()
    frequency = serializers.ChoiceField(("once", "monthly", "yearly"))
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
