"""The forms of records."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from anyascii import anyascii
from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils import timezone
from django.utils.text import slugify
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.widgets import AdminDateTimeInput
from wagtail.blocks import BlockField

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_timezone

from .streams import block_error, by_first_part

WRONG_DATE = "Enter a valid date."


class SiteDateTimeField(forms.DateTimeField):
    """A date and time on the site's clock, whichever time zone the person has chosen for the admin."""

    #: Moments at the ends of the calendar do not exist in every time zone.
    FIRST, LAST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)

    def __init__(self, **options: Any) -> None:
        limits = [MinValueValidator(self.FIRST, WRONG_DATE), MaxValueValidator(self.LAST, WRONG_DATE)]
        super().__init__(**{"widget": AdminDateTimeInput, "validators": limits, **options})

    def prepare_value(self, value: Any) -> Any:
        with timezone.override(site_timezone()):
            return super().prepare_value(value)

    def clean(self, value: Any) -> Any:
        with timezone.override(site_timezone()):
            return super().clean(value)


class RecordForm(WagtailAdminModelForm):
    """A record as people write it: its fields read what was typed, and its service says what is wrong with it.

    The instance is the service's to change, so the form writes nothing into it.
    """

    #: Where a refusal of the service is shown, if not at the field of the same name: path of the refusal to field.
    refused_at: ClassVar[Mapping[str, str]] = {}

    #: Fields that only a new record has.
    only_new: ClassVar[Sequence[str]] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            for name in self.only_new:
                self.fields.pop(name, None)

    def values(self) -> dict[str, Any]:
        """Return the values for the service; may raise Invalid."""
        values = dict(self.cleaned_data)
        slug = self.fields.get("slug")
        if slug and not slug.required and not self.instance.pk and values["slug"] == slugify(anyascii(values.get("name", ""))):
            # The browser has derived it from the name; the service derives one that is free.
            values["slug"] = ""
        return values

    def refuse(self, refusal: Invalid) -> None:
        """Show a service's refusal at its fields, and above the form where it has none of these."""
        for key, errors in by_first_part(refusal.errors).items():
            name = self.refused_at.get(key, key)
            field = self.fields.get(name)
            if isinstance(field, BlockField) and name in self.cleaned_data:
                # Assigned instead of added: Django would flatten the errors of blocks into sentences.
                self.errors[name] = self.error_class([block_error(field.block, self.cleaned_data[name], errors)])
            else:
                self.add_error(name if field else None, [sentence for sentences in errors.values() for sentence in sentences])

    def _post_clean(self) -> None:
        """The service checks what was sent."""

    class Meta(WagtailAdminModelForm.Meta):
        fields: Sequence[str] = []
