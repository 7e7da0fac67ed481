"""Contact forms. Input is validated by the API's rules."""

from typing import Any

from django import forms
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.columns import person
from cms_api.adminkit.forms import RecordForm
from commerce.common.admin.addresses import address_panel
from commerce.common.types import MAX_EMAIL

from ..models import Contact
from ..resources import ContactInput
from ..selectors import staff
from ..types import ADDRESS, ASSIGNED_TO, COMPANY, DETAILS, NAMES, SOURCE, ContactField, Lifecycle
from .widgets import CompanyNameInput, TagsField

#: The source of contacts that people add.
ORIGIN = "admin"

#: Form fields whose names differ from the API's, because the model fields of those names hold related records.
API_NAMES = {"company_name": "company", "person": "assigned_to", "tag_list": "tags"}


def _line(field: ContactField, *, help_text: str = "") -> forms.CharField:
    attributes = {"maxlength": field.max_length, "autocomplete": "off"} | ({"inputmode": "tel"} if field.name == "phone" else {})
    return forms.CharField(required=False, label=field.label, help_text=help_text, widget=forms.TextInput(attrs=attributes))


def people(*more: Any) -> list[tuple[str, str]]:
    """Return the users who may be assigned contacts, and current assignees, as choices."""
    found = {user.pk: user for user in staff()} | {user.pk: user for user in more if user}
    return [("", "Nobody"), *((str(user.pk), person(user)) for user in sorted(found.values(), key=person))]


#: A base with the lines of text that are declared as fields of contacts.
LinesForm: Any = type("LinesForm", (RecordForm,), {field.name: _line(field) for field in (*NAMES, *DETAILS, *ADDRESS)})


class ContactForm(LinesForm):
    refused_at = {path: name for name, path in API_NAMES.items()}

    email = forms.CharField(
        label="Email",
        help_text="Identifies the contact, and cannot be changed later.",
        widget=forms.EmailInput(attrs={"maxlength": MAX_EMAIL, "autocomplete": "off"}),
    )
    company_name = forms.CharField(
        required=False,
        label=COMPANY.label,
        help_text="An existing company is found by its name; a new one is added.",
        widget=CompanyNameInput(attrs={"maxlength": COMPANY.max_length}),
    )
    lifecycle = forms.ChoiceField(required=False, choices=Lifecycle.choices)
    person = forms.ChoiceField(required=False, label=ASSIGNED_TO.label, choices=people)
    tag_list = TagsField(required=False, label="Tags")
    notes = forms.CharField(
        required=False,
        widget=AdminAutoHeightTextInput(attrs={"rows": 2}),
        help_text="Background information. Events belong in the timeline.",
    )
    source = _line(SOURCE, help_text=f"Where the contact came from. Defaults to “{ORIGIN}”.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        contact = self.instance
        self.initial["company_name"] = contact.company.name if contact.company else ""
        self.initial["person"] = str(contact.assigned_to_id or "")
        self.initial["tag_list"] = contact.tags
        if contact.pk:
            self.fields["email"].disabled = True
            self.fields["email"].help_text = "Identifies the contact, and cannot be changed."
            self.fields["source"].help_text = "Where the contact came from."
            self.fields["person"].choices = people(contact.assigned_to)
        else:
            self.fields["person"].choices = [("", "By assignment rules"), *people()[1:]]

    def values(self) -> dict[str, Any]:
        """Return the changed values as the API reads them. Raises Invalid with the API's paths."""
        names = [name for name in self.changed_data if name in self.cleaned_data]
        sent = {API_NAMES.get(name, name): self.cleaned_data[name] or None for name in names}
        if "lifecycle" in sent and sent["lifecycle"] is None:
            del sent["lifecycle"]
        return ContactInput.read(sent, partial=bool(self.instance.pk))

    class Meta(RecordForm.Meta):
        model = Contact


PANELS = (
    MultiFieldPanel(
        [
            FieldPanel("email"),
            FieldRowPanel([FieldPanel("first_name"), FieldPanel("last_name")]),
            FieldPanel("company_name"),
            FieldRowPanel([FieldPanel(field.name) for field in DETAILS]),
        ],
        heading="Person",
        icon="user",
    ),
    MultiFieldPanel(
        [
            FieldRowPanel([FieldPanel("lifecycle"), FieldPanel("person")]),
            FieldPanel("tag_list"),
            FieldPanel("notes"),
            FieldPanel("source"),
        ],
        heading="Details",
        icon="tag",
    ),
    address_panel(),
)
