"""Companies and their contacts in the admin."""

from typing import Any

from django import forms
from django.db.models import Count, QuerySet
from django.http import HttpRequest, JsonResponse
from django.urls import URLPattern, path
from django.views.generic import View
from wagtail.admin.paginator import WagtailPaginator
from wagtail.admin.panels import FieldPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.columns import MomentColumn, RecordColumn, local_date, person
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.core.errors import Invalid, taken_message

from .. import selectors
from ..models import Company, Contact
from ..services.companies import delete_company, save_company
from ..types import MAX_COMPANY, MAX_NOTES, company_key
from .listing import companies_called

NAMES_OFFERED = 20
CONTACTS_PER_PAGE = 50


class CompanyForm(RecordForm):
    name = forms.CharField(
        max_length=MAX_COMPANY, help_text="Names that differ only in case, accents or legal form count as the same."
    )
    website = forms.URLField(required=False, max_length=200, assume_scheme="https")
    notes = forms.CharField(required=False, max_length=MAX_NOTES, widget=AdminAutoHeightTextInput(attrs={"rows": 2}))

    def values(self) -> dict[str, Any]:
        name = " ".join(self.cleaned_data["name"].split())
        return {"name": name, "website": self.cleaned_data["website"], "notes": self.cleaned_data["notes"]}

    def refuse(self, refusal: Invalid) -> None:
        other = Company.objects.filter(key=company_key(self.cleaned_data["name"])).exclude(pk=self.instance.pk).first()
        if other and refusal.errors.get("name") == [taken_message("name")]:
            said = f"A company “{other}” already exists. Move the contacts there, then delete this one."
            refusal = Invalid({"name": said})
        super().refuse(refusal)

    class Meta(RecordForm.Meta):
        model = Company
        fields = ("name", "website", "notes")


class NamesView(PermissionCheckedMixin, View):
    """Suggests companies whose names contain the typed text."""

    model = Contact
    permission_required = "change"

    def get(self, request: HttpRequest) -> JsonResponse:
        text = request.GET.get("q", "")[:MAX_COMPANY]
        found = companies_called(text)[:NAMES_OFFERED] if text.strip() else Company.objects.none()
        return JsonResponse([company.name for company in found], safe=False)


def with_name(companies: QuerySet[Company], text: str) -> QuerySet[Company]:
    return companies.filter(pk__in=companies_called(text[:MAX_COMPANY]).order_by().values("pk"))


class CompanyViewSet(RecordViewSet):
    model = Company
    icon = "home"
    menu_label = "Companies"
    name = "crm_companies"
    url_prefix = "crm/companies"
    pages = ("add", "edit", "inspect", "delete", "history")
    ordering = ("name", "id")
    search = with_name
    search_order = 130
    inspect_template_name = "crm_admin/company.html"
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("people", label="Contacts", sort_key="people"),
        Column("website", label="Website"),
        MomentColumn("created_at", label="Created"),
    )
    form = CompanyForm
    panels = (MultiFieldPanel([FieldPanel("name"), FieldPanel("website"), FieldPanel("notes")], heading="Company", icon="site"),)
    create, update, delete = by_services(save_company, "company", delete_company)

    def records(self) -> QuerySet[Company]:
        return Company.objects.annotate(people=Count("contacts"))

    def get_delete_consequence(self, record: Any) -> str:
        if not record.people:
            return ""
        return f"{record.people} contact{' stays' if record.people == 1 else 's stay'}, without a company."

    def inspect_context(self, record: Company, request: HttpRequest) -> dict[str, Any]:
        contacts = Contact.objects.filter(company=record).select_related(*selectors.SHOWN)
        paginator = WagtailPaginator(contacts.order_by("last_name", "first_name", "email"), CONTACTS_PER_PAGE)
        page = paginator.get_page(request.GET.get("p"))
        return {
            "page_obj": page,
            "elided_page_range": paginator.get_elided_page_range(page.number),
            "contacts": [(contact, person(contact.assigned_to), local_date(contact.last_activity_at)) for contact in page],
        }

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [path("names/", NamesView.as_view(), name="names")]
