"""Finds duplicate contacts, compares them side by side and merges them."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.http import urlencode
from django.views.generic import TemplateView
from wagtail.admin import messages
from wagtail.admin.paginator import WagtailPaginator

from cms_api.adminkit.columns import local_date, person
from cms_api.adminkit.ids import ids_in
from cms_api.adminkit.once import ActsOnce
from cms_api.adminkit.pages import RecordsPage
from cms_api.core.errors import Invalid

from .. import selectors
from ..models import Contact
from ..services.merging import merge_contacts
from ..types import ASSIGNED_TO, DETAILS
from .listing import MAX_SEARCH, found_by_words, inspect_url

#: Maximum number of contacts compared at once.
COMPARED_CONTACTS = 10
SHOWN_MATCHES = 20
GROUPS_PER_PAGE = 20

#: Rows of the comparison: a label, and a function that returns a contact's value.
ROWS: tuple[tuple[str, Callable[[Contact], str]], ...] = (
    ("Email", lambda contact: contact.email),
    ("Name", lambda contact: contact.name),
    *((field.label, attrgetter(field.name)) for field in DETAILS),
    ("Company", lambda contact: str(contact.company or "")),
    ("Lifecycle", lambda contact: contact.get_lifecycle_display()),
    ("Address", lambda contact: ", ".join(contact.address_lines)),
    ("Tags", lambda contact: ", ".join(contact.tags)),
    ("Notes", lambda contact: contact.notes),
    ("Source", lambda contact: contact.source),
    (ASSIGNED_TO.label, lambda contact: person(contact.assigned_to)),
    ("Last activity", lambda contact: local_date(contact.last_activity_at)),
    ("Created", lambda contact: local_date(contact.created_at)),
)


def merge_url(ids: Sequence[int]) -> str:
    return f"{reverse('crm_contacts:merge')}?{urlencode({'id': list(ids)}, doseq=True)}"


class MergeView(ActsOnce, RecordsPage, TemplateView):
    """For one contact, asks for its duplicates; for several, compares them and asks which one to keep."""

    template_name = "crm_admin/merge.html"
    page_title = "Merge contacts"

    def get_next_url(self) -> str:
        return reverse("crm_contacts:index")

    @cached_property
    def chosen(self) -> list[Contact]:
        """The contacts named in the query string, in that order."""
        ids = ids_in(self.request, "id")[:COMPARED_CONTACTS]
        found = selectors.contacts().in_bulk(ids)
        return [found[pk] for pk in ids if pk in found]

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not self.chosen:
            messages.error(request, "Choose at least two existing contacts.")
            return redirect("crm_contacts:index")
        return super().get(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        kept = next((contact for contact in self.chosen if str(contact.pk) == request.POST.get("kept")), None)
        if kept is None:
            messages.error(request, "Choose which contact to keep.")
            return redirect(merge_url(ids_in(request, "id")[:COMPARED_CONTACTS]) if self.chosen else "crm_contacts:index")
        others = [contact for contact in self.chosen if contact.pk != kept.pk]
        try:
            whole = merge_contacts(kept=kept, others=others, user=request.user)
        except Invalid as refusal:
            messages.error(request, refusal.message)
            return redirect(merge_url([contact.pk for contact in self.chosen]))
        messages.success(request, f"{len(others) + 1} contacts merged into “{whole}”.")
        return redirect(inspect_url(whole))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs, contacts=self.chosen)
        if len(self.chosen) < 2:
            return context | self._search(self.chosen[0])
        rows = [(name, [said(contact) for contact in self.chosen]) for name, said in ROWS]
        # The oldest contact usually has the most history.
        first = min(self.chosen, key=lambda contact: (contact.created_at, contact.pk))
        return context | {"rows": [(name, values, len(set(values)) > 1) for name, values in rows if any(values)], "first": first}

    def _search(self, contact: Contact) -> dict[str, Any]:
        text = self.request.GET.get("q", contact.name).strip()[:MAX_SEARCH]
        found = found_by_words(selectors.contacts(), text) if text else Contact.objects.none()
        others = list(found.exclude(pk=contact.pk)[: SHOWN_MATCHES + 1])
        links = [(other, merge_url([contact.pk, other.pk])) for other in others[:SHOWN_MATCHES]]
        return {"contact": contact, "q": text, "found": links, "there_are_more": len(others) > SHOWN_MATCHES}


class DuplicatesView(RecordsPage, TemplateView):
    """Lists possible duplicates."""

    template_name = "crm_admin/duplicates.html"
    page_title = "Possible duplicates"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        paginator = WagtailPaginator(selectors.possible_duplicates(), GROUPS_PER_PAGE)
        page = paginator.get_page(self.request.GET.get("p"))
        shown = {pk for group in page for pk in group.ids[:COMPARED_CONTACTS]}
        found = selectors.contacts().in_bulk(shown)
        groups = []
        for group in page:
            contacts = [found[pk] for pk in group.ids[:COMPARED_CONTACTS] if pk in found]
            groups.append((contacts, " and ".join(group.common), merge_url([each.pk for each in contacts]), len(group.ids)))
        return super().get_context_data(
            **kwargs,
            page_obj=page,
            elided_page_range=paginator.get_elided_page_range(page.number),
            groups=groups,
            looked_at=selectors.MAX_COMPARED_CONTACTS,
            at_once=COMPARED_CONTACTS,
        )
