"""The forms of a webhook and of its test."""

from collections.abc import Collection, Iterator
from typing import Any

from django import forms

from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.widgets import GroupedCheckboxes
from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.flags.selectors import is_on

from ..selectors import offered_events
from ..services.endpoints import check_reachable
from ..types import ALL


def event_choices(chosen: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield the choice of all events, then the event types by module; none of those is emitted while its module is off."""
    yield ALL, "All events, including future types"
    for module, events in offered_events(chosen):
        is_emitting = all(is_on(registry.event_feature(event.kind)) for event in events)
        title = module.title if is_emitting else f"{module.title} (off: nothing is sent)"
        yield title, [(event.kind, event.summary) for event in events]


class WebhookForm(RecordForm):
    events = forms.MultipleChoiceField(widget=GroupedCheckboxes)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        events: Any = self.fields["events"]
        events.choices = list(event_choices(self.instance.events))

    def clean_url(self) -> str:
        """Look the host up before the view begins its transaction."""
        url: str = self.cleaned_data["url"]
        if url != self.instance.url:
            try:
                return check_reachable(url)
            except Invalid as refusal:
                raise forms.ValidationError(refusal.errors["url"]) from refusal
        return url

    def clean_events(self) -> list[str]:
        """Return only `*` if it is selected, because it includes all other events."""
        events = self.cleaned_data["events"]
        return [ALL] if ALL in events else events


class SampleForm(forms.Form):
    """The event type to send a test sample of: one that is emitted, or to which the webhook is subscribed."""

    kind = forms.ChoiceField(label="Event")

    def __init__(self, *args: Any, subscribed: Collection[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kind: Any = self.fields["kind"]
        kind.choices = [
            (module.title, [(event.kind, event.kind) for event in events]) for module, events in offered_events(subscribed)
        ]
