"""The base of the forms of invoices and recurring invoices: the client, the items, the discount and the texts."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from django import forms
from wagtail import blocks
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.forms import RecordForm
from cms_api.flags.selectors import site_country
from cms_api.text.addresses import country_code
from commerce.common.admin.amounts import use_currency
from commerce.common.selectors import tax_rates
from commerce.common.types.amounts import AmountBlock, AmountField, NumberBlock, PercentBlock, PercentField
from commerce.common.types.tax import MAX_RATE_DECIMALS, MAX_TAX_LABEL, TaxRate

from ..models import Client
from ..types.invoices import MAX_DESCRIPTION, MAX_REFERENCE, MAX_TEXT
from ..types.items import MAX_QUANTITY, QUANTITY_DECIMALS
from .choosers import CLIENT_CHOOSER

#: Items of one form: each sends ten fields.
MAX_FORM_ITEMS = 100
#: The ids of the lists of suggestions in `templates/invoicing_admin/form.html`.
PERCENTS, LABELS = "tax-percents", "tax-labels"
PERCENTAGES = ("discount_percent", "tax_percent")


class TextBlock(blocks.CharBlock):
    """A line of text with attributes of its own."""

    def __init__(self, *args: Any, attrs: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.field.widget.attrs |= {"autocomplete": "off", **attrs}


class ItemBlock(blocks.StructBlock):
    description = blocks.CharBlock(max_length=MAX_DESCRIPTION)
    quantity = NumberBlock(label="Quantity", field={"decimals": QUANTITY_DECIMALS, "highest": MAX_QUANTITY}, default=Decimal(1))
    unit_price_cents = AmountBlock(label="Unit price")
    discount_percent = PercentBlock(label="Discount (%)", field={"decimals": MAX_RATE_DECIMALS, "required": False})
    tax_percent = PercentBlock(
        label="Tax (%)", field={"decimals": MAX_RATE_DECIMALS, "required": False}, attrs={"list": PERCENTS}
    )
    tax_label = TextBlock(label="Tax name", required=False, max_length=MAX_TAX_LABEL, attrs={"list": LABELS})

    class Meta:
        icon = "list-ul"
        label_format = "{description}"
        form_classname = "struct-block invoice-item"


@cache
def items_block(currency: str) -> blocks.StreamBlock:
    """Return the block of items whose prices are in a currency."""
    price = AmountBlock(label="Unit price", currency=currency)
    # A stream of one kind of block: Wagtail's script for a list fails where it is a form field by itself.
    return blocks.StreamBlock([("item", ItemBlock([("unit_price_cents", price)]))], max_num=MAX_FORM_ITEMS)


def rows_of(items: Sequence[Mapping[str, Any]], block: blocks.StreamBlock) -> Any:
    """Return items as `types.items.read_items` reads them as the value of the block."""
    rows = [
        {**item, "quantity": Decimal(item.get("quantity") or 0)}
        | {name: Decimal(item.get(name) or 0) or None for name in PERCENTAGES}
        for item in items
    ]
    return block.to_python([{"type": "item", "value": row} for row in rows or [{}]])


class ItemsForm(RecordForm):
    refused_at = {"items": "items_editor", "discount_cents": "discount"}

    client = forms.ModelChoiceField(Client.objects.all(), widget=CLIENT_CHOOSER.widget_class)
    reference = forms.CharField(
        required=False, max_length=MAX_REFERENCE, help_text="The client's own number, such as that of a purchase order."
    )
    prices_include_tax = forms.BooleanField(required=False)
    items_editor = blocks.BlockField(items_block(""), label="Items")
    discount_percent = PercentField(required=False, decimals=MAX_RATE_DECIMALS, label="Discount in percent")
    discount = AmountField(required=False, label="Discount as an amount", help_text="Instead of a percentage.")
    notes = forms.CharField(required=False, max_length=MAX_TEXT, widget=AdminAutoHeightTextInput(attrs={"rows": 2}))
    terms = forms.CharField(
        required=False,
        max_length=MAX_TEXT,
        widget=AdminAutoHeightTextInput(attrs={"rows": 2}),
        help_text="For example how to pay by bank transfer.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        record: Any = self.instance
        block = items_block(record.currency)
        self.fields["items_editor"] = blocks.BlockField(block, label="Items")
        use_currency(self, record.currency, "discount")
        self.initial |= {
            "items_editor": rows_of(self.stored_items() if record.pk else [], block),
            "discount_percent": record.discount_percent or None,
            "discount": None if record.discount_percent else record.discount_cents or None,
        }
        self.rates = suggested_rates(record.client if record.client_id else None)

    def stored_items(self) -> list[dict[str, Any]]:
        """Return the items of the record as `types.items.read_items` reads them."""
        raise NotImplementedError

    def values(self) -> dict[str, Any]:
        values = super().values()
        values["discount_cents"] = values.pop("discount") or 0
        labels = {rate.percent: rate.label for rate in self.rates}
        values["items"] = [self._item(block.value, labels) for block in values.pop("items_editor")]
        return values

    def _item(self, row: Mapping[str, Any], labels: Mapping[Decimal, str]) -> dict[str, Any]:
        """Return an item for the service; a tax without a name gets that of the tax rate with its percentage."""
        item = {**row, "tax_label": row["tax_label"] or ""}
        if row["tax_percent"] and not item["tax_label"].strip():
            item["tax_label"] = labels.get(row["tax_percent"], "")
        return item


def suggested_rates(client: Client | None) -> list[TaxRate]:
    """Return the tax rates of the client's country and of the site's, each once."""
    codes = [country_code(client.country) if client else "", site_country()]
    region = client.state if client else ""
    found = [
        rate
        for place, code in enumerate(codes)
        if code
        for rate in tax_rates(code, "" if place else region).values()
        if rate.percent
    ]
    return list(dict.fromkeys(found))
