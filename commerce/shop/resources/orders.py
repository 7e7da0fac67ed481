"""The wire shape of orders."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, FlagInput, InputSerializer, RecordResource, Resource
from cms_api.http.wire import instant, record
from commerce.common.resources import AddressResource, LineInput

from ..models import Order, OrderItem
from ..types.orders import MAX_CARRIER, MAX_TRACKING, MAX_TRACKING_URL, OrderStatus


class OrderCustomerResource(Resource):
    """The customer of an order."""

    name = serializers.CharField(allow_null=True)
    phone = serializers.CharField(allow_null=True)


class OrderItemResource(Resource):
    """A line of an order, as sold."""

    product_id = serializers.IntegerField(allow_null=True, help_text="Null if the product was deleted.")
    sku = serializers.CharField(allow_null=True)
    name = serializers.CharField()
    quantity = serializers.IntegerField(min_value=1)
    unit_price_cents = CentsField()
    total_cents = CentsField()


class OrderAddressResource(AddressResource):
    """A shipping or billing address."""

    name = serializers.CharField(allow_null=True, help_text="The recipient.")

    example = {
        "name": "Dana Reyes",
        "street": "14 Canal Street",
        "street2": None,
        "city": "Brattleboro",
        "state": "VT",
        "postal_code": "05301",
        "country": "US",
    }


class OrderResource(RecordResource):
    """A shop order."""

    number = serializers.CharField(help_text="`ORD-nnnn`, as shown to the customer.")
    status = serializers.ChoiceField(tuple(OrderStatus.values))
    email = serializers.EmailField()
    customer = OrderCustomerResource()
    items = OrderItemResource(many=True)
    subtotal_cents = CentsField()
    discount_cents = CentsField()
    shipping_cents = CentsField()
    tax_cents = CentsField()
    total_cents = CentsField()
    currency = CurrencyField()
    shipping_address = OrderAddressResource(allow_null=True)
    billing_address = OrderAddressResource(allow_null=True)
    carrier = serializers.CharField(allow_null=True)
    tracking_number = serializers.CharField(allow_null=True)
    tracking_url = serializers.URLField(allow_null=True)
    placed_at = serializers.DateTimeField(allow_null=True)
    paid_at = serializers.DateTimeField(allow_null=True)
    fulfilled_at = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 142,
        "number": "ORD-1142",
        "status": "fulfilled",
        "email": "dana.reyes@example.com",
        "customer": {"name": "Dana Reyes", "phone": "+1 802 555 0142"},
        "items": [
            {
                "product_id": 7,
                "sku": "MUG-GREY",
                "name": "Stoneware mug, grey",
                "quantity": 2,
                "unit_price_cents": 2400,
                "total_cents": 4800,
            },
            {
                "product_id": 12,
                "sku": "PRINT-A3",
                "name": "Letterpress print, A3",
                "quantity": 1,
                "unit_price_cents": 3500,
                "total_cents": 3500,
            },
        ],
        "subtotal_cents": 8300,
        "discount_cents": 830,
        "shipping_cents": 600,
        "tax_cents": 448,
        "total_cents": 8518,
        "currency": "usd",
        "shipping_address": OrderAddressResource.example,
        "billing_address": OrderAddressResource.example,
        "carrier": "ups",
        "tracking_number": "1Z999AA10123456784",
        "tracking_url": "https://www.ups.com/track?tracknum=1Z999AA10123456784",
        "placed_at": "2026-03-01T18:28:00+00:00",
        "paid_at": "2026-03-01T18:30:00+00:00",
        "fulfilled_at": "2026-03-02T15:05:00+00:00",
        "created_at": "2026-03-01T18:28:00+00:00",
        "updated_at": "2026-03-02T15:05:00+00:00",
    }


class FulfillInput(InputSerializer):
    """How the parcel is sent; everything is optional."""

    carrier = LineInput(max_length=MAX_CARRIER, help_text="ups, usps, fedex, dhl, or the name of any other carrier.")
    tracking_number = LineInput(max_length=MAX_TRACKING)
    tracking_url = LineInput(max_length=MAX_TRACKING_URL, help_text="Derived for known carriers if left out.")
    send_email = FlagInput(required=False, default=True, help_text="Whether the customer gets an email.")

    example = {"carrier": "ups", "tracking_number": "1Z999AA10123456784"}


def order(row: Order) -> dict[str, Any]:
    return {
        **record(row),
        "number": row.number,
        "status": row.status,
        "email": row.email,
        "customer": {"name": row.name or None, "phone": row.phone or None},
        "items": [_item(item) for item in row.items.all()],
        "subtotal_cents": row.subtotal_cents,
        "discount_cents": row.discount_cents,
        "shipping_cents": row.shipping_cents,
        "tax_cents": row.tax_cents,
        "total_cents": row.total_cents,
        "currency": row.currency,
        "shipping_address": _address(row.shipping_address),
        "billing_address": _address(row.billing_address),
        "carrier": row.carrier or None,
        "tracking_number": row.tracking_number or None,
        "tracking_url": row.tracking_url or None,
        "placed_at": instant(row.placed_at),
        "paid_at": instant(row.paid_at),
        "fulfilled_at": instant(row.fulfilled_at),
    }


def _item(item: OrderItem) -> dict[str, Any]:
    return {
        "product_id": item.product_id,
        "sku": item.sku or None,
        "name": item.full_name,
        "quantity": item.quantity,
        "unit_price_cents": item.unit_price_cents,
        "total_cents": item.total_cents,
    }


def _address(address: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if address is None else {key: address.get(key) or None for key in OrderAddressResource.example}
