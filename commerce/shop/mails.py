"""The emails of the shop module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

_ORDER = {
    "name": "The customer's first name",
    "number": "The order's number",
    "order_url": "The address of the order's page",
}

_SAMPLE = {"name": "Dana", "number": "ORD-1142", "order_url": "https://example.org/shop/orders/MTQy/"}

_SUMMARY = Block(
    "2 x Stoneware mug: $48.00\n\nSubtotal: $48.00\nShipping: $6.00\nTotal: $54.00",
    "<table><tr><td>2 x Stoneware mug</td><td>$48.00</td></tr><tr><th>Total</th><td>$54.00</td></tr></table>",
)

MAILS = (
    Mail(
        "order_confirmed",
        "Confirms a paid order to its customer, with the receipt.",
        subject="Your order {{ number }}",
        placeholders={**_ORDER, "summary": "Items and totals", "downloads": "Links to files that were bought, if any"},
        sample={**_SAMPLE, "summary": _SUMMARY, "downloads": Block("", "")},
    ),
    Mail(
        "order_received",
        "Notifies the business of a paid order.",
        subject="New order {{ number }} ({{ total }})",
        placeholders={
            "name": "The customer's name",
            "number": "The order's number",
            "total": "The order's total",
            "summary": "Items and totals",
            "admin_url": "The address of the order in the admin",
        },
        sample={
            "name": "Dana Reyes",
            "number": "ORD-1142",
            "total": "$54.00",
            "summary": _SUMMARY,
            "admin_url": "https://example.org/admin/orders/inspect/142/",
        },
        to_staff=True,
    ),
    Mail(
        "order_shipped",
        "Tells a customer that an order, or a part of it, is on its way.",
        subject="Your order {{ number }} has shipped",
        placeholders={**_ORDER, "shipment": "The items in the parcel", "tracking": "How to follow the parcel, if known"},
        sample={
            **_SAMPLE,
            "shipment": Block("- 2 x Stoneware mug", "<ul><li>2 x Stoneware mug</li></ul>"),
            "tracking": Block("Tracking: UPS 1Z999AA10123456784", "<p>Tracking: UPS 1Z999AA10123456784</p>"),
        },
    ),
    Mail(
        "order_ready",
        "Tells a customer that an order, or a part of it, can be picked up.",
        subject="Your order {{ number }} is ready for pick-up",
        placeholders={**_ORDER, "shipment": "The items that are ready", "place": "The name of the shipping method"},
        sample={
            **_SAMPLE,
            "shipment": Block("- 2 x Stoneware mug", "<ul><li>2 x Stoneware mug</li></ul>"),
            "place": "Pick-up at the mill",
        },
    ),
    Mail(
        "order_cancelled",
        "Tells a customer that an order was cancelled.",
        subject="Your order {{ number }} has been cancelled",
        placeholders={**_ORDER, "refund": "A sentence about the money"},
        sample={**_SAMPLE, "refund": "You have not been charged."},
    ),
    Mail(
        "order_refunded",
        "Tells a customer that money was refunded.",
        subject="Refund for your order {{ number }}",
        placeholders={**_ORDER, "amount": "The amount refunded"},
        sample={**_SAMPLE, "amount": "$24.00"},
    ),
    Mail(
        "order_reminder",
        "Reminds a customer of an order that was not paid.",
        subject="Complete your order at {{ site }}",
        placeholders={**_ORDER, "summary": "Items and totals"},
        sample={**_SAMPLE, "summary": _SUMMARY},
    ),
    Mail(
        "low_stock",
        "Notifies the business of a product that is almost sold out.",
        subject="Low stock: {{ product }}",
        placeholders={
            "product": "The product and its variant",
            "left": "How many are left",
            "product_url": "The address of the product in the admin",
        },
        sample={"product": "Stoneware mug, grey", "left": "2", "product_url": "https://example.org/admin/products/edit/7/"},
        to_staff=True,
    ),
)
