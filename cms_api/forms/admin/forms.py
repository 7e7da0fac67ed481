"""Forms in the admin: the list with its counts, and the builder."""

from typing import Any

from django import forms
from django.db.models import Q
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from wagtail import blocks
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.edit import EditAction
from wagtail.actions.registry import action_registry
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, FieldRowPanel, HelpPanel, MultiFieldPanel, ObjectList, Panel, TabbedInterface
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import Column, StatusTagColumn
from wagtail.admin.utils import set_query_params
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets import AdminAutoHeightTextInput, SlugInput
from wagtail.admin.widgets.button import Button

from cms_api.adminkit.admin import RefusingMixin
from cms_api.core.errors import Invalid

from ..models import Form
from ..selectors import with_counts
from ..services.forms import ATTRIBUTES, delete_form, save_form
from ..types.inputs import SENT_MESSAGE, SUBMIT_LABEL
from .schema import SCHEMA_BLOCK, from_stream, stream_error, to_stream

#: A new form begins with what nearly every form asks.
USUAL = [
    {"key": "name", "label": "Your name", "type": "text", "required": True, "help_text": ""},
    {"key": "email", "label": "Your email address", "type": "email", "required": True, "help_text": ""},
    {"key": "message", "label": "Your message", "type": "textarea", "required": True, "help_text": ""},
]


class FormForm(WagtailAdminModelForm):
    """A form as it is put together. Its rules are the service's."""

    slug = forms.CharField(
        required=False,
        max_length=100,
        widget=SlugInput,
        help_text="The last part of the address of its page; made from the name where it is empty. It cannot be changed later.",
    )
    recipients_editor = forms.CharField(
        required=False,
        label="Recipients",
        widget=AdminAutoHeightTextInput(attrs={"rows": 2}),
        help_text="Addresses that get a mail with each submission, one a line. Where it is empty, the business's own gets it.",
    )
    fields_editor = blocks.BlockField(SCHEMA_BLOCK, required=False, label="Fields")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            # Wagtail would render an input that no panel has.
            del self.fields["slug"]
        held = self.instance.fields
        self.initial["fields_editor"] = to_stream(held if self.instance.pk or held else USUAL)
        self.initial["recipients_editor"] = "\n".join(self.instance.recipients)

    def values(self) -> dict[str, Any]:
        values = {name: self.cleaned_data[name] for name in ATTRIBUTES if name in self.cleaned_data}
        values["recipients"] = self.cleaned_data["recipients_editor"].replace(",", "\n").splitlines()
        return {**values, "fields": from_stream(self.cleaned_data["fields_editor"])}

    def _post_clean(self) -> None:
        """The service checks what was sent; the instance is its own to change."""

    def refuse(self, refusal: Invalid) -> None:
        in_fields = stream_error(refusal)
        if in_fields:
            # Set and not added: Django would flatten an error that knows its blocks into sentences.
            self.errors["fields_editor"] = self.error_class([in_fields])
        names = {"recipients": "recipients_editor", "fields": "fields_editor"}
        for path, sentences in refusal.errors.items():
            if not (in_fields and path.startswith("fields.")):
                name = names.get(path, path)
                self.add_error(name if name in self.fields else None, sentences)

    class Meta(WagtailAdminModelForm.Meta):
        widgets = {
            "description": AdminAutoHeightTextInput(attrs={"rows": 2}),
            "success_message": AdminAutoHeightTextInput(attrs={"rows": 2}),
        }


def _panel(*, new: bool) -> Panel:
    slug = [FieldPanel("slug")] if new else []
    label_help = f"Empty for “{SUBMIT_LABEL}”."
    message_help = f"What visitors read once they have sent it. Empty for “{SENT_MESSAGE}”"
    kept_help = "Otherwise a submission is told by mail and to integrations, and nothing of it stays here."
    settings = [
        MultiFieldPanel(
            [FieldPanel("name"), *slug, FieldPanel("description"), FieldPanel("enabled")], heading="Form", icon="form"
        ),
        MultiFieldPanel(
            [
                FieldRowPanel([FieldPanel("submit_label", help_text=label_help)]),
                FieldPanel("success_message", help_text=message_help),
            ],
            heading="Words",
            icon="openquote",
        ),
        MultiFieldPanel(
            [
                FieldPanel("store_submissions", help_text=kept_help),
                FieldPanel("recipients_editor"),
                HelpPanel(
                    "<p>What looks like spam is held back among the submissions, also of a form that keeps none, and nobody is "
                    "told of it until it is released.</p>"
                ),
            ],
            heading="What becomes of submissions",
            icon="mail",
        ),
    ]
    tabs = [ObjectList([FieldPanel("fields_editor")], heading="Fields"), ObjectList(settings, heading="Settings")]
    return TabbedInterface(tabs, base_form_class=FormForm).bind_to_model(Form)


