"""Discount codes in the admin."""

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets import AdminDateTimeInput

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn, TransitionsColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.flags.selectors import site_formats
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.common.views import AmountField

from ..models import DiscountCode
from ..selectors.selling import codes_in_state
from ..services import delete_discount_code, save_discount_code, switch_discount_code
from ..types.discounts import MAX_CODE, MAX_USES, CodeState, DiscountKind

TONES = {CodeState.ACTIVE: "positive", CodeState.SCHEDULED: "info", CodeState.USED_UP: "warning"}


class DiscountCodeForm(RecordForm):
    refused_at = {"amount_cents": "amount", "minimum_cents": "minimum"}

    code = forms.CharField(
        max_length=MAX_CODE, help_text="Letters, digits, hyphens and underscores. Customers may type it in any case."
    )
    percent = forms.DecimalField(
        required=False,
        min_value=0,
        max_value=100,
        decimal_places=2,
        label="Percentage",
        help_text="Off all items, such as 10.",
    )
    amount = AmountField(required=False, help_text="Off all items together, never more than they cost.")
    minimum = AmountField(required=False, label="Minimum order value", help_text="Of the items before the discount.")
    max_uses = forms.IntegerField(
        required=False, min_value=1, max_value=MAX_USES, label="Uses altogether", help_text="Leave empty for no limit."
    )
    max_uses_per_customer = forms.IntegerField(
        required=False, min_value=1, max_value=MAX_USES, label="Uses by one customer", help_text="By email address."
    )
    starts_at = forms.DateTimeField(required=False, label="Starts", widget=AdminDateTimeInput)
    ends_at = forms.DateTimeField(required=False, label="Ends", widget=AdminDateTimeInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        code = self.instance
        self.initial |= {
            "percent": f"{code.percent.normalize():f}" if code.percent else "",
            "amount": code.amount_cents or None,
            "minimum": code.minimum_cents or None,
        }
        for name in ("amount", "minimum"):
            self.fields[name].label = f"{self.fields[name].label or name.capitalize()} ({settings.SITE_CURRENCY.upper()})"

    def values(self) -> dict[str, Any]:
        values = super().values()
        values["percent"] = values["percent"] or Decimal(0)
        values["amount_cents"] = values.pop("amount") or 0
        values["minimum_cents"] = values.pop("minimum") or 0
        return values

    class Meta(RecordForm.Meta):
        widgets = {"kind": forms.RadioSelect}
        labels = {"kind": "Type"}


def discount_words(code: DiscountCode) -> str:
    """Return what a code takes off in a few words: `10% off`."""
    if code.kind == DiscountKind.PERCENTAGE:
        return f"{site_formats().number(code.percent.normalize())}% off"
    if code.kind == DiscountKind.AMOUNT:
        return f"{format_money(Money(code.amount_cents, code.currency))} off"
    return "Free shipping"


def uses_words(code: DiscountCode) -> str:
    return f"{code.used} of {code.max_uses}" if code.max_uses is not None else str(code.used)


def in_state(codes: QuerySet[DiscountCode], name: str, value: str) -> QuerySet[DiscountCode]:
    return codes_in_state(codes, value)


class DiscountCodeViewSet(RecordViewSet):
    model = DiscountCode
    icon = "tag"
    menu_label = "Discount codes"
    menu_order = 50
    name = "discount_codes"
    url_prefix = "shop/discounts"
    search_fields = ["code", "note"]
    delete_consequence = "It is no longer accepted at checkout. Orders keep it and their discount."
    list_display = (
        RecordColumn("code", label="Code", sort_key="code"),
        Column("discount", label="Discount", accessor=discount_words),
        StatusColumn("state", label="State", accessor=lambda code: code.state.label, tone=lambda code: TONES.get(code.state, "")),
        Column("used", label="Used", accessor=uses_words, sort_key="used"),
        MomentColumn("ends_at", label="Ends", empty="Never"),
        Column("note", label="Note"),
        TransitionsColumn("actions", label="Actions", accessor=lambda record: ""),
    )
    nulls_last = ("ends_at",)
    filters = {
        "state": filters.choice(CodeState.choices, label="State", method=in_state),
        "kind": filters.choice(DiscountKind.choices, label="Type"),
    }
    csv = {
        "Code": "code",
        "Discount": discount_words,
        "State": lambda code: code.state.label,
        "Used": "used",
        "Uses altogether": "max_uses",
        "Starts": "starts_at",
        "Ends": "ends_at",
        "Note": "note",
    }
    form = DiscountCodeForm
    panels = (
        MultiFieldPanel([FieldPanel("code"), FieldPanel("note"), FieldPanel("enabled")], heading="Code", icon="tag"),
        MultiFieldPanel(
            [FieldPanel("kind"), FieldRowPanel([FieldPanel("percent"), FieldPanel("amount")]), FieldPanel("minimum")],
            heading="Discount",
            icon="doc-full",
        ),
        MultiFieldPanel(
            [
                FieldRowPanel([FieldPanel("max_uses"), FieldPanel("max_uses_per_customer")]),
                FieldRowPanel([FieldPanel("starts_at"), FieldPanel("ends_at")]),
            ],
            heading="Limits",
            icon="history",
        ),
    )
    transitions = (
        Transition(
            "enable",
            "Enable",
            calling(switch_discount_code, "code", enabled=True),
            "{record} is accepted at checkout.",
            offered=lambda code: not code.enabled,
        ),
        Transition(
            "disable",
            "Disable",
            calling(switch_discount_code, "code", enabled=False),
            "{record} is no longer accepted at checkout.",
            offered=lambda code: code.enabled,
        ),
    )
    create, update, delete = by_services(save_discount_code, delete_discount_code, "code")

    def records(self) -> QuerySet[DiscountCode]:
        return DiscountCode.objects.all()
