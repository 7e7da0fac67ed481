"""What is done with several subscribers at once, through the services and among those that were listed."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from wagtail import hooks
from wagtail.admin import messages
from wagtail.admin.views.bulk_action import BulkAction
from wagtail.permissions import policy_registry

from cms_api.flags.selectors import is_on
from commerce.common.types import MAX_TAG

from ..models import Sequence, Subscriber
from ..services.enrolment import enrol_all
from ..services.subscribers import add_tag, unsubscribe_all
from ..types import FEATURE
from .listing import listed

#: Subscribers of one action at most: more would keep everybody else waiting.
AT_MOST = 10_000
#: How many of those that are selected the page of the question names.
NAMED = 20


class SubscriberAction(BulkAction):
    models = [Subscriber]
    template_name = "marketing_admin/confirm_bulk.html"
    heading = ""
    #: What comes of it, and what is said afterwards.
    consequence = ""
    done = ""
    display_name = action_type = aria_label = ""
    changed = 0

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_on(FEATURE):
            raise Http404
        self.may = bool(policy_registry.get_by_type(Subscriber).user_has_permission(request.user, "change"))
        if "all" in request.GET.getlist("id") and len(self.get_all_objects_in_listing_query(None)) > AT_MOST:
            messages.error(request, f"That would be more than {AT_MOST:,} subscribers at once. Narrow the list with its filters.")
            return redirect(self.next_url)
        return super().dispatch(request, *args, **kwargs)

    def check_perm(self, obj: Any) -> bool:
        return self.may

    @classmethod
    def get_queryset(cls, model: Any, object_ids: Any) -> Any:
        wanted = {int(found) for found in map(str, object_ids) if found.isascii() and found.isdigit() and len(found) < 19}
        ids = sorted(wanted)[:AT_MOST]
        found: list[Subscriber] = []
        for start in range(0, len(ids), 500):
            found += Subscriber.objects.filter(pk__in=ids[start : start + 500])
        return found

    def get_all_objects_in_listing_query(self, parent_id: Any) -> Any:
        """Those of the listing that the person came from, whose parameters the address carries on."""
        return list(listed(self.request.GET).values_list("pk", flat=True))

    def get_execution_context(self) -> dict[str, Any]:
        return {"action": self, "given": self.cleaned_form.cleaned_data if self.cleaned_form else {}}

    @classmethod
    def execute_action(cls, objects: Any, action: Any = None, given: Any = None, **kwargs: Any) -> tuple[int, int]:
        action.changed = action.do(objects, given)
        return len(objects), 0

    def do(self, subscribers: list[Subscriber], given: dict[str, Any]) -> int:
        """Calls the service; for how many it changed something."""
        raise NotImplementedError

    def get_success_message(self, num_parent_objects: int, num_child_objects: int) -> str:
        people = "1 subscriber" if self.changed == 1 else f"{self.changed} subscribers"
        rest = num_parent_objects - self.changed
        return f"{people} {self.done}." + (f" For {rest} nothing changed." if rest else "")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        return {**context, "action": self, "named": context["items"][:NAMED], "unnamed": len(context["items"]) - NAMED}


class TagForm(forms.Form):
    tag = forms.CharField(max_length=MAX_TAG)

    def clean_tag(self) -> str:
        tag = " ".join(self.cleaned_data["tag"].split())
        if "," in tag:
            raise forms.ValidationError("Only one tag at a time.")
        return tag


@hooks.register("register_bulk_action")
class TagSubscribers(SubscriberAction):
    display_name = "Add tag"
    action_type = "tag"
    aria_label = "Add a tag to selected subscribers"
    action_priority = 10
    form_class = TagForm
    heading = "Add a tag"
    consequence = "Those who get mail are enrolled in the sequences of the tag."
    done = "tagged"

    def do(self, subscribers: list[Subscriber], given: dict[str, Any]) -> int:
        return add_tag(subscribers=subscribers, tag=given["tag"], user=self.request.user)


class SequenceForm(forms.Form):
    sequence = forms.ModelChoiceField(queryset=Sequence.objects.all(), empty_label=None)


@hooks.register("register_bulk_action")
class EnrolSubscribers(SubscriberAction):
    display_name = "Enrol"
    action_type = "enrol"
    aria_label = "Enrol selected subscribers in a sequence"
    action_priority = 20
    form_class = SequenceForm
    heading = "Enrol in a sequence"
    consequence = "Only active subscribers are enrolled, and nobody twice. The first mail goes out when its delay is over."
    done = "enrolled"

    def do(self, subscribers: list[Subscriber], given: dict[str, Any]) -> int:
        return enrol_all(sequence=given["sequence"], subscribers=subscribers)


@hooks.register("register_bulk_action")
class UnsubscribeSubscribers(SubscriberAction):
    display_name = "Unsubscribe"
    action_type = "unsubscribe"
    aria_label = "Unsubscribe selected subscribers"
    action_priority = 30
    classes = {"serious"}
    heading = "Unsubscribe"
    consequence = "Nobody writes to them any more, and the sequences they are in end. Integrations are told."
    done = "unsubscribed"

    def do(self, subscribers: list[Subscriber], given: dict[str, Any]) -> int:
        return unsubscribe_all(subscribers=subscribers, user=self.request.user)
