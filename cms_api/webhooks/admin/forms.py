"""The forms of a subscription, of test samples and of pages that reveal a secret, and the listing's filter."""

import secrets
from collections.abc import Collection
from typing import Any, NamedTuple

import django_filters
from django import forms
from django.db.models import QuerySet
from wagtail.admin.filters import WagtailFilterSet

from cms_api.core import registry
from cms_api.flags.selectors import is_on

from ..models import Endpoint
from ..selectors import offered_events
from ..types import ALL, MAX_URL


class Kind(NamedTuple):
    """A checkbox in the event picker."""

    name: str
    summary: str
    chosen: bool


class ModuleKinds(NamedTuple):
    """The events of a module, none of which are emitted while it is off."""

    title: str
    on: bool
    kinds: list[Kind]


class WebhookForm(forms.Form):
    """The input for creating or changing a subscription. The service validates it, so nothing is required here."""

    url = forms.CharField(
        required=False,
        label="URL",
        help_text="The public HTTPS URL that events are sent to.",
        widget=forms.URLInput(attrs={"maxlength": MAX_URL, "autocomplete": "off", "aria-required": "true"}),
    )
    description = forms.CharField(
        required=False, max_length=255, help_text="For example, the integration that receives the events."
    )
    events = forms.MultipleChoiceField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        events: Any = self.fields["events"]
        self.offered = offered_events(self.initial.get("events", ()))
        events.choices = [(ALL, ALL), *((event.kind, event.kind) for _, found in self.offered for event in found)]

    def clean_events(self) -> list[str]:
        """Return only `*` if it is selected, because it includes all other events."""
        events = self.cleaned_data["events"]
        return [ALL] if ALL in events else events

    @property
    def every_kind(self) -> str:
        return ALL

    def wants_every_kind(self) -> bool:
        return ALL in (self["events"].value() or ())

    def modules(self) -> list[ModuleKinds]:
        """Return the event types by the module that emits them."""
        chosen = set(self["events"].value() or ())
        return [
            ModuleKinds(
                module.title,
                all(is_on(registry.event_feature(event.kind)) for event in events),
                [Kind(event.kind, event.summary, event.kind in chosen) for event in events],
            )
            for module, events in self.offered
        ]


class OnceForm(forms.Form):
    """Limits a page to one secret, however often the form is submitted."""

    once = forms.CharField(widget=forms.HiddenInput, max_length=64, initial=lambda: secrets.token_urlsafe(16))


class NewWebhookForm(WebhookForm, OnceForm):
    pass


class SampleForm(forms.Form):
    """The event type to send a test sample of: one that is emitted, or to which the webhook is subscribed."""

    kind = forms.ChoiceField(label="Event")

    def __init__(self, *args: Any, subscribed: Collection[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kind: Any = self.fields["kind"]
        kind.choices = [
            (module.title, [(event.kind, event.kind) for event in events]) for module, events in offered_events(subscribed)
        ]


class WebhookFilterSet(WagtailFilterSet):
    state = django_filters.ChoiceFilter(
        label="Status",
        choices=[("enabled", "Enabled"), ("disabled", "Disabled")],
        empty_label="All",
        method="filter_state",
        widget=forms.RadioSelect,
    )

    class Meta:
        model = Endpoint
        fields: list[str] = []

    def filter_state(self, endpoints: QuerySet[Endpoint], name: str, state: str) -> QuerySet[Endpoint]:
        return endpoints.filter(enabled=state == "enabled")
