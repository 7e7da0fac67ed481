"""Shipping methods in the admin."""

from decimal import Decimal
from functools import cache
from typing import Any

from django import forms
from django.db.models import QuerySet
from wagtail import blocks
from wagtail.admin.panels import FieldPanel, HelpPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit import filters
from cms_api.adminkit.columns import RecordColumn, SwitchColumn, TransitionsColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.transitions import switching
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.adminkit.widgets import GroupedCheckboxes
from cms_api.core.errors import ErrorCollector, Invalid
from cms_api.flags.selectors import site_formats
from cms_api.text.addresses import EUROPEAN_UNION, countries, country_name
from commerce.common.admin.amounts import use_currency
from commerce.common.selectors import format_money
from commerce.common.types.amounts import AmountBlock, AmountField, parse_amount, typed_amount
from commerce.common.types.money import Money

from ..models import ShippingMethod
from ..services import save_shipping_method, switch_shipping_method
from ..types.shipping import BY_BRACKETS, MAX_BRACKETS, MAX_POSITION, ShippingKind

#: Countries that the list names.
SHOWN_COUNTRIES = 3
#: A kilogram.
GRAMS = 1000
PRICES_HELP = (
    "<p>A flat rate and a pick-up have one price. By weight and by order value, each row is the price up to a limit: in "
    "kilograms, or of the items after discounts. The method is not offered beyond the last limit; leave that empty to offer it "
    "always.</p>"
)


@cache
def brackets_block(currency: str) -> blocks.ListBlock:
    """Return the block of prices in a currency, each up to a limit."""
    return blocks.ListBlock(
        blocks.StructBlock(
            [
                ("up_to", blocks.CharBlock(required=False, max_length=30, label="Up to", help_text="Kilograms, or order value.")),
                ("price_cents", AmountBlock(label="Price", currency=currency)),
            ],
            label_format="{up_to}: {price_cents}",
        ),
        label="Prices",
        default=[],
        max_num=MAX_BRACKETS,
    )


