"""Companies in the admin: the listing, the form, and a company with its contacts."""

from typing import Any

from django import forms
from django.db.models import Count, QuerySet
from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.views.generic import View
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.edit import EditAction
from wagtail.actions.registry import action_registry
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.paginator import WagtailPaginator
from wagtail.admin.panels import FieldPanel, MultiFieldPanel, ObjectList, Panel
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import Column, TitleColumn
from wagtail.admin.views import generic
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import Button, HeaderButton

from cms_api.adminkit.admin import RefusingMixin
from cms_api.adminkit.columns import local_date
from cms_api.core.errors import Invalid, taken

from .. import selectors
from ..models import Company, Contact
from ..services.companies import delete_company, save_company
from ..types import MAX_COMPANY, MAX_NOTES, company_key
from .listing import called, companies_called

NAMES_OFFERED = 20
CONTACTS_A_PAGE = 50


class CompanyForm(WagtailAdminModelForm):
    name = forms.CharField(max_length=MAX_COMPANY, help_text="Told apart from others whatever its case, accents and legal form.")
    website = forms.URLField(required=False, max_length=200, assume_scheme="https")
    notes = forms.CharField(required=False, max_length=MAX_NOTES, widget=AdminAutoHeightTextInput(attrs={"rows": 2}))

    def values(self) -> dict[str, Any]:
        name = " ".join(self.cleaned_data["name"].split())
        return {"name": name, "website": self.cleaned_data["website"], "notes": self.cleaned_data["notes"]}

    def _post_clean(self) -> None:
        """The service checks what was sent; the instance is its own to change."""

    def refuse(self, refusal: Invalid) -> None:
        other = Company.objects.filter(key=company_key(self.cleaned_data["name"])).exclude(pk=self.instance.pk).first()
        for name, sentences in refusal.errors.items():
            if other and sentences == [taken("name")]:
                sentences = [f"“{other}” is another company of this name. Give its contacts that company, and delete this one."]
            self.add_error(name if name in self.fields else None, sentences)

    class Meta(WagtailAdminModelForm.Meta):
        model = Company
        fields = ("name", "website", "notes")


def panel() -> Panel:
    panels = [MultiFieldPanel([FieldPanel("name"), FieldPanel("website"), FieldPanel("notes")], heading="Company", icon="site")]
    return ObjectList(panels, base_form_class=CompanyForm).bind_to_model(Company)


