"""The emails of the shop module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

_NUMBER = Placeholder("The order's number", "ORD-1142")
_SUMMARY = Placeholder(
    "Items and totals",
    Block(
        "2 x Stoneware mug: $48.00\n\nSubtotal: $48.00\nShipping: $6.00\nTotal: $54.00",
        "<table><tr><td>2 x Stoneware mug</td><td>$48.00</td></tr><tr><th>Total</th><td>$54.00</td></tr></table>",
    ),
)

_ORDER = {
    "name": Placeholder("The customer's first name", "Dana"),
    "number": _NUMBER,
    "order_url": Placeholder("The address of the order's page", "https://example.org/shop/orders/MTQy/"),
}

MAILS = (
    Mail(
        "order_confirmed",
        "Confirms a paid order to its customer, with the receipt.",
        subject="Your order {{ number }}",
        placeholders={
            **_ORDER,
            "summary": _SUMMARY,
            "downloads": Placeholder("Links to files that were bought, if any", Block("", "")),
        },
    ),
    Mail(
        "order_received",
        "Notifies the business of a paid order.",
        subject="New order {{ number }} ({{ total }})",
        placeholders={
            "name": Placeholder("The customer's name", "Dana Reyes"),
            "number": _NUMBER,
            "total": Placeholder("The order's total", "$54.00"),
            "summary": _SUMMARY,
            "admin_url": Placeholder("The address of the order in the admin", "https://example.org/admin/orders/inspect/142/"),
        },
        to_staff=True,
    ),
    Mail(
        "order_shipped",
        "Tells a customer that an order, or a part of it, is on its way.",
        subject="Your order {{ number }} has shipped",
        placeholders={
            **_ORDER,
            "shipment": Placeholder(
                "The items in the parcel", Block("- 2 x Stoneware mug", "<ul><li>2 x Stoneware mug</li></ul>")
            ),
            "tracking": Placeholder(
                "How to follow the parcel, if known",
                Block("Tracking: UPS 1Z999AA10123456784", "<p>Tracking: UPS 1Z999AA10123456784</p>"),
            ),
        },
    ),
    Mail(
        "order_ready",
        "Tells a customer that an order, or a part of it, can be picked up.",
        subject="Your order {{ number }} is ready for pick-up",
        placeholders={
            **_ORDER,
            "shipment": Placeholder(
                "The items that are ready", Block("- 2 x Stoneware mug", "<ul><li>2 x Stoneware mug</li></ul>")
            ),
            "place": Placeholder("The name of the shipping method", "Pick-up at the mill"),
        },
    ),
    Mail(
        "order_cancelled",
        "Tells a customer that an order was cancelled.",
        subject="Your order {{ number }} has been cancelled",
        placeholders={**_ORDER, "refund": Placeholder("A sentence about the money", "You have not been charged.")},
    ),
    Mail(
        "order_refunded",
        "Tells a customer that money was refunded.",
        subject="Refund for your order {{ number }}",
        placeholders={**_ORDER, "amount": Placeholder("The amount refunded", "$24.00")},
    ),
    Mail(
        "order_reminder",
        "Reminds a customer of an order that was not paid.",
        subject="Complete your order at {{ site }}",
        placeholders={**_ORDER, "summary": _SUMMARY},
    ),
    Mail(
        "low_stock",
        "Notifies the business of a product that is almost sold out.",
        subject="Low stock: {{ product }}",
        placeholders={
            "product": Placeholder("The product and its variant", "Stoneware mug, grey"),
            "left": Placeholder("How many are left", "2"),
            "product_url": Placeholder("The address of the product in the admin", "https://example.org/admin/products/edit/7/"),
        },
        to_staff=True,
    ),
)
