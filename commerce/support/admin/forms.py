"""The forms of tickets: opened and edited by staff, answered, assigned, tagged and merged."""

from typing import Any

from django import forms
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.forms import RecordForm
from commerce.common.types import MAX_EMAIL, MAX_NAME
from commerce.common.types.codes import number_key

from ..models import CannedAnswer, Category, Ticket
from ..selectors.tickets import canned_answers
from ..types.tickets import MAX_BODY, MAX_SUBJECT, Priority
from ..types.uploads import AttachmentsField
from .words import agent_choices, category_choices

ANSWER, NOTE = "answer", "note"


class TicketForm(RecordForm):
    """A ticket that staff open for somebody, and afterwards its subject and requester."""

    only_new = ("message", "category", "priority")

    name = forms.CharField(required=False, max_length=2 * MAX_NAME)
    email = forms.EmailField(max_length=MAX_EMAIL)
    subject = forms.CharField(max_length=MAX_SUBJECT)
    category = forms.ModelChoiceField(queryset=Category.objects.all(), required=False, empty_label="None")
    priority = forms.ChoiceField(choices=Priority.choices, initial=Priority.NORMAL)
    message = forms.CharField(max_length=MAX_BODY, widget=AdminAutoHeightTextInput(attrs={"rows": 6}))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ticket: Any = self.instance
        if ticket.pk:
            self.initial |= {"name": ticket.name, "email": ticket.email, "subject": ticket.subject}


class ReplyForm(forms.Form):
    """An answer to the requester, or a note for staff. `canned` is a text to insert."""

    kind = forms.ChoiceField(
        choices=[(ANSWER, "Answer to the requester"), (NOTE, "Internal note")],
        initial=ANSWER,
        widget=forms.RadioSelect,
        label="Send",
    )
    canned = forms.ModelChoiceField(
        queryset=CannedAnswer.objects.all(), required=False, label="Canned answer", empty_label="Choose a canned answer"
    )
    message = forms.CharField(
        required=False, max_length=MAX_BODY, widget=AdminAutoHeightTextInput(attrs={"rows": 6, "aria-required": "true"})
    )
    attachments = AttachmentsField(at_most=10)

    def __init__(self, *args: Any, ticket: Ticket, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "reply_%s", **kwargs})
        self.ticket = ticket
        offered = canned_answers(ticket.category)
        canned: Any = self.fields["canned"]
        canned.choices = [("", canned.empty_label), *((each.pk, each.title) for each in offered)]
        if not offered:
            del self.fields["canned"]
        if ticket.is_spam:
            kind: Any = self.fields["kind"]
            kind.choices = [each for each in kind.choices if each[0] == NOTE]
            kind.initial = NOTE


class AssignForm(forms.Form):
    user_id = forms.TypedChoiceField(required=False, coerce=int, empty_value=None, label="Assignee")

    def __init__(self, *args: Any, record: Ticket | None = None, **kwargs: Any) -> None:
        assignee = record.assignee if record else None
        super().__init__(*args, **{"initial": {"user_id": str(assignee.pk) if assignee else ""}, **kwargs})
        field: Any = self.fields["user_id"]
        field.choices = agent_choices(assignee)


class PriorityForm(forms.Form):
    priority = forms.ChoiceField(choices=Priority.choices)

    def __init__(self, *args: Any, record: Ticket, **kwargs: Any) -> None:
        super().__init__(*args, **{"initial": {"priority": record.priority}, **kwargs})


class CategoryForm(forms.Form):
    category = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)

    def __init__(self, *args: Any, record: Ticket, **kwargs: Any) -> None:
        super().__init__(*args, **{"initial": {"category": str(record.category_id or "")}, **kwargs})
        field: Any = self.fields["category"]
        field.choices = category_choices()


class TagsForm(forms.Form):
    tags = forms.CharField(required=False, max_length=2000, widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, *args: Any, record: Ticket, **kwargs: Any) -> None:
        given = ", ".join(tag.name for tag in record.tags.all())
        super().__init__(*args, **{"initial": {"tags": given}, **kwargs})
        self.fields["tags"].widget.attrs["placeholder"] = "Separate tags with commas"

    def clean_tags(self) -> list[str]:
        return str(self.cleaned_data["tags"]).split(",")


class MergeForm(forms.Form):
    """The other ticket, by its number."""

    into = forms.CharField(max_length=24, label="Merge into", help_text="The number of the other ticket, such as SUP-1402.")

    def __init__(self, *args: Any, record: Ticket, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    def clean_into(self) -> Ticket:
        found = Ticket.objects.filter(number=number_key(str(self.cleaned_data["into"]))).first()
        if found is None:
            raise forms.ValidationError("There is no ticket with this number.")
        return found
