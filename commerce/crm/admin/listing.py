"""Filters, columns and CSV columns of the contact lists."""

from collections.abc import Callable, Mapping
from typing import Any

import django_filters
from django import forms
from django.db.models import QuerySet
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.columns import RecordColumn, person
from cms_api.text.search import matching
from commerce.common.selectors import filter_by_tag

from .. import selectors
from ..models import Company, Contact
from ..types import FIELDS, Lifecycle, company_key

NOBODY = "No owner"

#: The API rejects longer searches.
MAX_SEARCH = 200

#: CSV columns, by their API names.
CSV: Mapping[str, str | Callable[[Any], Any]] = {
    **{name: name for name in ("id", *(field.name for field in FIELDS))},
    "company": lambda contact: contact.company.name if contact.company else "",
    "tags": lambda contact: ", ".join(contact.tags),
    "assigned_to": lambda contact: person(contact.assigned_to),
    **{name: name for name in ("last_activity_at", "created_at", "updated_at")},
}


def inspect_url(contact: Contact) -> str:
    return selectors.admin_url(contact.pk)


class PersonField(django_filters.fields.ModelChoiceField):
    def label_from_instance(self, user: Any) -> str:
        return NOBODY if user == self.null_value else person(user)


class PersonFilter(django_filters.ModelChoiceFilter):
    field_class = PersonField


def plain(text: str) -> str:
    """Strip characters that databases reject from typed text."""
    return text.replace("\0", "").strip()


def by_company(queryset: QuerySet[Contact], name: str, value: str) -> QuerySet[Contact]:
    return queryset.filter(company__in=companies_called(value).values("pk"))


def by_tag(queryset: QuerySet[Contact], name: str, value: str) -> QuerySet[Contact]:
    return filter_by_tag(queryset, plain(value))


def by_text(queryset: QuerySet[Contact], name: str, value: str) -> QuerySet[Contact]:
    return queryset.filter(**{f"{name}__iexact": plain(value)})


#: Filters with possibly thousands of values are text inputs.
FILTERS = {
    "lifecycle": django_filters.MultipleChoiceFilter(choices=Lifecycle.choices, widget=forms.CheckboxSelectMultiple),
    "assigned_to": PersonFilter(label="Owner", queryset=lambda request: selectors.staff(), null_label=NOBODY, empty_label="All"),
    "company": django_filters.CharFilter(label="Company", method=by_company),
    "tag": django_filters.CharFilter(label="Tag", method=by_tag, max_length=50),
    "source": django_filters.CharFilter(label="Source", method=by_text, max_length=100),
    "country": django_filters.CharFilter(label="Country", method=by_text, max_length=100),
    "created_at": filters.date_range("Created"),
}


def companies_called(text: str) -> QuerySet[Company]:
    """Return companies whose names contain a text, ignoring case and accents."""
    key = company_key(plain(text))
    found = Company.objects.order_by("name", "id")
    return found.filter(key__contains=key) if key else found.none()


def found_by_words(contacts: QuerySet[Contact], text: str) -> QuerySet[Contact]:
    """Search contacts as the API does."""
    return matching(contacts, text[:MAX_SEARCH]) if text.strip() else contacts


class ContactColumn(RecordColumn):
    """Name and email."""

    cell_template_name = "crm_admin/contact_cell.html"


class CompanyColumn(Column):
    cell_template_name = "crm_admin/company_cell.html"
