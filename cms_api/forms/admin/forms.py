"""Forms in the admin: the list with submission counts, and the builder."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.urls import URLPattern, path, reverse
from wagtail import blocks
from wagtail.admin.panels import FieldPanel, HelpPanel, MultiFieldPanel, ObjectList
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import BaseButton, Button

from cms_api.adminkit.columns import CountColumn, RecordColumn, SwitchColumn
from cms_api.adminkit.fields import SlugField
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.viewset import RecordViewSet

from ..models import Form
from ..selectors import with_counts
from ..services.forms import ATTRIBUTES, delete_form, save_form
from ..types.builder import SCHEMA_BLOCK, from_stream
from ..types.inputs import SENT_MESSAGE, SUBMIT_LABEL
from .preview import PreviewNewView, PreviewView
from .submissions import submissions_url

#: The initial fields of a new form, which nearly every form asks for.
USUAL = [
    {"key": "name", "label": "Your name", "type": "text", "required": True, "help_text": ""},
    {"key": "email", "label": "Your email address", "type": "email", "required": True, "help_text": ""},
    {"key": "message", "label": "Your message", "type": "textarea", "required": True, "help_text": ""},
]


class FormForm(RecordForm):
    """The form builder."""

    only_new = ("slug",)
    refused_at = {"recipients": "recipients_editor", "fields": "fields_editor"}

    slug = SlugField(
        max_length=100,
        help_text="The last part of the form's URL. Leave empty to derive it from the name. It cannot be changed later.",
    )
    recipients_editor = forms.CharField(
        required=False,
        label="Recipients",
        widget=AdminAutoHeightTextInput(attrs={"rows": 2}),
        help_text="Email addresses that get each submission, one per line. Defaults to the business address.",
    )
    fields_editor = blocks.BlockField(SCHEMA_BLOCK, required=False, label="Fields")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields = self.instance.fields if self.instance.pk else self.instance.fields or USUAL
        self.initial["fields_editor"] = SCHEMA_BLOCK.from_definitions(fields)
        self.initial["recipients_editor"] = "\n".join(self.instance.recipients)

    def values(self) -> dict[str, Any]:
        values = super().values()
        values["recipients"] = values.pop("recipients_editor").replace(",", "\n").splitlines()
        values["fields"] = from_stream(values.pop("fields_editor"))
        return values

    class Meta(RecordForm.Meta):
        widgets = {
            "description": AdminAutoHeightTextInput(attrs={"rows": 2}),
            "success_message": AdminAutoHeightTextInput(attrs={"rows": 2}),
        }


TABS = (
    ObjectList([NamePanel("name"), FieldPanel("slug"), FieldPanel("fields_editor")], heading="Form"),
    ObjectList(
        [
            MultiFieldPanel(
                [FieldPanel("description"), FieldPanel("enabled")],
                heading="Page",
                icon="form",
            ),
            MultiFieldPanel(
                [
                    FieldPanel("submit_label", help_text=f"Defaults to “{SUBMIT_LABEL}”."),
                    FieldPanel("success_message", help_text=f"Shown after sending. Defaults to “{SENT_MESSAGE}”"),
                ],
                heading="Text",
                icon="openquote",
            ),
            MultiFieldPanel(
                [
                    FieldPanel(
                        "store_submissions", help_text="Otherwise submissions are only sent to recipients and integrations."
                    ),
                    FieldPanel("recipients_editor"),
                    HelpPanel(
                        "<p>Submissions that look like spam are quarantined, even if the form does not store submissions. "
                        "Nobody is notified until they are released.</p>"
                    ),
                ],
                heading="Submission handling",
                icon="mail",
            ),
        ],
        heading="Settings",
    ),
)


def quarantine_url(form: Form) -> str:
    return set_query_params(submissions_url(form), {"is_spam": "true"})


class FormViewSet(RecordViewSet):
    model = Form
    icon = "form"
    menu_label = "Forms"
    menu_order = 10
    name = "site_forms"
    url_prefix = "forms"
    pages = ("add", "copy", "edit", "delete", "history")
    ordering = ("name", "id")
    search_fields = ["name", "slug"]
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("slug", label="Address", accessor=lambda form: f"/forms/{form.slug}", sort_key="slug"),
        Column("fields", label="Fields", accessor=lambda form: len(form.fields)),
        CountColumn("kept", label="Submissions", url=submissions_url),
        CountColumn("quarantined", label="In quarantine", url=quarantine_url, empty=""),
        SwitchColumn("enabled"),
    )
    form = FormForm
    panels = TABS

    create_template_name = edit_template_name = copy_template_name = "forms_admin/form.html"

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        new = self.construct_view(PreviewNewView, **self.get_add_view_kwargs())
        stored = self.construct_view(PreviewView, **self.get_edit_view_kwargs())
        return [path("new/preview/", new, name="preview_new"), path("edit/<id:pk>/preview/", stored, name="preview")]

    def records(self) -> QuerySet[Form]:
        return with_counts(Form.objects.all())

    def create(self, values: dict[str, Any], user: Any) -> Form:
        return save_form(slug=values.pop("slug"), values=values, user=user)

    def update(self, record: Form, values: dict[str, Any], user: Any) -> Form:
        return save_form(form=record, values=values, user=user)

    def delete(self, record: Form, user: Any) -> None:
        delete_form(form=record, user=user)

    def copy_record(self, record: Form) -> Form:
        given = {name: getattr(record, name) for name in ATTRIBUTES if name != "name"}
        return Form(name=f"{record.name} (copy)"[:120], **given)

    def get_delete_consequence(self, record: Any) -> str:
        count = record.kept + record.quarantined
        more = f"Its {count} submission{' is' if count == 1 else 's are'} deleted too. " if count else ""
        return f"{more}Pages that show it no longer do."

    def record_buttons(self, record: Form, user: Any) -> list[BaseButton]:
        found: list[BaseButton] = [Button("Submissions", url=submissions_url(record), icon_name="list-ul", priority=11)]
        if record.enabled:
            page_url = reverse("form_page", args=[record.slug])
            found.append(Button("View page", url=page_url, icon_name="view", priority=12))
        return found
