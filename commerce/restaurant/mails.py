"""The emails of the restaurant module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

_NUMBER = Placeholder("The order's number", "RES-1064")
_WHEN = Placeholder("How and when the customer gets the order", "Pick-up: 1 March 2026, 18:55")
_SUMMARY = Placeholder(
    "Items and totals",
    Block(
        "2 x Wood-fired pizza (Large): $33.00\n\nSubtotal: $33.00\nTip: $3.00\nTotal: $36.00",
        "<table><tr><td>2 x Wood-fired pizza (Large)</td><td>$33.00</td></tr><tr><th>Total</th><td>$36.00</td></tr></table>",
    ),
)

_ORDER = {
    "name": Placeholder("The customer's first name", "Dana"),
    "number": _NUMBER,
    "order_url": Placeholder("The address of the order's page", "https://example.org/menu/orders/NjQ/"),
}

MAILS = (
    Mail(
        "restaurant_order_placed",
        "Confirms a restaurant order to its customer.",
        subject="Your order {{ number }}",
        placeholders={**_ORDER, "when": _WHEN, "summary": _SUMMARY},
    ),
    Mail(
        "restaurant_order_received",
        "Notifies the business of a restaurant order.",
        subject="New order {{ number }} ({{ total }})",
        placeholders={
            "name": Placeholder("The customer's name", "Dana Reyes"),
            "number": _NUMBER,
            "total": Placeholder("The order's total", "$36.00"),
            "when": _WHEN,
            "summary": _SUMMARY,
            "admin_url": Placeholder(
                "The address of the order in the admin", "https://example.org/admin/restaurant/orders/inspect/64/"
            ),
        },
        to_staff=True,
    ),
    Mail(
        "restaurant_order_ready",
        "Tells a customer that a restaurant order can be picked up, or is on its way.",
        subject="Your order {{ number }} is {{ state }}",
        placeholders={**_ORDER, "state": Placeholder("“ready for pick-up” or “on its way”", "ready for pick-up")},
    ),
    Mail(
        "restaurant_order_cancelled",
        "Tells a customer that a restaurant order was cancelled.",
        subject="Your order {{ number }} has been cancelled",
        placeholders={**_ORDER, "refund": Placeholder("A sentence about the money", "We're refunding $36.00.")},
    ),
)
