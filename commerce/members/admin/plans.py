"""Plans in the admin, with prices and member counts."""

from typing import Any

from django import forms
from django.conf import settings
from django.urls import reverse
from wagtail.admin.panels import FieldPanel, FieldRowPanel, HelpPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.columns import CountColumn, RecordColumn, SwitchColumn
from cms_api.adminkit.fields import SlugField
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.core.errors import Invalid, invalid_choice
from cms_api.text.reading import MAX_TYPED_CHARACTERS
from commerce.common.types.amounts import as_instruction, example_amount, parse_amount, typed_amount
from commerce.common.types.money import Money

from ..models import Plan
from ..selectors import counted_plans
from ..services import delete_plan, save_plan
from ..types import MAX_SLUG

HOW_PAID = (
    "<p>A member who chooses a plan with a price has it once it is paid, online or by a payment that you confirm on the member's "
    "page. Members of a plan that is paid every month or year are reminded to renew it; it ends a week after the last day.</p>"
)


class PlanForm(RecordForm):
    """A plan form with the price as a decimal amount."""

    refused_at = {"price_cents": "price"}

    slug = SlugField(max_length=MAX_SLUG, help_text="Identifies the plan in URLs. Leave empty to derive it from the name.")
    price = forms.CharField(max_length=MAX_TYPED_CHARACTERS)
    currency = forms.CharField(max_length=3, help_text="Three letters, for example eur.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        plan = self.instance
        self.initial["price"] = typed_amount(plan.price_cents, plan.currency) if plan.pk else "0"
        self.fields["price"].help_text = f"For example {example_amount(plan.currency)}; 0 is free."
        self.initial["currency"] = plan.currency or settings.SITE_CURRENCY

    def clean_currency(self) -> str:
        currency: str = self.cleaned_data["currency"].lower()
        try:
            return Money(0, currency).currency
        except ValueError:
            raise forms.ValidationError(invalid_choice("currency")) from None

    def values(self) -> dict[str, Any]:
        values = super().values()
        try:
            values["price_cents"] = parse_amount(values.pop("price"), values["currency"], key="price").cents
        except Invalid as refusal:
            raise Invalid({"price": as_instruction(refusal)}) from None
        return values

    class Meta(RecordForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 3})}


def members_url(plan: Plan) -> str:
    return set_query_params(reverse("members:index"), {"plan": plan.pk})


class PlanViewSet(RecordViewSet):
    model = Plan
    icon = "tag"
    menu_label = "Plans"
    menu_order = 20
    name = "plans"
    url_prefix = "members/plans"
    ordering = ("position", "name", "id")
    search_fields = ["name", "slug"]
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("price_words", label="Price", sort_key="price_cents"),
        CountColumn("member_count", label="Members", url=members_url),
        SwitchColumn("enabled", on="Offered", off="Not offered"),
        Column("position", label="Position", sort_key="position"),
    )
    form = PlanForm
    panels = (
        MultiFieldPanel([NamePanel("name"), FieldPanel("slug"), FieldPanel("description")], heading="Plan", icon="tag"),
        MultiFieldPanel(
            [HelpPanel(HOW_PAID), FieldRowPanel([FieldPanel("price"), FieldPanel("currency")]), FieldPanel("interval")],
            heading="Price",
            icon="doc-full",
        ),
        MultiFieldPanel([FieldPanel("enabled"), FieldPanel("position")], heading="Availability", icon="view"),
    )
    create, update, delete = by_services(save_plan, "plan", delete_plan)

    def records(self) -> Any:
        return counted_plans()
