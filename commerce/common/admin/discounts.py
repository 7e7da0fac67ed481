"""The pages of discount codes in the admin, of which each module with codes has its own."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel, Panel
from wagtail.admin.ui.tables import BaseColumn, Column

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn, TransitionsColumn
from cms_api.adminkit.forms import RecordForm, SiteDateTimeField
from cms_api.adminkit.transitions import switching
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.core.records import delete_record
from cms_api.flags.selectors import site_formats

from ..models import DiscountCodeBase
from ..selectors import codes_in_state, format_money
from ..services.discounts import save_discount_code, switch_discount_code
from ..types.amounts import AmountField, PercentField
from ..types.discounts import MAX_CODE, MAX_USES, CodeState, DiscountKind
from ..types.money import Money
from .amounts import use_currency

TONES = {CodeState.ACTIVE: "positive", CodeState.SCHEDULED: "info", CodeState.USED_UP: "warning"}


def kind_choices(kinds: Collection[DiscountKind]) -> list[tuple[str, str]]:
    return [(kind.value, kind.label) for kind in kinds]


class DiscountCodeForm(RecordForm):
    refused_at = {"amount_cents": "amount", "minimum_cents": "minimum"}

    code = forms.CharField(
        max_length=MAX_CODE, help_text="Letters, digits, hyphens and underscores. Customers may type it in any case."
    )
    percent = PercentField(required=False, decimals=2, label="Percentage", help_text="Off all items, such as 10.")
    amount = AmountField(required=False, help_text="Off all items together, never more than they cost.")
    minimum = AmountField(required=False, help_text="Of the items before the discount.")
    max_uses = forms.IntegerField(
        required=False, min_value=1, max_value=MAX_USES, label="Uses altogether", help_text="Leave empty for no limit."
    )
    max_uses_per_customer = forms.IntegerField(
        required=False, min_value=1, max_value=MAX_USES, label="Uses by one customer", help_text="By email address."
    )
    starts_at = SiteDateTimeField(required=False, label="Starts")
    ends_at = SiteDateTimeField(required=False, label="Ends", is_end=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        code = self.instance
        self.initial |= {
            "percent": code.percent or None,
            "amount": code.amount_cents or None,
            "minimum": code.minimum_cents or None,
        }
        self.fields["minimum"].label = f"Minimum {code.noun} value"
        use_currency(self, code.currency if code.has_amounts else "", "amount", "minimum")
        kind: Any = self.fields["kind"]
        kind.choices = kind_choices(code.kinds)

    def values(self) -> dict[str, Any]:
        values = super().values()
        values["percent"] = values["percent"] or Decimal(0)
        values["amount_cents"] = values.pop("amount") or 0
        values["minimum_cents"] = values.pop("minimum") or 0
        return values

    class Meta(RecordForm.Meta):
        widgets = {"kind": forms.RadioSelect}
        labels = {"kind": "Type"}


def discount_words(code: DiscountCodeBase) -> str:
    """Return what a code takes off in a few words: `10% off`."""
    if code.kind == DiscountKind.PERCENTAGE:
        return f"{site_formats().number(code.percent.normalize())}% off"
    if code.kind == DiscountKind.AMOUNT:
        return f"{format_money(Money(code.amount_cents, code.currency))} off"
    return "Free shipping"


def uses_words(code: DiscountCodeBase) -> str:
    return f"{code.used} of {code.max_uses}" if code.max_uses is not None else str(code.used)


def in_state(codes: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
    return codes_in_state(codes, value)


class DiscountCodeViewSet(RecordViewSet):
    """The discount codes of a module. A subclass has a `model`, a `name`, a `url_prefix` and a `menu_order`."""

    icon = "tag"
    menu_label = "Discount codes"
    search_fields = ["code", "note"]
    list_display: Sequence[BaseColumn] = (
        RecordColumn("code", label="Code", sort_key="code"),
        Column("discount", label="Discount", accessor=discount_words),
        StatusColumn("state", label="State", accessor=lambda code: code.state.label, tone=lambda code: TONES.get(code.state, "")),
        Column("used", label="Used", accessor=uses_words, sort_key="used"),
        MomentColumn("ends_at", label="Ends", empty="Never"),
        Column("note", label="Note"),
        TransitionsColumn("actions", label="Actions", accessor=lambda record: ""),
    )
    nulls_last = ("ends_at",)
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
    panels: Sequence[Panel] = (
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
    transitions = switching(
        switch_discount_code,
        "code",
        "enabled",
        on=("enable", "Enable", "{record} is accepted at checkout."),
        off=("disable", "Disable", "{record} is no longer accepted at checkout."),
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.filters = {
            "state": filters.choice(CodeState.choices, label="State", method=in_state),
            "kind": filters.choice(kind_choices(cls.model.kinds), label="Type"),
        }

    def get_delete_consequence(self, record: DiscountCodeBase) -> str:
        return f"It is no longer accepted at checkout. {record.noun.capitalize()}s keep it and their discount."

    def create(self, values: dict[str, Any], user: User) -> DiscountCodeBase:
        return save_discount_code(model=self.model, values=values, user=user)

    def update(self, record: Any, values: dict[str, Any], user: User) -> DiscountCodeBase:
        return save_discount_code(model=self.model, code=record, values=values, user=user)

    def delete(self, record: DiscountCodeBase, user: User) -> None:
        delete_record(record=record, user=user)
