"""The form of an item, generated from its type's schema."""

from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils import timezone
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, MultiFieldPanel, ObjectList, Panel
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.images.widgets import AdminImageChooser

from cms_api.adminkit.fields import SlugField
from cms_api.adminkit.forms import SiteDateTimeField
from cms_api.adminkit.panels import Tabs
from cms_api.core import versions
from cms_api.core.errors import Invalid, taken_message
from cms_api.media.models import MediaImage

from ..models import ContentItem, ContentType
from ..selectors import TYPES
from ..services.values import assign, lock_featured_media, slug_is_taken
from ..types import MAX_SLUG, Status, public_status
from .inputs import INPUTS
from .panels import PREFIX, DataPanel

#: Form fields that are not in the type's schema, and their names in the services.
_NAMES = {"featured_media": "featured_media_id"}
_PLAIN = ("slug", "published_at", "excerpt", "featured_media", "meta_title", "meta_description")


class ShownKeys(forms.HiddenInput):
    """Lists the fields that the form contained when it was rendered: always the current ones, also after an error."""

    keys = ""

    def format_value(self, value: Any) -> str:
        return self.keys


class ItemForm(WagtailAdminModelForm):
    """Base of the generated forms. Validation is done by the services, so the form and the API refuse the same input.

    Only changed values are written: a field added after the form was rendered keeps its value, and so does a stored value
    that the field would no longer accept.
    """

    item_type: ClassVar[ContentType]

    shown_keys = forms.CharField(required=False, widget=ShownKeys)
    slug = SlugField(max_length=MAX_SLUG, help_text="The last part of the URL. Leave empty to derive it from the title.")
    published_at = SiteDateTimeField(
        required=False,
        label="Published at",
        help_text="A date in the future schedules the item. Leave empty to publish it as of now.",
    )
    excerpt = forms.CharField(required=False, max_length=5000, widget=AdminAutoHeightTextInput(attrs={"rows": 2}))
    featured_media: forms.ModelChoiceField = forms.ModelChoiceField(
        MediaImage.objects.all(), required=False, label="Featured image", widget=AdminImageChooser
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
                # After an error, the form starts with the stored value instead of an empty one.
                self.fields[name].bound_data = lambda data, initial: initial
                self.fields[name].required = field.required and stored in (None, "", [], {})

    def _was_shown(self, key: str) -> bool:
        """Return whether the browser's form had this field; it may predate a change of the type."""
        shown = self.data.get("shown_keys")
        if shown is not None:
            return key in shown.split(",")
        name = self.add_prefix(PREFIX + key)
        return not self.fields[PREFIX + key].widget.value_omitted_from_data(self.data, self.files, name)

    def _post_clean(self) -> None:
        values = self.values()
        standing = self.instance.status, self.instance.live
        if not self.is_deferred_validation:
            values["status"] = public_status(values.get("published_at"), now=timezone.now())
        kept_date = None
        if self.is_deferred_validation and self.instance.status == Status.PUBLISHED:
            # The date of a public item is validated when the draft is published.
            kept_date = values.pop("published_at", None)
        try:
            pictures = lock_featured_media(values)
            assign(self.instance, values, now=timezone.now(), pictures=pictures, complete=not self.is_deferred_validation)
            if values.get("slug") and slug_is_taken(self.instance):
                raise Invalid({"slug": taken_message("slug")})
        except Invalid as refusal:
            self.refuse(refusal)
        # The action changes the status; a form that is shown again must still show the old one.
        self.instance.status, self.instance.live = standing
        self.instance.published_at = kept_date or self.instance.published_at

    def values(self) -> dict[str, Any]:
        """Return the sent values for the services; only changed `data`, or all of it when the item becomes public."""
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
        """Add a service's errors to their form fields, except to fields that already have an error."""
        names = {sent: name for name, sent in _NAMES.items()}
        for path, sentences in refusal.errors.items():
            first, _, rest = path.partition(".")
            name = PREFIX + rest.partition(".")[0] if first == "data" else names.get(first, first)
            name = name if name in self.fields else NON_FIELD_ERRORS
            if name == NON_FIELD_ERRORS or name not in self.errors:
                self.add_error(None if name == NON_FIELD_ERRORS else name, sentences)


@dataclass(frozen=True)
class Editor:
    """The panel of a type's items and their form class."""

    panel: Panel
    form_class: type[ItemForm]


def editor_for(item_type: ContentType) -> Editor:
    """Return the editor, built once for each state of the type and its vocabularies."""
    return versions.load_once(TYPES, lambda: _build(item_type), slot=f"{TYPES}.editor.{item_type.pk}")


def _build(item_type: ContentType) -> Editor:
    declared = {PREFIX + field.key: INPUTS[field.type].formfield(field, item_type) for field in item_type.schema}
    base = type("TypedItemForm", (ItemForm,), {"item_type": item_type, **declared})
    panels = [DataPanel(field) for field in item_type.schema]
    excerpt = [FieldPanel("excerpt", icon="pilcrow", disable_comments=True)] if item_type.excerpt_enabled else []
    content = [*panels, *excerpt, FieldPanel("featured_media", icon="image", disable_comments=True)]
    promote = [
        MultiFieldPanel([_plain("slug"), _plain("published_at")], heading="URL and date", icon="date"),
        MultiFieldPanel([_plain("meta_title"), _plain("meta_description")], heading="For search engines", icon="search"),
    ]
    tabs = Tabs(
        [ObjectList(content, heading="Content"), ObjectList(promote, heading="Promote")], base_form_class=base
    ).bind_to_model(ContentItem)
    form_class = tabs.get_form_class()
    # Wagtail asks the panel for the class several times per request, and would build a new one each time.
    tabs.get_form_class = lambda: form_class
    return Editor(tabs, form_class)


def _plain(name: str) -> FieldPanel:
    return FieldPanel(name, disable_comments=True)
