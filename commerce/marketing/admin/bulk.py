"""Bulk actions on subscribers."""

from collections.abc import Mapping
from typing import Any

from django import forms

from cms_api.adminkit.bulk_actions import ListingAction
from commerce.common.types import MAX_TAG

from ..models import Sequence, Subscriber
from ..services.enrolment import enrol_all
from ..services.subscribers import add_tag, unsubscribe_all


class SubscriberAction(ListingAction):
    icon = "group"

    def named(self, record: Subscriber) -> str:
        return f"{record.name} ({record.email})" if record.name else record.email


class TagForm(forms.Form):
    tag = forms.CharField(max_length=MAX_TAG, widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def clean_tag(self) -> str:
        tag = " ".join(self.cleaned_data["tag"].split())
        if "," in tag:
            raise forms.ValidationError("Only one tag at a time.")
        return tag


class TagSubscribers(SubscriberAction):
    display_name = "Add tag"
    action_type = "tag"
    aria_label = "Add a tag to selected subscribers"
    form_class = TagForm
    heading = "Add a tag"
    consequence = "Active subscribers are enrolled in the sequences that the tag starts."
    done = "tagged"

    def act(self, records: list[Subscriber], given: Mapping[str, Any]) -> int:
        return add_tag(subscribers=records, tag=given["tag"], user=self.request.user)


class SequenceForm(forms.Form):
    sequence = forms.ModelChoiceField(queryset=Sequence.objects.all(), empty_label=None)


class EnrolSubscribers(SubscriberAction):
    display_name = "Enrol"
    action_type = "enrol"
    aria_label = "Enrol selected subscribers in a sequence"
    form_class = SequenceForm
    heading = "Enrol in a sequence"
    consequence = "Only active subscribers are enrolled, and nobody twice. The first email is sent after its delay."
    done = "enrolled"

    def act(self, records: list[Subscriber], given: Mapping[str, Any]) -> int:
        return enrol_all(sequence=given["sequence"], subscribers=records)


class UnsubscribeSubscribers(SubscriberAction):
    display_name = "Unsubscribe"
    action_type = "unsubscribe"
    classes = {"serious"}
    heading = "Unsubscribe"
    consequence = "They get no more emails, and their sequences stop. Integrations are notified."
    done = "unsubscribed"

    def act(self, records: list[Subscriber], given: Mapping[str, Any]) -> int:
        return unsubscribe_all(subscribers=records, user=self.request.user)
