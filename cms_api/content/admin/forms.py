"""The form of an item, made from its type's schema."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils import timezone
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, MultiFieldPanel, ObjectList, Panel, TabbedInterface
from wagtail.admin.widgets import AdminAutoHeightTextInput, AdminDateTimeInput, SlugInput
from wagtail.images.widgets import AdminImageChooser

from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.media.models import MediaImage

from ..models import ContentItem, ContentType
from ..selectors import TYPES
from ..services.values import assign
from ..types import MAX_SLUG, Status
from .inputs import INPUTS
from .panels import PREFIX, DataPanel

#: Form fields beside those of the type's schema, and the names the services have for them.
_NAMES = {"featured_media": "featured_media_id"}
_PLAIN = ("slug", "published_at", "excerpt", "featured_media", "meta_title", "meta_description")


def public_status(published_at: datetime | None) -> str:
    """What publishing makes of an item: scheduled where its date is in the future."""
    return Status.SCHEDULED if published_at is not None and published_at > timezone.now() else Status.PUBLISHED


class ShownKeys(forms.HiddenInput):
    """Tells which fields the form had when it was shown; always those of today, also when the form is shown again."""

    keys = ""

    def format_value(self, value: Any) -> str:
        return self.keys


class ItemForm(WagtailAdminModelForm):
    """Base of the generated forms. What was sent is checked by the services, so form and API refuse the same things.

    Only what a person changed is put on the item: a field that was added after the form was shown keeps its value, and so
    does a stored value that the field would not take today.
    """

    item_type: ClassVar[ContentType]

    shown_keys = forms.CharField(required=False, widget=ShownKeys)
    slug = forms.CharField(
        required=False,
        max_length=MAX_SLUG,
        widget=SlugInput,
        help_text="The last part of the address. Leave it empty to have it made from the title.",
    )
    published_at = forms.DateTimeField(
        required=False,
        label="Published at",
        widget=AdminDateTimeInput,
        help_text="A date in the future schedules the item. Leave it empty to publish with the button's date.",
    )
    excerpt = forms.CharField(required=False, max_length=5000, widget=AdminAutoHeightTextInput(attrs={"rows": 2}))
    featured_media = forms.ModelChoiceField(
        MediaImage.objects.all(), required=False, label="Featured picture", widget=AdminImageChooser
    )
    meta_title = forms.CharField(required=False, max_length=255, label="Title for search engines")
    meta_description = forms.CharField(
        required=False, max_length=500, label="Description for search engines", widget=AdminAutoHeightTextInput(attrs={"rows": 2})
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        schema = self.item_type.schema
        if not self.item_type.excerpt_enabled:
            del self.fields["excerpt"]
        self.fields["shown_keys"].widget.keys = ",".join(field.key for field in schema)
        is_new = self.instance.pk is None
        for field in schema:
            name, source = PREFIX + field.key, INPUTS[field.type]
            stored = self.instance.data.get(field.key, field.default if is_new else None)
            source.adapt(self.fields[name], field, stored)
            self.fields[name].widget.item = self.instance
            self.initial[name] = source.initial(field, stored)
            if self.is_bound and not self._was_shown(field.key):
                # Shown again after an error, it begins with what is stored and not with nothing.
                self.fields[name].bound_data = lambda data, initial: initial  # type: ignore[method-assign]
                self.fields[name].required = field.required and stored in (None, "", [], {})

    def _was_shown(self, key: str) -> bool:
        """Whether the browser's form had this field: one from before the type was changed may not."""
        shown = self.data.get("shown_keys")
        if shown is not None:
            return key in shown.split(",")
        name = self.add_prefix(PREFIX + key)
        return not self.fields[PREFIX + key].widget.value_omitted_from_data(self.data, self.files, name)

    def clean_published_at(self) -> Any:
        """The input has minutes: the stored seconds stay where it was left alone."""
        sent, stored = self.cleaned_data["published_at"], self.instance.published_at
        same = sent is not None and stored is not None and sent == stored.replace(second=0, microsecond=0)
        return stored if same else sent

    def _post_clean(self) -> None:
        values = self.values()
        standing = self.instance.status, self.instance.live
        if not self.is_deferred_validation:
            values["status"] = public_status(values.get("published_at"))
        kept_date = None
        if self.is_deferred_validation and self.instance.status == Status.PUBLISHED:
            # A public item's date is judged when the draft is published.
            kept_date = values.pop("published_at", None)
        try:
            assign(self.instance, values, now=timezone.now(), complete=not self.is_deferred_validation)
        except Invalid as refusal:
            self.refuse(refusal)
        # Where the item stands is for the action to change; a form that is shown again must not tell otherwise.
        self.instance.status, self.instance.live = standing
        self.instance.published_at = kept_date or self.instance.published_at

    def values(self) -> dict[str, Any]:
        """What was sent, as the services take it; of the data only what changed, but all of it before it becomes public."""
        whole = self.instance.pk is None or not self.is_deferred_validation
        sent = {name: self.cleaned_data[name] for name in _PLAIN if name in self.cleaned_data and self._was_sent(name)}
        values = {name: value or None for name, value in sent.items() if name != "featured_media"}
        if "featured_media" in sent:
            picture = sent["featured_media"]
            values["featured_media_id"] = picture.pk if picture else None
        values["data"] = {
            field.key: self.cleaned_data[name]
            for field in self.item_type.schema
            if (name := PREFIX + field.key) in self.cleaned_data
            and self._was_shown(field.key)
            and (whole or name in self.changed_data)
        }
        return values

    def _was_sent(self, name: str) -> bool:
        return not self.fields[name].widget.value_omitted_from_data(self.data, self.files, self.add_prefix(name))

    def refuse(self, refusal: Invalid) -> None:
        """Puts a service's errors at the form fields they belong to; where a field has an error already, that one stands."""
        names = {sent: name for name, sent in _NAMES.items()}
        for path, sentences in refusal.errors.items():
            first, _, rest = path.partition(".")
            name = PREFIX + rest.partition(".")[0] if first == "data" else names.get(first, first)
            name = name if name in self.fields else NON_FIELD_ERRORS
            if name == NON_FIELD_ERRORS or name not in self.errors:
                self.add_error(None if name == NON_FIELD_ERRORS else name, sentences)


