"""Bulk actions on subscribers."""

from django import forms

from cms_api.adminkit.bulk_actions import Bulk, ListingAction
from cms_api.adminkit.transitions import calling
from commerce.common.types import MAX_TAG

from ..models import Sequence, Subscriber
from ..services.enrolment import enrol_all
from ..services.subscribers import add_tag, unsubscribe_all


class SubscriberAction(ListingAction):
    def get_name(self, record: Subscriber) -> str:
        return f"{record.name} ({record.email})" if record.name else record.email


class TagForm(forms.Form):
    tag = forms.CharField(max_length=MAX_TAG, widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def clean_tag(self) -> str:
        tag = " ".join(self.cleaned_data["tag"].split())
        if "," in tag:
            raise forms.ValidationError("Only one tag at a time.")
        return tag


class SequenceForm(forms.Form):
    sequence = forms.ModelChoiceField(queryset=Sequence.objects.all(), empty_label=None)


BULK_ACTIONS = (
    Bulk(
        "tag",
        "Add tag",
        "tagged",
        "Active subscribers are enrolled in the sequences that the tag starts.",
        lambda found, user, values: add_tag(subscribers=found, tag=values["tag"], user=user),
        phrase="Add a tag to {}",
        form=TagForm,
    ),
    Bulk(
        "enrol",
        "Enrol",
        "enrolled",
        "Only active subscribers are enrolled, and nobody twice. The first email is sent after its delay.",
        lambda found, user, values: enrol_all(sequence=values["sequence"], subscribers=found),
        phrase="Enrol {} in a sequence",
        form=SequenceForm,
    ),
    Bulk(
        "unsubscribe",
        "Unsubscribe",
        "unsubscribed",
        "They get no more emails, and their sequences stop. Integrations are notified.",
        calling(unsubscribe_all, "subscribers"),
        serious=True,
    ),
)
