"""Plans in the admin: what they are called, what they cost, and who has them."""

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.edit import EditAction
from wagtail.actions.registry import action_registry
from wagtail.admin import messages
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, FieldRowPanel, HelpPanel, MultiFieldPanel, ObjectList, Panel
from wagtail.admin.ui.tables import Column, StatusTagColumn
from wagtail.admin.utils import set_query_params
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets import AdminAutoHeightTextInput, SlugInput

from cms_api.adminkit.admin import RefusingMixin
from cms_api.core.errors import Invalid, invalid_choice
from commerce.common.types.money import Money, parse_amount

from ..models import Plan
from ..selectors import counted_plans
from ..services import delete_plan, save_plan
from ..types import MAX_SLUG


class PlanForm(WagtailAdminModelForm):
    """A plan as it is written; its price is an amount as people write it. The rules are the service's."""

    slug = forms.CharField(
        required=False,
        max_length=MAX_SLUG,
        widget=SlugInput,
        help_text="Its name in addresses; made from the name where it is empty.",
    )
    price = forms.CharField(max_length=30, help_text="Such as 12.50; nothing is 0.")
    currency = forms.CharField(max_length=3, help_text="Three letters, such as eur.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        held = self.instance
        self.initial["price"] = str(held.price.amount) if held.pk else "0"
        self.initial["currency"] = held.currency or settings.SITE_CURRENCY

    def clean_currency(self) -> str:
        currency: str = self.cleaned_data["currency"].lower()
        try:
            return Money(0, currency).currency
        except ValueError:
            raise forms.ValidationError(invalid_choice("currency")) from None

    def values(self) -> dict[str, Any]:
        """Raises Invalid."""
        values = dict(self.cleaned_data)
        values["price_cents"] = parse_amount(values.pop("price"), values["currency"], key="price").cents
        return values

    def _post_clean(self) -> None:
        """The service checks what was sent; the instance is its own to change."""

    def refuse(self, refusal: Invalid) -> None:
        for path, sentences in refusal.errors.items():
            name = "price" if path == "price_cents" else path
            self.add_error(name if name in self.fields else None, sentences)

    class Meta(WagtailAdminModelForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 3})}


def _panel() -> Panel:
    words = [FieldPanel("name"), FieldPanel("slug"), FieldPanel("description")]
    note = HelpPanel(
        "<p>The site does not collect what a plan costs: the price is shown to visitors and the choice is recorded, "
        "and you ask for the money yourself.</p>"
    )
    price = [note, FieldRowPanel([FieldPanel("price"), FieldPanel("currency")]), FieldPanel("interval")]
    offer = [FieldPanel("enabled"), FieldPanel("position")]
    panels = [
        MultiFieldPanel(words, heading="Plan", icon="tag"),
        MultiFieldPanel(price, heading="Price", icon="doc-full"),
        MultiFieldPanel(offer, heading="Offer", icon="view"),
    ]
    return ObjectList(panels, base_form_class=PlanForm).bind_to_model(Plan)


class CreatePlan(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> Plan:
        self.instance = self.form.instance = save_plan(values=self.form.values(), user=self.user)
        return self.instance


class EditPlan(EditAction):
    def _edit(self, skip_permission_checks: bool = False) -> Plan:
        self.instance = self.form.instance = save_plan(plan=self.instance, values=self.form.values(), user=self.user)
        return self.instance


class DeletePlan(DeleteAction):
    def _delete(self) -> Any:
        delete_plan(plan=self.instance, user=self.user)


for _action in (CreatePlan, EditPlan, DeletePlan):
    action_registry.register(Plan, _action)


class PlanCreateView(RefusingMixin, generic.CreateView):
    pass


class PlanEditView(RefusingMixin, generic.EditView):
    pass


class PlanDeleteView(generic.DeleteView):
    def form_valid(self, form: Any) -> HttpResponse:
        try:
            return super().form_valid(form)
        except Invalid as refusal:
            messages.error(self.request, refusal.message)
            return HttpResponseRedirect(reverse("plans:edit", args=[self.object.pk]))


class MembersColumn(Column):
    """The number of members as a link to them."""

    def get_value(self, instance: Any) -> SafeString:
        url = set_query_params(reverse("members:index"), {"plan": instance.pk})
        return format_html('<a href="{}">{}</a>', url, instance.member_count)


class PlanIndexView(generic.IndexView):
    template_name = "members_admin/index.html"
    results_template_name = "members_admin/index_results.html"
    default_ordering = ("position", "name", "id")
    list_display = [
        "name",
        Column("price_words", label="Price", sort_key="price_cents"),
        MembersColumn("member_count", label="Members", sort_key="member_count"),
        StatusTagColumn(
            "enabled",
            label="State",
            accessor=lambda plan: "Offered" if plan.enabled else "Not offered",
            primary=lambda plan: plan.enabled,
        ),
        Column("position", label="Position", sort_key="position"),
    ]

    def get_base_queryset(self) -> Any:
        return counted_plans()


class PlanViewSet(ModelViewSet):
    model = Plan
    icon = "tag"
    menu_label = "Plans"
    menu_order = 20
    name = url_namespace = "plans"
    url_prefix = "members/plans"
    add_to_reference_index = False
    copy_view_enabled = False
    list_per_page = 50
    search_fields = ["name", "slug"]
    index_view_class = PlanIndexView
    add_view_class = PlanCreateView
    edit_view_class = PlanEditView
    delete_view_class = PlanDeleteView

    def get_edit_handler(self) -> Panel:
        return _panel()

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"usage_url_name": None}
