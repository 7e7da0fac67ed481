"""What is done with several contacts at once, through the services and among those that were listed."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from wagtail import hooks
from wagtail.admin import messages
from wagtail.admin.views.bulk_action import BulkAction
from wagtail.permissions import policy_registry

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import is_on
from commerce.common.types import MAX_TAG

from .. import selectors
from ..models import Contact
from ..services.bulk import assign_contacts, delete_contacts, set_lifecycle, tag_contacts
from ..services.timeline import FEATURE
from ..types import Lifecycle
from .forms import people
from .listing import by_request, listed
from .merging import AT_ONCE, merge_url

#: Contacts of one action at most: more would keep everybody else waiting.
AT_MOST = 10_000
#: Of these, how many are named before it is done.
NAMED = 20


class ContactAction(BulkAction):
    """Asks once more with a form, and does it."""

    models = [Contact]
    template_name = "crm_admin/confirm_bulk.html"
    permission = "change"
    heading = ""
    #: What comes of it, and what is said of the contacts afterwards.
    consequence = ""
    done = ""
    display_name = action_type = aria_label = ""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_on(FEATURE):
            raise Http404
        if "all" in request.GET.getlist("id") and len(self.get_all_objects_in_listing_query(None)) > AT_MOST:
            messages.error(request, f"That would be more than {AT_MOST:,} contacts at once. Narrow the list with its filters.")
            return redirect(self.next_url)
        return super().dispatch(request, *args, **kwargs)

    def check_perm(self, obj: Any) -> bool:
        return bool(policy_registry.get_by_type(Contact).user_has_permission(self.request.user, self.permission))

    @classmethod
    def get_queryset(cls, model: Any, object_ids: Any) -> Any:
        wanted = [int(found) for found in map(str, object_ids) if found.isascii() and found.isdigit() and len(found) < 19]
        return list(selectors.contacts().filter(pk__in=wanted[:AT_MOST]))

    def get_all_objects_in_listing_query(self, parent_id: Any) -> Any:
        """Those of the listing that the person came from, whose parameters the address carries on."""
        return list(listed(self.request.GET).order_by().values_list("pk", flat=True)[: AT_MOST + 1])

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            return super().form_valid(form)  # type: ignore[no-any-return]
        except Invalid as refusal:
            for sentence in (each for found in refusal.errors.values() for each in found):
                form.add_error(None, sentence)
            return self.form_invalid(form)  # type: ignore[no-any-return]

    def get_execution_context(self) -> dict[str, Any]:
        return {"user": self.request.user, "given": self.cleaned_form.cleaned_data}

    @classmethod
    def execute_action(cls, objects: Any, user: Any = None, given: Any = None, **kwargs: Any) -> tuple[int, int]:
        return cls.act(objects, user, given), 0

    @classmethod
    def act(cls, contacts: Sequence[Contact], user: Any, given: dict[str, Any]) -> int:
        """Calls the service; how many contacts are not what they were."""
        raise NotImplementedError

    def get_success_message(self, num_parent_objects: int, num_child_objects: int) -> str:
        return f"{'1 contact' if num_parent_objects == 1 else f'{num_parent_objects:,} contacts'} {self.done}"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        items = context["items"]
        return {**context, "action": self, "named": items[:NAMED], "unnamed": len(items[NAMED:])}


class AssignForm(forms.Form):
    person = forms.ChoiceField(required=False, label="Looked after by", choices=people)


@hooks.register("register_bulk_action")
class AssignContacts(ContactAction):
    display_name = "Assign"
    action_type = "assign"
    aria_label = "Assign selected contacts"
    action_priority = 10
    form_class = AssignForm
    heading = "Assign contacts"
    consequence = "Whoever is chosen looks after them from now on."
    done = "changed hands."

    @classmethod
    def act(cls, contacts: Sequence[Contact], user: Any, given: dict[str, Any]) -> int:
        return assign_contacts(contacts=contacts, assigned_to=int(given["person"]) if given["person"] else None, user=user)


class TagForm(forms.Form):
    tag = forms.CharField(max_length=MAX_TAG, widget=forms.TextInput(attrs={"autocomplete": "off"}))


@hooks.register("register_bulk_action")
class TagContacts(ContactAction):
    display_name = "Add tag"
    action_type = "tag"
    aria_label = "Add a tag to selected contacts"
    action_priority = 20
    form_class = TagForm
    heading = "Add a tag"
    consequence = "The tags that they have stay."
    done = "have the tag now that did not have it."

    @classmethod
    def act(cls, contacts: Sequence[Contact], user: Any, given: dict[str, Any]) -> int:
        return tag_contacts(contacts=contacts, tag=given["tag"], user=user)


class LifecycleForm(forms.Form):
    lifecycle = forms.ChoiceField(choices=Lifecycle.choices)


@hooks.register("register_bulk_action")
class MoveContacts(ContactAction):
    display_name = "Set lifecycle"
    action_type = "lifecycle"
    aria_label = "Set the lifecycle of selected contacts"
    action_priority = 30
    form_class = LifecycleForm
    heading = "Set the lifecycle"
    consequence = "Says how far they have come."
    done = "changed."

    @classmethod
    def act(cls, contacts: Sequence[Contact], user: Any, given: dict[str, Any]) -> int:
        return set_lifecycle(contacts=contacts, lifecycle=given["lifecycle"], user=user)


@hooks.register("register_bulk_action")
class MergeContacts(ContactAction):
    """Leads to the page that lays them side by side."""

    display_name = "Merge"
    action_type = "merge"
    aria_label = "Merge selected contacts"
    action_priority = 40

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_on(FEATURE):
            raise Http404
        every = "all" in request.GET.getlist("id")
        ids = self.get_all_objects_in_listing_query(None) if every else by_request(request, "id")
        if 2 <= len(ids) <= AT_ONCE:
            return redirect(merge_url(ids))
        messages.error(request, f"Choose two contacts that are one person, or more: up to {AT_ONCE}.")
        return redirect(self.next_url)


@hooks.register("register_bulk_action")
class DeleteContacts(ContactAction):
    display_name = "Delete"
    action_type = "delete"
    aria_label = "Delete selected contacts"
    action_priority = 50
    classes = {"serious"}
    permission = "delete"
    heading = "Delete contacts"
    consequence = "Their timelines go too. This cannot be undone."
    done = "deleted."

    @classmethod
    def act(cls, contacts: Sequence[Contact], user: Any, given: dict[str, Any]) -> int:
        return delete_contacts(contacts=contacts, user=user)
