"""Plans in the admin: terms and featured placements at their prices."""

from typing import Any

from django.db.models import Count, QuerySet
from django.urls import reverse
from wagtail.admin.panels import FieldPanel, FieldRowPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params

from cms_api.adminkit import filters
from cms_api.adminkit.columns import CountColumn, RecordColumn, SwitchColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.viewset import RecordViewSet, by_services
from commerce.common.admin.amounts import use_currency
from commerce.common.admin.cells import amount
from commerce.common.types.amounts import AmountField

from ..models import Plan
from ..selectors.ownership import plans
from ..services.categories import delete_plan, save_plan
from ..types.terms import PlanKind


class PlanForm(RecordForm):
    refused_at = {"price_cents": "price"}

    price = AmountField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        plan: Any = self.instance
        use_currency(self, plan.currency, "price")
        self.initial["price"] = plan.price_cents

    def values(self) -> dict[str, Any]:
        values = super().values()
        return {**values, "price_cents": values.pop("price")}


def purchases_url(plan: Plan) -> str:
    return set_query_params(reverse("listing_purchases:index"), {"plan": plan.pk})


def length(plan: Any) -> str:
    """Return the length of the period that a plan or a purchase is for."""
    return "1 month" if plan.months == 1 else f"{plan.months} months"


class PlanViewSet(RecordViewSet):
    model = Plan
    icon = "tag"
    menu_label = "Plans"
    menu_order = 30
    name = "listing_plans"
    url_prefix = "listings/plans"
    ordering = ("kind", "position", "id")
    search_fields = ["name", "description"]
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("kind", label="Kind", accessor="get_kind_display", sort_key="kind"),
        Column("months", label="Length", accessor=length, sort_key="months"),
        Column("price_cents", label="Price", accessor=amount("price_cents"), sort_key="price_cents"),
        CountColumn("purchase_count", label="Purchases", url=purchases_url),
        SwitchColumn("enabled", on="Offered", off="Not offered"),
        Column("position", label="Position", sort_key="position"),
    )
    filters = {
        "kind": filters.choice(PlanKind.choices),
        "enabled": filters.choice([("True", "Offered"), ("False", "Not offered")], label="State"),
    }
    form = PlanForm
    panels = (
        FieldPanel("name", help_text="Owners see it, for example “One year”."),
        FieldPanel("description"),
        FieldPanel("kind", help_text="A term is how long a listing is online. Featured listings are shown before the others."),
        FieldRowPanel([FieldPanel("months", help_text="The length of the period."), FieldPanel("price")]),
        FieldPanel(
            "enabled",
            help_text="Owners can buy it. While a term is offered, submitted listings must be paid for to be online.",
        ),
        FieldPanel("position"),
    )
    delete_consequence = "Purchases stay as they are."
    create, update, delete = by_services(save_plan, "plan", delete_plan)

    def records(self) -> QuerySet[Plan]:
        return plans().annotate(purchase_count=Count("purchases"))
