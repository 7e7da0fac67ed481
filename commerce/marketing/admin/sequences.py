"""Sequences in the admin: steps, start and pause, and enrolments."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path
from wagtail.admin.panels import FieldPanel, FieldRowPanel, HelpPanel, InlinePanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.permissions import policy_registry

from cms_api.adminkit.columns import RecordColumn, SwitchColumn
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.transitions import switching
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.adminkit.widgets import AsciiSlugInput
from cms_api.core.records import delete_record

from ..models import Sequence
from ..selectors import latest_enrolments, waiting_for, with_counts
from ..services.sequences import save_sequence, switch_sequence
from ..services.wording import PLACEHOLDERS
from ..types import MAX_STEPS
from .forms import SequenceForm
from .steps import SEND_TEST, PreviewView, preview_url, steps


def _placeholder_help() -> str:
    rows = "".join(f"<dt><code>{{{{ {name} }}}}</code></dt><dd>{about}</dd>" for name, about in PLACEHOLDERS.items())
    return f'<p>The subject and the text of a step can contain:</p><dl class="facts">{rows}</dl>'


SLUG_HELP = (
    "Identifies the sequence in other parts of the site. Leave empty to derive it from the name. It cannot be changed later."
)

PANELS = (
    MultiFieldPanel(
        [NamePanel("name"), FieldPanel("slug", widget=AsciiSlugInput, help_text=SLUG_HELP)], heading="Sequence", icon="history"
    ),
    MultiFieldPanel(
        [FieldPanel("trigger"), FieldPanel("tag", help_text="Only for a sequence that a tag starts.")],
        heading="Enrolment",
        icon="group",
    ),
    HelpPanel(_placeholder_help(), heading="Placeholders"),
    InlinePanel(
        "steps",
        panels=[
            FieldRowPanel([FieldPanel("delay"), FieldPanel("unit")], classname="marketing__wait"),
            FieldPanel("subject"),
            FieldPanel("body"),
        ],
        heading="Steps",
        label="Step",
        help_text="Each step waits after the previous one; the first waits after enrolment.",
        min_num=1,
        max_num=MAX_STEPS,
    ),
)


def trigger_words(sequence: Sequence) -> str:
    """Describe a sequence's trigger in a few words."""
    said = {"manual": "Manual", "subscribed": "When someone subscribes", "tagged": f"With the tag “{sequence.tag}”"}
    return said[sequence.trigger]


class SequenceViewSet(RecordViewSet):
    model = Sequence
    icon = "history"
    menu_label = "Sequences"
    menu_order = 30
    name = "sequences"
    url_prefix = "marketing/sequences"
    pages = ("add", "edit", "inspect", "delete", "history")
    ordering = ("name", "id")
    search_fields = ["name", "tag"]
    delete_consequence = "Its steps are deleted, and people enrolled in it get no more of them. Sent emails stay in the log."
    inspect_template_name = "marketing_admin/sequence.html"
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("trigger", label="Enrolment", accessor=trigger_words),
        Column("step_count", label="Steps", sort_key="step_count"),
        Column("active_count", label="Active", sort_key="active_count"),
        Column("finished_count", label="Finished", sort_key="finished_count"),
        Column("stopped_count", label="Stopped", sort_key="stopped_count"),
        SwitchColumn("enabled", on="Running", off="Paused", sort_key="enabled"),
    )
    form, panels = SequenceForm, PANELS
    transitions = switching(
        switch_sequence,
        "sequence",
        "enabled",
        on=("start", "Start", "“{record}” is running. Emails that are due are sent within a minute or two."),
        off=("pause", "Pause", "“{record}” is paused. Nothing is sent, and nobody is enrolled automatically."),
    )

    def records(self) -> QuerySet[Sequence]:
        return with_counts(Sequence.objects.all())

    def create(self, values: dict[str, Any], user: Any) -> Sequence:
        return save_sequence(slug=values.pop("slug"), values=values, user=user)

    def update(self, record: Sequence, values: dict[str, Any], user: Any) -> Sequence:
        return save_sequence(sequence=record, values=values, user=user)

    def delete(self, record: Sequence, user: Any) -> None:
        delete_record(record=record, user=user)

    def facts(self, record: Any) -> dict[str, Any]:
        return {
            "Status": "Running" if record.enabled else "Paused: nothing is sent, and nobody is enrolled automatically",
            "Enrolment": trigger_words(record),
            "Slug": record.slug,
            "People": f"{record.active_count} active, {record.finished_count} finished, {record.stopped_count} stopped",
        }

    def inspect_context(self, record: Sequence, request: HttpRequest) -> dict[str, Any]:
        waiting = waiting_for(record)
        return {
            "steps": [(step, waiting.get(step.pk, 0)) for step in record.steps.all()],
            "enrolments": latest_enrolments(record),
        }

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        policy = policy_registry.get_by_type(Sequence)
        return [
            path("steps/<id:pk>/", self.construct_view(PreviewView), name="preview"),
            self.part_pattern("steps/<id:pk>/test/", SEND_TEST, parts=steps, home=preview_url, policy=policy),
        ]
