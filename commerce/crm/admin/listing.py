"""The listing of contacts: found by words and filters, sorted, downloaded."""

from collections.abc import Sequence
from typing import Any

import django_filters
from django import forms
from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils.functional import cached_property
from wagtail.admin.filters import DateRangePickerWidget, WagtailFilterSet
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import BulkActionsCheckboxColumn, Column, StatusTagColumn, TitleColumn
from wagtail.admin.views import generic
from wagtail.admin.widgets.button import Button, HeaderButton

from cms_api.adminkit.admin import CsvListing
from cms_api.adminkit.columns import local_date
from cms_api.http.wire import instant
from cms_api.text.search import matching
from commerce.common.selectors import tagged
from commerce.imports.admin import import_buttons

from .. import selectors
from ..models import Company, Contact
from ..types import Lifecycle, company_key

NOBODY = "Nobody"

#: Longer ones the API refuses.
MAX_SEARCH = 200

#: Columns of the download, as the API calls them.
CSV = (
    "id",
    "email",
    "first_name",
    "last_name",
    "phone",
    "job_title",
    "company",
    "lifecycle",
    "street",
    "street2",
    "city",
    "state",
    "postal_code",
    "country",
    "tags",
    "notes",
    "source",
    "assigned_to",
    "last_activity_at",
    "created_at",
    "updated_at",
)


def inspect_url(contact: Contact) -> str:
    return selectors.admin_url(contact.pk)


class PersonField(django_filters.fields.ModelChoiceField):
    def label_from_instance(self, user: Any) -> str:
        return NOBODY if user == self.null_value else called(user)


class PersonFilter(django_filters.ModelChoiceFilter):
    field_class = PersonField


def called(user: Any) -> str:
    """What a member of staff is called; empty for nobody."""
    found = selectors.called(user)
    return found["name"] if found else ""


def plain(text: str) -> str:
    """What a person typed, without what no database takes."""
    return text.replace("\0", "").strip()


class ContactFilterSet(WagtailFilterSet):
    lifecycle = django_filters.MultipleChoiceFilter(choices=Lifecycle.choices, widget=forms.CheckboxSelectMultiple)
    assigned_to = PersonFilter(
        label="Looked after by",
        queryset=lambda request: selectors.staff(),
        null_label=NOBODY,
        empty_label="All",
    )
    # What may have thousands of values is typed.
    company = django_filters.CharFilter(label="Company", method="by_company")
    tag = django_filters.CharFilter(label="Tag", method="by_tag", max_length=50)
    source = django_filters.CharFilter(label="Source", method="by_text", max_length=100)
    country = django_filters.CharFilter(label="Country", method="by_text", max_length=100)
    created_at = django_filters.DateFromToRangeFilter(label="Created", widget=DateRangePickerWidget)

    def by_company(self, queryset: QuerySet[Contact], name: str, value: str) -> QuerySet[Contact]:
        return queryset.filter(company__in=companies_called(value).values("pk"))

    def by_tag(self, queryset: QuerySet[Contact], name: str, value: str) -> QuerySet[Contact]:
        return tagged(queryset, plain(value))

    def by_text(self, queryset: QuerySet[Contact], name: str, value: str) -> QuerySet[Contact]:
        return queryset.filter(**{f"{name}__iexact": plain(value)})

    class Meta:
        model = Contact
        fields = ("lifecycle", "assigned_to", "company", "tag", "source", "country", "created_at")


def companies_called(text: str) -> QuerySet[Company]:
    """Companies whose names hold a text, whatever its case and accents."""
    key = company_key(plain(text))
    found = Company.objects.order_by("name", "id")
    return found.filter(key__contains=key) if key else found.none()


def found_by_words(contacts: QuerySet[Contact], text: str) -> QuerySet[Contact]:
    """As the API's search finds them."""
    return matching(contacts, text[:MAX_SEARCH]) if text.strip() else contacts


def listed(query: Any) -> QuerySet[Contact]:
    """Every contact of the listing that these parameters of its address show."""
    filters = ContactFilterSet(query, queryset=selectors.contacts())
    return found_by_words(filters.qs, query.get("q", "")) if filters.is_valid() else Contact.objects.none()


