"""Bulk actions of contacts."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from wagtail.admin import messages

from cms_api.adminkit.bulk_actions import Bulk, ListingAction
from cms_api.adminkit.transitions import calling
from commerce.common.types import MAX_TAG

from ..models import Contact
from ..services.bulk import assign_contacts, delete_contacts, set_lifecycle, tag_contacts
from ..types import Lifecycle
from .forms import people
from .merging import COMPARED_CONTACTS, merge_url


class ContactAction(ListingAction):
    def get_name(self, record: Contact) -> str:
        return f"{record.name} ({record.email})" if record.name else record.email


class MergeContacts(ContactAction):
    """Redirects to the page that compares the contacts."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if 2 <= len(self.ids) <= COMPARED_CONTACTS:
            return redirect(merge_url(self.ids))
        messages.error(request, f"Choose between two and {COMPARED_CONTACTS} contacts that are the same person.")
        return HttpResponseRedirect(self.next_url)

    post = get


class AssignForm(forms.Form):
    person = forms.TypedChoiceField(required=False, label="Owner", choices=people, coerce=int, empty_value=None)


class TagForm(forms.Form):
    tag = forms.CharField(max_length=MAX_TAG, widget=forms.TextInput(attrs={"autocomplete": "off"}))


class LifecycleForm(forms.Form):
    lifecycle = forms.ChoiceField(choices=Lifecycle.choices)


ACTIONS = (
    Bulk(
        "assign",
        "Assign",
        "assigned",
        "They get this owner.",
        lambda found, user, values: assign_contacts(contacts=found, assigned_to=values["person"], user=user),
        form=AssignForm,
    ),
    Bulk(
        "tag",
        "Add tag",
        "tagged",
        "Their other tags stay.",
        lambda found, user, values: tag_contacts(contacts=found, tag=values["tag"], user=user),
        phrase="Add a tag to {}",
        form=TagForm,
    ),
    Bulk(
        "lifecycle",
        "Set lifecycle",
        "changed",
        "Their lifecycle stage changes.",
        lambda found, user, values: set_lifecycle(contacts=found, lifecycle=values["lifecycle"], user=user),
        phrase="Set the lifecycle of {}",
        form=LifecycleForm,
    ),
    Bulk("merge", "Merge", "merged", "", view=MergeContacts),
    Bulk(
        "delete",
        "Delete",
        "deleted",
        "Their timelines are deleted too. This cannot be undone.",
        calling(delete_contacts, "contacts"),
        permission="delete",
        serious=True,
    ),
)
