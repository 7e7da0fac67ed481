"""Bulk actions of contacts."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from wagtail.admin import messages

from cms_api.adminkit.bulk_actions import ListingAction
from commerce.common.types import MAX_TAG

from ..models import Contact
from ..services.bulk import assign_contacts, delete_contacts, set_lifecycle, tag_contacts
from ..types import Lifecycle
from .forms import people
from .merging import AT_ONCE, merge_url


class ContactAction(ListingAction):
    icon = "user"

    def named(self, record: Contact) -> str:
        return f"{record.name} ({record.email})" if record.name else record.email


class AssignForm(forms.Form):
    person = forms.ChoiceField(required=False, label="Owner", choices=people)


class AssignContacts(ContactAction):
    display_name = "Assign"
    action_type = "assign"
    form_class = AssignForm
    heading = "Assign contacts"
    consequence = "They get this owner."
    done = "assigned"

    def act(self, records: list[Contact], given: Mapping[str, Any]) -> int:
        person = int(given["person"]) if given["person"] else None
        return assign_contacts(contacts=records, assigned_to=person, user=self.request.user)


class TagForm(forms.Form):
    tag = forms.CharField(max_length=MAX_TAG, widget=forms.TextInput(attrs={"autocomplete": "off"}))


class TagContacts(ContactAction):
    display_name = "Add tag"
    action_type = "tag"
    aria_label = "Add a tag to selected contacts"
    form_class = TagForm
    heading = "Add a tag"
    consequence = "Their other tags stay."
    done = "tagged"

    def act(self, records: list[Contact], given: Mapping[str, Any]) -> int:
        return tag_contacts(contacts=records, tag=given["tag"], user=self.request.user)


class LifecycleForm(forms.Form):
    lifecycle = forms.ChoiceField(choices=Lifecycle.choices)


class MoveContacts(ContactAction):
    display_name = "Set lifecycle"
    action_type = "lifecycle"
    aria_label = "Set the lifecycle of selected contacts"
    form_class = LifecycleForm
    heading = "Set the lifecycle"
    consequence = "Their lifecycle stage changes."
    done = "changed"

    def act(self, records: list[Contact], given: Mapping[str, Any]) -> int:
        return set_lifecycle(contacts=records, lifecycle=given["lifecycle"], user=self.request.user)


class MergeContacts(ContactAction):
    """Redirects to the page that compares the contacts."""

    display_name = "Merge"
    action_type = "merge"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if 2 <= len(self.ids) <= AT_ONCE:
            return redirect(merge_url(self.ids))
        messages.error(request, f"Choose between two and {AT_ONCE} contacts that are the same person.")
        return HttpResponseRedirect(self.next_url)

    post = get


class DeleteContacts(ContactAction):
    display_name = "Delete"
    action_type = "delete"
    classes = {"serious"}
    permission = "delete"
    heading = "Delete contacts"
    consequence = "Their timelines are deleted too. This cannot be undone."
    done = "deleted"

    def act(self, records: list[Contact], given: Mapping[str, Any]) -> int:
        return delete_contacts(contacts=records, user=self.request.user)


ACTIONS = (AssignContacts, TagContacts, MoveContacts, MergeContacts, DeleteContacts)
