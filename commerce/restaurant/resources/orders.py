"""The wire shape of restaurant orders."""

from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, RecordResource, Resource
from cms_api.http.wire import instant, record
from commerce.common.resources import AddressResource

from ..models import RestaurantOrder, RestaurantOrderItem


class RestaurantCustomerResource(Resource):
    """The customer of an order."""

    name = serializers.CharField()
    email = serializers.EmailField(allow_null=True)
    phone = serializers.CharField(allow_null=True)


class MenuModifierResource(Resource):
    """A chosen modifier of a dish."""

    name = serializers.CharField()
    price_cents = CentsField(help_text="Added to the unit price.")


class RestaurantOrderItemResource(Resource):
    """A dish of an order, as sold."""

    menu_item_id = serializers.IntegerField(allow_null=True, help_text="Null if the dish was deleted.")
    name = serializers.CharField()
    quantity = serializers.IntegerField(min_value=1)
    unit_price_cents = CentsField(help_text="Without modifiers.")
    modifiers = MenuModifierResource(many=True)
    total_cents = CentsField(help_text="Quantity times the sum of unit price and modifiers.")
    notes = serializers.CharField(allow_null=True)


class RestaurantPaymentResource(Resource):
    """The payment of an order."""

    method = serializers.ChoiceField(("online", "at_store"))
    status = serializers.ChoiceField(("unpaid", "paid", "refunded"))
    paid_at = serializers.DateTimeField(allow_null=True)


class RestaurantOrderResource(RecordResource):
    """A restaurant order."""

    number = serializers.CharField(help_text="`RES-nnnn`, as shown to the customer.")
    status = serializers.ChoiceField(("pending", "placed", "preparing", "ready", "completed", "cancelled"))
    fulfillment = serializers.ChoiceField(("pickup", "delivery", "dine_in"))
    customer = RestaurantCustomerResource()
    table = serializers.CharField(allow_null=True, help_text="The table, for `dine_in`.")
    delivery_address = AddressResource(allow_null=True, help_text="The delivery address, for `delivery`.")
    items = RestaurantOrderItemResource(many=True)
    subtotal_cents = CentsField()
    discount_cents = CentsField()
    delivery_fee_cents = CentsField()
    tax_cents = CentsField()
    tip_cents = CentsField()
    total_cents = CentsField()
    currency = CurrencyField()
    payment = RestaurantPaymentResource()
    notes = serializers.CharField(allow_null=True)
    placed_at = serializers.DateTimeField(allow_null=True)
    ready_at = serializers.DateTimeField(allow_null=True, help_text="When it is ready, or expected to be.")

    example = {
        "id": 64,
        "number": "RES-1064",
        "status": "placed",
        "fulfillment": "pickup",
        "customer": {"name": "Dana Reyes", "email": "dana.reyes@example.com", "phone": "+1 802 555 0142"},
        "table": None,
        "delivery_address": None,
        "items": [
            {
                "menu_item_id": 5,
                "name": "Wood-fired pizza",
                "quantity": 2,
                "unit_price_cents": 1450,
                "modifiers": [{"name": "Extra mozzarella", "price_cents": 200}, {"name": "No olives", "price_cents": 0}],
                "total_cents": 3300,
                "notes": "One of them well done, please.",
            },
            {
                "menu_item_id": 18,
                "name": "Rhubarb lemonade",
                "quantity": 2,
                "unit_price_cents": 450,
                "modifiers": [],
                "total_cents": 900,
                "notes": None,
            },
        ],
        "subtotal_cents": 4200,
        "discount_cents": 0,
        "delivery_fee_cents": 0,
        "tax_cents": 378,
        "tip_cents": 600,
        "total_cents": 5178,
        "currency": "usd",
        "payment": {"method": "online", "status": "paid", "paid_at": "2026-03-01T18:30:00+00:00"},
        "notes": None,
        "placed_at": "2026-03-01T18:30:00+00:00",
        "ready_at": "2026-03-01T18:55:00+00:00",
        "created_at": "2026-03-01T18:29:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


def restaurant_order(row: RestaurantOrder) -> dict[str, Any]:
    return {
        **record(row),
        "number": row.number,
        "status": row.status,
        "fulfillment": row.fulfillment,
        "customer": {"name": row.name, "email": row.email or None, "phone": row.phone or None},
        "table": row.table or None,
        "delivery_address": _address(row),
        "items": [_item(item) for item in row.items.all()],
        "subtotal_cents": row.subtotal_cents,
        "discount_cents": row.discount_cents,
        "delivery_fee_cents": row.delivery_fee_cents,
        "tax_cents": row.tax_cents,
        "tip_cents": row.tip_cents,
        "total_cents": row.total_cents,
        "currency": row.currency,
        "payment": {"method": row.payment_method, "status": _payment_status(row), "paid_at": instant(row.paid_at)},
        "notes": row.notes or None,
        "placed_at": instant(row.placed_at),
        "ready_at": instant(row.expected_at),
    }


def _payment_status(row: RestaurantOrder) -> str:
    if row.paid_at is None:
        return "unpaid"
    return "refunded" if row.refunded_cents and row.refunded_cents == row.total_cents else "paid"


def _address(row: RestaurantOrder) -> dict[str, Any] | None:
    keys = ("street", "street2", "city", "state", "postal_code", "country")
    return {key: row.delivery_address.get(key) or None for key in keys} if row.delivery_address else None


def _item(item: RestaurantOrderItem) -> dict[str, Any]:
    return {
        "menu_item_id": item.menu_item_id,
        "name": item.name,
        "quantity": item.quantity,
        "unit_price_cents": item.unit_price_cents,
        "modifiers": item.modifiers,
        "total_cents": item.total_cents,
        "notes": item.notes or None,
    }