class ContactColumn(TitleColumn):
    """Name and address, and what may be done."""

    cell_template_name = "crm_admin/contact_cell.html"


class CompanyColumn(Column):
    cell_template_name = "crm_admin/company_cell.html"


class ContactIndexView(CsvListing, generic.IndexView):
    template_name = "crm_admin/contacts.html"
    results_template_name = "crm_admin/listing_results.html"
    filterset_class = ContactFilterSet
    is_searchable = True
    page_title = "Contacts"
    default_ordering = ("-created_at", "-id")
    list_display = [
        BulkActionsCheckboxColumn("bulk_actions", obj_type="contact"),
        "contact",
        CompanyColumn("company", label="Company", sort_key="company__name"),
        StatusTagColumn(
            "lifecycle",
            label="Lifecycle",
            accessor="get_lifecycle_display",
            primary=lambda contact: contact.lifecycle == Lifecycle.CUSTOMER,
            sort_key="lifecycle",
        ),
        Column("assigned_to", label="Looked after by", accessor=lambda contact: called(contact.assigned_to)),
        Column(
            "last_activity_at",
            label="Last activity",
            accessor=lambda contact: local_date(contact.last_activity_at),
            sort_key="last_activity_at",
        ),
        Column("created_at", label="Created", accessor=lambda contact: local_date(contact.created_at), sort_key="created_at"),
    ]

    @cached_property
    def columns(self) -> list[Any]:
        title = self._get_title_column_class(ContactColumn)
        first = title(
            "contact",
            label="Contact",
            accessor=str,
            sort_key="email",
            get_url=self.get_inspect_url,
            get_title_id=lambda contact: f"contact_{contact.pk}_title",
        )
        return [first if column == "contact" else column for column in self.list_display]

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        return [*super().header_buttons, *import_buttons("contacts", self.request.user)]

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        duplicates = Button("Possible duplicates", url=reverse("crm_contacts:duplicates"), icon_name="copy", priority=50)
        return [*super().header_more_buttons, duplicates]

    def get_base_queryset(self) -> QuerySet[Contact]:
        return selectors.contacts()

    def search_queryset(self, queryset: QuerySet[Contact]) -> QuerySet[Contact]:
        return found_by_words(queryset, self.search_query or "")

    def order_queryset(self, queryset: QuerySet[Contact]) -> QuerySet[Contact]:
        """Those with whom nothing has happened come last, whichever way."""
        if self.ordering in {"last_activity_at", "-last_activity_at"}:
            moment = F("last_activity_at")
            return queryset.order_by(
                moment.desc(nulls_last=True) if self.ordering.startswith("-") else moment.asc(nulls_last=True), "-id"
            )
        return super().order_queryset(queryset)

    def get_list_more_buttons(self, instance: Contact) -> list[MenuItem]:
        found = [MenuItem("Open", url=self.get_inspect_url(instance), icon_name="view", priority=5)]
        if edit_url := self.get_edit_url(instance):
            found.append(MenuItem("Edit", url=edit_url, icon_name="edit", priority=10))
            merge_url = f"{reverse('crm_contacts:merge')}?id={instance.pk}"
            found.append(MenuItem("Merge", url=merge_url, icon_name="redirect", priority=20))
        if delete_url := self.get_delete_url(instance):
            found.append(MenuItem("Delete", url=delete_url, icon_name="bin", priority=30))
        return found

    def csv_header(self) -> Sequence[str]:
        return CSV

    def csv_row(self, record: Contact) -> Sequence[Any]:
        own: dict[str, Any] = {
            "company": record.company.name if record.company else "",
            "tags": ", ".join(record.tags),
            "assigned_to": called(record.assigned_to),
            "last_activity_at": instant(record.last_activity_at) or "",
            "created_at": instant(record.created_at),
            "updated_at": instant(record.updated_at),
        }
        return [own[name] if name in own else getattr(record, name) for name in CSV]