class CreateCompany(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> Company:
        self.instance = self.form.instance = save_company(values=self.form.values(), user=self.user)
        return self.instance


class EditCompany(EditAction):
    def _edit(self, skip_permission_checks: bool = False) -> Company:
        company = Company.objects.get(pk=self.instance.pk)
        self.instance = self.form.instance = save_company(company=company, values=self.form.values(), user=self.user)
        return self.instance


class DeleteCompany(DeleteAction):
    def _delete(self) -> Any:
        delete_company(company=self.instance, user=self.user)


for _action in (CreateCompany, EditCompany, DeleteCompany):
    action_registry.register(Company, _action)


def inspect_url(company: Company) -> str:
    return reverse("crm_companies:inspect", args=[company.pk])


class CompanyCreateView(RefusingMixin, generic.CreateView):
    def get_success_url(self) -> str:
        return inspect_url(self.object)


class CompanyEditView(RefusingMixin, generic.EditView):
    def get_success_url(self) -> str:
        return inspect_url(self.object)


class CompanyDeleteView(generic.DeleteView):
    @property
    def confirmation_message(self) -> str:
        count = self.object.contacts.count()
        more = f" {count} contact{' stays' if count == 1 else 's stay'}, without a company." if count else ""
        return f"Are you sure you want to delete this company?{more}"


class CompanyIndexView(generic.IndexView):
    template_name = "crm_admin/index.html"
    results_template_name = "crm_admin/listing_results.html"
    is_searchable = True
    page_title = "Companies"
    default_ordering = ("name", "id")
    list_display = [
        "name",
        Column("people", label="Contacts", sort_key="people"),
        Column("website", label="Website"),
        Column("created_at", label="Created", accessor=lambda company: local_date(company.created_at), sort_key="created_at"),
    ]

    @cached_property
    def columns(self) -> list[Any]:
        title = self._get_title_column_class(TitleColumn)
        return [title("name", label="Name", sort_key="name", get_url=self.get_inspect_url), *self.list_display[1:]]

    def get_base_queryset(self) -> QuerySet[Company]:
        return Company.objects.annotate(people=Count("contacts"))

    def search_queryset(self, queryset: QuerySet[Company]) -> QuerySet[Company]:
        text = (self.search_query or "")[:MAX_COMPANY]
        return queryset.filter(pk__in=companies_called(text).order_by().values("pk")) if text.strip() else queryset

    def get_list_more_buttons(self, instance: Company) -> list[MenuItem]:
        found = [MenuItem("Open", url=self.get_inspect_url(instance), icon_name="view", priority=5)]
        if edit_url := self.get_edit_url(instance):
            found.append(MenuItem("Edit", url=edit_url, icon_name="edit", priority=10))
        if delete_url := self.get_delete_url(instance):
            found.append(MenuItem("Delete", url=delete_url, icon_name="bin", priority=30))
        return found


class CompanyInspectView(generic.InspectView):
    """A company, with its contacts."""

    template_name = "crm_admin/company.html"
    page_title = "Company"
    object: Company

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        listing = {"url": reverse("crm_companies:index"), "label": "Companies"}
        return [*self.breadcrumbs_items, listing, {"url": "", "label": str(self.object)}]

    def get_object(self, queryset: Any = None) -> Company:
        return get_object_or_404(Company, pk=self.kwargs["pk"])

    def get_page_subtitle(self) -> str:
        return str(self.object)

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        edit_url = self.get_edit_url()
        return [HeaderButton("Edit", url=edit_url, icon_name="edit")] if edit_url else []

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        history_url = reverse("crm_companies:history", args=[self.object.pk])
        found = [Button("History", url=history_url, icon_name="history", priority=20)]
        if delete_url := self.get_delete_url():
            found.append(Button("Delete", url=delete_url, icon_name="bin", priority=30))
        return found

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        contacts = Contact.objects.filter(company=self.object).select_related(*selectors.SHOWN)
        paginator = WagtailPaginator(contacts.order_by("last_name", "first_name", "email"), CONTACTS_A_PAGE)
        page = paginator.get_page(self.request.GET.get("p"))
        return super().get_context_data(
            **kwargs,
            page_obj=page,
            elided_page_range=paginator.get_elided_page_range(page.number),
            contacts=[(contact, called(contact.assigned_to), local_date(contact.last_activity_at)) for contact in page],
            created=local_date(self.object.created_at),
            here=inspect_url(self.object),
        )


class NamesView(PermissionCheckedMixin, View):
    """Names of companies that hold what is typed."""

    model = Contact
    permission_required = "change"

    def get(self, request: HttpRequest) -> JsonResponse:
        text = request.GET.get("q", "")[:MAX_COMPANY]
        found = companies_called(text)[:NAMES_OFFERED] if text.strip() else Company.objects.none()
        return JsonResponse([company.name for company in found], safe=False)


class CompanyViewSet(ModelViewSet):
    model = Company
    icon = "site"
    menu_label = "Companies"
    menu_order = 20
    name = "crm_companies"
    url_prefix = "crm/companies"
    url_namespace = "crm_companies"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    list_per_page = 50
    search_fields = ["name"]
    index_view_class = CompanyIndexView
    add_view_class = CompanyCreateView
    edit_view_class = CompanyEditView
    delete_view_class = CompanyDeleteView
    inspect_view_class = CompanyInspectView

    def get_edit_handler(self) -> Panel:
        return panel()

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"usage_url_name": None}

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("new/", self.add_view, name="add"),
            path("inspect/<int:pk>/", self.inspect_view, name="inspect"),
            path("edit/<int:pk>/", self.edit_view, name="edit"),
            path("delete/<int:pk>/", self.delete_view, name="delete"),
            path("history/<int:pk>/", self.history_view, name="history"),
            path("history-results/<int:pk>/", self.history_results_view, name="history_results"),
            path("names/", NamesView.as_view(), name="names"),
        ]
