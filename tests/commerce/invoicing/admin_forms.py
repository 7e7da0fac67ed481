"""The fields that the forms of the admin send, with the changes that a test needs."""

from typing import Any

from commerce.invoicing.models import Client


def item_row(**changes: str) -> dict[str, str]:
    return {
        "description": "Work",
        "quantity": "2",
        "unit_price_cents": "12.50",
        "discount_percent": "",
        "tax_percent": "",
        "tax_label": "",
    } | changes


def item_rows(*rows: dict[str, str]) -> dict[str, str]:
    """The fields of the stream of items."""
    found = {"items_editor-count": str(len(rows))}
    for number, row in enumerate(rows):
        prefix = f"items_editor-{number}"
        found |= {f"{prefix}-deleted": "", f"{prefix}-order": str(number), f"{prefix}-type": "item", f"{prefix}-id": ""}
        found |= {f"{prefix}-value-{name}": value for name, value in row.items()}
    return found


def invoice_form(client: Client, *rows: dict[str, str], **changes: Any) -> dict[str, Any]:
    """The fields of the form of an invoice or estimate with an item over 25.00, unless others are given."""
    texts = {"recipient": "", "reference": "", "issue_date": "", "days": "30", "due_date": ""}
    more = {"discount_percent": "", "discount": "", "notes": "", "terms": ""}
    return {"client": str(client.pk), **texts, **more, **item_rows(*(rows or (item_row(),))), **changes}


def recurring_form(client: Client, *rows: dict[str, str], **changes: Any) -> dict[str, Any]:
    plan = {"name": "Retainer", "starts_on": "2030-01-31", "ends_on": "", "every": "1", "interval": "month"}
    more = {"due_days": "14", "delivery": "draft", "reference": ""}
    texts = {"discount_percent": "", "discount": "", "notes": "", "terms": ""}
    return {"client": str(client.pk), **plan, **more, **texts, **item_rows(*(rows or (item_row(),))), **changes}
