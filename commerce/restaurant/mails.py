"""The emails of the restaurant module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

_ORDER = {
    "name": "The customer's first name",
    "number": "The order's number",
    "order_url": "The address of the order's page",
}

_SAMPLE = {"name": "Dana", "number": "RES-1064", "order_url": "https://example.org/menu/orders/NjQ/"}

_SUMMARY = Block(
    "2 x Wood-fired pizza (Large): $33.00\n\nSubtotal: $33.00\nTip: $3.00\nTotal: $36.00",
    "<table><tr><td>2 x Wood-fired pizza (Large)</td><td>$33.00</td></tr><tr><th>Total</th><td>$36.00</td></tr></table>",
)

_WHEN = "How and when the customer gets the order"

_SAMPLE_WHEN = "Pick-up: 1 March 2026, 18:55"

MAILS = (
    Mail(
        "restaurant_order_placed",
        "Confirms a restaurant order to its customer.",
        subject="Your order {{ number }}",
        placeholders={**_ORDER, "when": _WHEN, "summary": "Items and totals"},
        sample={**_SAMPLE, "when": _SAMPLE_WHEN, "summary": _SUMMARY},
    ),
    Mail(
        "restaurant_order_received",
        "Notifies the business of a restaurant order.",
        subject="New order {{ number }} ({{ total }})",
        placeholders={
            "name": "The customer's name",
            "number": "The order's number",
            "total": "The order's total",
            "when": _WHEN,
            "summary": "Items and totals",
            "admin_url": "The address of the order in the admin",
        },
        sample={
            "name": "Dana Reyes",
            "number": "RES-1064",
            "total": "$36.00",
            "when": _SAMPLE_WHEN,
            "summary": _SUMMARY,
            "admin_url": "https://example.org/admin/restaurant/orders/inspect/64/",
        },
        to_staff=True,
    ),
    Mail(
        "restaurant_order_ready",
        "Tells a customer that a restaurant order can be picked up, or is on its way.",
        subject="Your order {{ number }} is {{ state }}",
        placeholders={**_ORDER, "state": "“ready for pick-up” or “on its way”"},
        sample={**_SAMPLE, "state": "ready for pick-up"},
    ),
    Mail(
        "restaurant_order_cancelled",
        "Tells a customer that a restaurant order was cancelled.",
        subject="Your order {{ number }} has been cancelled",
        placeholders={**_ORDER, "refund": "A sentence about the money"},
        sample={**_SAMPLE, "refund": "We're refunding $36.00."},
    ),
)