@dataclass(frozen=True)
class Editor:
    """The panel of a type's items and the class of their form."""

    panel: Panel
    form_class: type[ItemForm]


def editor_for(item_type: ContentType) -> Editor:
    """Made once for each state of the type and its vocabularies."""
    return versions.cached(TYPES, lambda: _build(item_type), slot=f"{TYPES}.editor.{item_type.pk}")


def _build(item_type: ContentType) -> Editor:
    declared = {PREFIX + field.key: INPUTS[field.type].formfield(field, item_type) for field in item_type.schema}
    base = type("TypedItemForm", (ItemForm,), {"item_type": item_type, **declared})
    panels = [DataPanel(field) for field in item_type.schema]
    excerpt = [FieldPanel("excerpt", icon="pilcrow", disable_comments=True)] if item_type.excerpt_enabled else []
    content = [*panels, *excerpt, FieldPanel("featured_media", icon="image", disable_comments=True)]
    promote = [
        MultiFieldPanel([_plain("slug"), _plain("published_at")], heading="Address and date", icon="date"),
        MultiFieldPanel([_plain("meta_title"), _plain("meta_description")], heading="For search engines", icon="search"),
    ]
    tabs = TabbedInterface(
        [ObjectList(content, heading="Content"), ObjectList(promote, heading="Promote")], base_form_class=base
    ).bind_to_model(ContentItem)
    form_class = tabs.get_form_class()
    # Wagtail asks the panel for the class several times a request, and makes a new one each time.
    tabs.get_form_class = lambda: form_class
    return Editor(tabs, form_class)


def _plain(name: str) -> FieldPanel:
    return FieldPanel(name, disable_comments=True)