class CreateForm(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> Form:
        self.instance = save_form(slug=self.form.cleaned_data["slug"], values=self.form.values(), user=self.user)
        self.form.instance = self.instance
        return self.instance


class EditForm(EditAction):
    def _edit(self, skip_permission_checks: bool = False) -> Form:
        self.instance = save_form(form=self.instance, values=self.form.values(), user=self.user)
        self.form.instance = self.instance
        return self.instance


class DeleteForm(DeleteAction):
    def _delete(self) -> Any:
        delete_form(form=self.instance, user=self.user)


for _action in (CreateForm, EditForm, DeleteForm):
    action_registry.register(Form, _action)


def submissions_url(form: Form) -> str:
    return set_query_params(reverse("form_submissions:index"), {"form": form.pk})


class FormCreateView(RefusingMixin, generic.CreateView):
    pass


class FormCopyView(RefusingMixin, generic.CopyView):
    """A new form that begins as another one."""

    def get_initial_form_instance(self) -> Form:
        copied = self.get_object()
        return Form(name=f"{copied.name} (copy)"[:120], **{name: getattr(copied, name) for name in ATTRIBUTES if name != "name"})


class FormEditView(RefusingMixin, generic.EditView):
    @property
    def header_more_buttons(self) -> list[Button]:
        more = [
            Button("Submissions", url=submissions_url(self.object), icon_name="list-ul", priority=5),
            Button("Copy", url=reverse("site_forms:copy", args=[self.object.pk]), icon_name="copy", priority=6),
        ]
        if self.object.enabled:
            more.insert(0, Button("View page", url=reverse("form_page", args=[self.object.slug]), icon_name="view", priority=1))
        return [*more, *super().header_more_buttons]


class FormDeleteView(generic.DeleteView):
    @property
    def confirmation_message(self) -> str:
        count = self.object.submissions.count()
        more = f" What was sent in with it goes too: {count} submission{'' if count == 1 else 's'}." if count else ""
        return f"Are you sure you want to delete this form?{more} Pages that show it are left with nothing in its place."


class CountColumn(Column):
    """The number of submissions as a link to them."""

    def get_value(self, instance: Any) -> SafeString:
        return format_html('<a href="{}">{}</a>', submissions_url(instance), instance.kept)


class QuarantineColumn(Column):
    def get_value(self, instance: Any) -> SafeString | str:
        if not instance.quarantined:
            return ""
        url = set_query_params(submissions_url(instance), {"is_spam": "true"})
        return format_html('<a href="{}">{}</a>', url, instance.quarantined)


class FormIndexView(generic.IndexView):
    default_ordering = ("name", "id")
    is_searchable = True
    list_display = [
        "name",
        Column("slug", label="Address", accessor=lambda form: f"/forms/{form.slug}", sort_key="slug"),
        Column("fields", label="Fields", accessor=lambda form: len(form.fields)),
        CountColumn("kept", label="Submissions", sort_key="kept"),
        QuarantineColumn("quarantined", label="In quarantine", sort_key="quarantined"),
        StatusTagColumn(
            "enabled",
            label="State",
            accessor=lambda form: "Enabled" if form.enabled else "Disabled",
            primary=lambda form: form.enabled,
        ),
    ]

    def get_base_queryset(self) -> Any:
        return with_counts(Form.objects.all())

    def search_queryset(self, queryset: Any) -> Any:
        query = self.search_query
        return queryset.filter(Q(name__icontains=query) | Q(slug__icontains=query)) if query else queryset

    def get_list_more_buttons(self, instance: Any) -> list[MenuItem]:
        more = [MenuItem("Submissions", url=submissions_url(instance), icon_name="list-ul", priority=11)]
        if instance.enabled:
            more.append(MenuItem("View page", url=reverse("form_page", args=[instance.slug]), icon_name="view", priority=12))
        return [*super().get_list_more_buttons(instance), *more]


class FormViewSet(ModelViewSet):
    model = Form
    icon = "form"
    menu_label = "Forms"
    menu_order = 10
    name = "site_forms"
    url_prefix = "forms"
    url_namespace = "site_forms"
    add_to_reference_index = False
    list_per_page = 50
    search_fields = ["name", "slug"]
    index_view_class = FormIndexView
    add_view_class = FormCreateView
    copy_view_class = FormCopyView
    edit_view_class = FormEditView
    delete_view_class = FormDeleteView

    def get_edit_handler(self) -> Panel:
        return _panel(new=True)

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"usage_url_name": None}

    def get_edit_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        panel = _panel(new=False)
        return super().get_edit_view_kwargs(**{"panel": panel, "form_class": panel.get_form_class(), **kwargs})