def country_groups() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return all countries to choose from, in two groups."""
    found = countries().items()
    return [
        ("European Union", [(code, name) for code, name in found if code in EUROPEAN_UNION]),
        ("Other countries", [(code, name) for code, name in found if code not in EUROPEAN_UNION]),
    ]


def limit_text(kind: str, up_to: int | None, currency: str) -> str:
    """Return the limit of a bracket as it is typed: kilograms, or an amount."""
    if up_to is None:
        return ""
    if kind == ShippingKind.WEIGHT:
        return site_formats().typed_number(Decimal(up_to) / GRAMS)
    return typed_amount(up_to, currency)


def parse_limit(kind: str, text: str, currency: str) -> int | None:
    """Return a typed limit in grams or minor units; None if it is empty. Raises Invalid."""
    if not text.strip():
        return None
    if kind != ShippingKind.WEIGHT:
        return parse_amount(text, currency, key="limit").cents
    try:
        kilograms = site_formats().read_number(text, decimals=3, units=["kg"])
        if kilograms <= 0:
            raise ValueError(text)
        return int(kilograms * GRAMS)
    except ValueError:
        example = site_formats().number(Decimal("1.5"))
        raise Invalid({"limit": f"The limit must be a number of kilograms such as {example}."}) from None


class ShippingMethodForm(RecordForm):
    refused_at = {"price_cents": "price", "free_from_cents": "free_from"}

    price = AmountField(required=False, help_text="Of a flat rate or a pick-up; empty for free.")
    brackets = blocks.BlockField(brackets_block(""), required=False, label="Prices by weight or order value")
    free_from = AmountField(
        required=False, label="Free from", help_text="The order value from which it is free. Leave empty if it never is."
    )
    countries = forms.MultipleChoiceField(
        required=False,
        choices=country_groups,
        widget=GroupedCheckboxes,
        help_text="Tick none to ship everywhere. Pick-ups are offered to everybody.",
    )
    position = forms.IntegerField(min_value=0, max_value=MAX_POSITION, help_text="Methods with lower numbers come first.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        method: Any = self.instance
        self.currency = currency = method.currency if method.has_amounts else ""
        block = brackets_block(currency)
        self.fields["brackets"] = blocks.BlockField(block, required=False, label=self.fields["brackets"].label)
        rows = [
            {"up_to": limit_text(method.kind, each["up_to"], currency), "price_cents": each["price_cents"]}
            for each in method.brackets
        ]
        self.initial |= {
            "price": method.price_cents,
            "free_from": method.free_from_cents,
            "brackets": block.normalize(rows),
            "countries": method.countries,
        }
        use_currency(self, currency, "price", "free_from")

    def values(self) -> dict[str, Any]:
        values = super().values()
        values["price_cents"] = values.pop("price") or 0
        values["free_from_cents"] = values.pop("free_from")
        errors, brackets = ErrorCollector(), []
        for place, row in enumerate(values["brackets"] if values["kind"] in BY_BRACKETS else []):
            up_to = None
            try:
                up_to = parse_limit(values["kind"], row["up_to"], self.currency)
            except Invalid as refusal:
                errors.add(f"brackets.{place}.up_to", refusal.message)
            brackets.append({"up_to": up_to, "price_cents": row["price_cents"]})
        errors.raise_if_any()
        return {**values, "brackets": brackets}

    class Meta(RecordForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 2}), "kind": forms.RadioSelect}
        labels = {"kind": "Type"}


def price_words(method: ShippingMethod) -> str:
    """Return the price in a few words: `$5.00, free from $75.00`."""
    prices = [each["price_cents"] for each in method.brackets] or [method.price_cents]
    low, high = (format_money(Money(cents, method.currency)) if cents else "Free" for cents in (min(prices), max(prices)))
    words = low if low == high else f"{low} to {high}"
    if method.free_from_cents is None:
        return words
    return f"{words}, free from {format_money(Money(method.free_from_cents, method.currency))}"


def country_words(method: ShippingMethod) -> str:
    if method.is_pickup:
        return ""
    names = sorted(map(country_name, method.countries))[:SHOWN_COUNTRIES]
    more = len(method.countries) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "") if names else "Everywhere"


class ShippingMethodViewSet(RecordViewSet):
    model = ShippingMethod
    icon = "site"
    menu_label = "Shipping methods"
    menu_order = 40
    name = "shipping_methods"
    url_prefix = "shop/shipping"
    ordering = ("position", "name", "id")
    search_fields = ["name", "description"]
    delete_consequence = "It is no longer offered at checkout. Orders keep its name and price."
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("kind", label="Type", accessor="get_kind_display", sort_key="kind"),
        Column("price", label="Price", accessor=price_words),
        Column("countries", label="Countries", accessor=country_words),
        SwitchColumn("enabled"),
        Column("position", label="Position", sort_key="position"),
        TransitionsColumn("actions", label="Actions", accessor=lambda record: ""),
    )
    filters = {
        "kind": filters.choice(ShippingKind.choices, label="Type"),
        "enabled": filters.choice([("True", "Enabled"), ("False", "Disabled")], label="State"),
    }
    form = ShippingMethodForm
    panels = (
        MultiFieldPanel([FieldPanel("name"), FieldPanel("description"), FieldPanel("kind")], heading="Method", icon="site"),
        MultiFieldPanel(
            [
                HelpPanel(PRICES_HELP),
                FieldPanel("price"),
                FieldPanel("brackets"),
                FieldPanel("free_from"),
                FieldPanel("tax_class", help_text="How the price of shipping is taxed."),
            ],
            heading="Prices",
            icon="doc-full",
        ),
        MultiFieldPanel([FieldPanel("enabled"), FieldPanel("position")], heading="Availability", icon="view"),
        MultiFieldPanel([FieldPanel("countries")], heading="Countries", icon="globe", classname="collapsed"),
    )
    transitions = switching(
        switch_shipping_method,
        "method",
        "enabled",
        on=("enable", "Enable", "“{record}” is offered at checkout."),
        off=("disable", "Disable", "“{record}” is no longer offered at checkout."),
    )
    create, update, delete = by_services(save_shipping_method, "method")

    def records(self) -> QuerySet[ShippingMethod]:
        return ShippingMethod.objects.all()
