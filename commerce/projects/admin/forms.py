"""The forms of projects, their updates and files."""

import uuid
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.db.models import Q
from wagtail import blocks
from wagtail.admin.widgets import AdminAutoHeightTextInput, AdminDateInput

from cms_api.adminkit.blocks import SiteDateBlock
from cms_api.adminkit.columns import person
from cms_api.adminkit.forms import RecordForm
from commerce.common.admin.amounts import RecordActionForm
from commerce.invoicing.selectors.clients import clients

from ..models import Milestone
from ..selectors import assignable
from ..types import COMPLETED_PERCENT, MAX_FILE_BYTES, MAX_FILENAME, MAX_MILESTONES, MAX_TEXT, MAX_TITLE, MIB, OPEN_STATUSES
from .choosers import client_widget


class MilestoneBlock(blocks.StructBlock):
    title = blocks.CharBlock(max_length=MAX_TITLE)
    due_at = SiteDateBlock(required=False, label="Due date")

    class Meta:
        icon = "check"
        label_format = "{title}"
        form_classname = "struct-block project-milestone"


MILESTONES_BLOCK = blocks.StreamBlock([("milestone", MilestoneBlock())], max_num=MAX_MILESTONES, required=False)


def block_id(milestone: Milestone) -> str:
    """Return the id of a milestone's block, by which it is known again however the blocks are moved."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"milestone:{milestone.pk}"))


class PersonField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return person(obj)


class ProjectForm(RecordForm):
    refused_at = {"milestones": "milestone_rows"}
    only_new = ("status",)

    status = forms.ChoiceField(
        choices=[(each.value, each.label) for each in OPEN_STATUSES], initial=OPEN_STATUSES[0], widget=forms.RadioSelect
    )
    client = forms.ModelChoiceField(clients(), required=False, widget=client_widget())
    assigned_to = PersonField(get_user_model()._default_manager.none(), required=False, empty_label="Nobody")
    progress = forms.IntegerField(
        initial=0,
        min_value=0,
        max_value=COMPLETED_PERCENT,
        label="Progress in percent",
        help_text="Used while there are no milestones.",
    )
    milestone_rows = blocks.BlockField(MILESTONES_BLOCK, label="Milestones", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        project: Any = self.instance
        users = get_user_model()._default_manager
        people = users.filter(Q(pk__in=assignable().order_by().values("pk")) | Q(pk=project.assigned_to_id))
        field: Any = self.fields["assigned_to"]
        field.queryset = people.order_by("first_name", "last_name", "pk")
        self.milestones = list(project.milestones.all()) if project.pk else []
        rows = [
            {"type": "milestone", "id": block_id(each), "value": {"title": each.title, "due_at": each.due_at}}
            for each in self.milestones
        ]
        self.initial["milestone_rows"] = MILESTONES_BLOCK.to_python(rows)

    def values(self) -> dict[str, Any]:
        values = super().values()
        known = {block_id(each): each.pk for each in self.milestones}
        rows = values.pop("milestone_rows")
        return {**values, "milestones": [{**row.value, "id": known.pop(row.id, None)} for row in rows]}

    class Meta(RecordForm.Meta):
        widgets = {
            "description": AdminAutoHeightTextInput(attrs={"rows": 3}),
            "needed": AdminAutoHeightTextInput(attrs={"rows": 2}),
            "started_at": AdminDateInput,
            "due_at": AdminDateInput,
        }
        labels = {"client_email": "Email", "client_name": "Name", "needed": "Needed from the client"}
        help_texts = {
            "description": "The client sees it.",
            "client_email": "Gets updates and finished milestones. Defaults to the address of the chosen client.",
            "client_name": "Defaults to the name of the chosen client.",
            "needed": "The client sees it while the project is open. For example: Please send us the logo as SVG.",
        }


class UpdateForm(RecordActionForm):
    note = forms.CharField(label="Update", max_length=MAX_TEXT, widget=AdminAutoHeightTextInput(attrs={"rows": 3}))
    is_public = forms.BooleanField(label="Share this update with the client", required=False, initial=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        to = f"It is emailed to {self.record.email}." if self.record.email else "There is no address to email it to."
        self.fields["is_public"].help_text = f"{to} Otherwise, it is an internal note."


class FileForm(RecordActionForm):
    file = forms.FileField(max_length=MAX_FILENAME, help_text=f"At most {MAX_FILE_BYTES // MIB} MB.")
    is_public = forms.BooleanField(
        label="Share this file with the client",
        required=False,
        help_text="The client can download it from the page of the project.",
    )
