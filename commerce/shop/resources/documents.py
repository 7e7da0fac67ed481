"""The documents of an order, from what was stored when it was placed and paid."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from cms_api.flags.selectors import site_country, site_formats, site_timezone
from cms_api.text.addresses import address_lines
from commerce.common.selectors import format_money
from commerce.common.services.documents import Document, Pdf, make_document, render_pdf, typeset
from commerce.common.types.money import Money

from ..models import Order, OrderItem
from . import sums

#: The label of the row in bold.
TOTAL = "Total"


def receipt(order: Order) -> Pdf:
    return typeset(receipt_document(order))


def receipt_document(order: Order) -> Document:
    """Return the receipt of an order."""
    data = {
        "title": "Receipt",
        "number": order.number,
        "facts": [*_facts({"Order date": order.placed_at, "Payment date": order.paid_at}), ["Email", order.email]],
        "addresses": _addresses(order),
        "items": [_show_item(order, item) for item in order.items.all()],
        "sums": [{"label": name, "amount": amount, "is_total": name == TOTAL} for name, amount in sums.of_order(order)],
        "notes": ["Prices include tax."] if order.prices_include_tax and order.tax_cents else [],
    }
    return make_document("receipt", data, at=order.paid_at or order.placed_at)


def packing_slip(order: Order) -> Pdf:
    """Return the list of what is packed for an order, without prices and without what is downloaded."""
    method = [["Pick-up" if order.is_pickup else "Shipping", order.shipping_method]] if order.shipping_method else []
    data = {
        "title": "Packing slip",
        "number": order.number,
        "facts": [*_facts({"Order date": order.placed_at}), *method, *([["Phone", order.phone]] if order.phone else [])],
        "addresses": _label_address("Customer" if order.is_pickup else "Ship to", order.shipping_address)
        or [{"label": "Customer", "lines": [order.name or order.email]}],
        "items": [
            {
                "name": item.full_name,
                "notes": _notes(item),
                "ordered": str(item.quantity - item.refunded),
                "to_send": str(item.unshipped),
            }
            for item in order.items.all()
            if not item.is_digital and item.quantity > item.refunded
        ],
        "notes": [{"label": "Note from the customer", "text": order.customer_note}] if order.customer_note else [],
    }
    return render_pdf("packing_slip", data, at=order.placed_at)


def _facts(moments: Mapping[str, datetime | None]) -> list[list[str]]:
    zone, formats = site_timezone(), site_formats()
    return [[name, formats.date(timezone.localtime(moment, zone).date())] for name, moment in moments.items() if moment]


def _addresses(order: Order) -> list[dict[str, Any]]:
    if order.billing_address == order.shipping_address:
        return _label_address("Billing and shipping address", order.billing_address)
    return [
        *_label_address("Billing address", order.billing_address),
        *_label_address("Shipping address", order.shipping_address),
    ]


def _label_address(label: str, address: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return an address with its label, if there is one."""
    if not address:
        return []
    return [{"label": label, "lines": [*filter(None, [address.get("name")]), *address_lines(address, home=site_country())]}]


def _show_item(order: Order, item: OrderItem) -> dict[str, Any]:
    return {
        "name": item.full_name,
        "notes": _notes(item) + ([f"{item.refunded} refunded"] if item.refunded else []),
        "quantity": str(item.quantity),
        "price": format_money(Money(item.unit_price_cents, order.currency)),
        "amount": format_money(Money(item.total_cents, order.currency)),
    }


def _notes(item: OrderItem) -> list[str]:
    return [f"SKU {item.sku}"] if item.sku else []
