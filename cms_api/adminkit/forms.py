"""The forms of records."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, ClassVar

from anyascii import anyascii
from django import forms
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.text import slugify
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.widgets import AdminDateInput, AdminDateTimeInput
from wagtail.blocks import BlockField

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_formats, site_timezone
from cms_api.text.moments import is_repeated, moments_at, split_zone, typed_moment

from .streams import block_error, by_first_part

WRONG_DATE = "Enter a valid date."


class SiteDateField(forms.DateField):
    """A date as people type it in the site's country, or YYYY-MM-DD as pickers write it. One that is ambiguous is refused."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"widget": AdminDateInput, **options})

    def to_python(self, value: Any) -> date | None:
        if not isinstance(value, str) or not value.strip():
            return super().to_python(value)
        formats = site_formats()
        try:
            return formats.read_day(value)
        except ValueError:
            example = formats.typed_day(date(2026, 12, 31))
            raise forms.ValidationError(f"Enter a date such as {example} or 2026-12-31.", code="invalid") from None


def iso_day(text: str) -> str:
    """Return a date that was typed as in the site's country as YYYY-MM-DD; any other text as it is, for its service to refuse."""
    try:
        return site_formats().read_day(text).isoformat()
    except ValueError:
        return text


class TypedDateTimeField(forms.DateTimeField):
    """A date and time as people type it in the site's country, or as pickers and other programs write it.

    A date alone is the start of its day; in a field with `is_end`, where something ends, it is the end of that day.
    """

    #: Moments at the ends of the calendar do not exist in every time zone.
    YEARS = range(1900, 2200)

    #: The stored moment that the form shows, which stays exactly as it is while its time is not edited.
    stored: datetime | None = None

    def __init__(self, *, is_end: bool = False, **options: Any) -> None:
        self.is_end = is_end
        super().__init__(**{"widget": AdminDateTimeInput, **options})

    def get_bound_field(self, form: Any, field_name: str) -> forms.BoundField:
        # BoundField.initial has no microseconds.
        shown = form.initial.get(field_name, self.initial)
        self.stored = shown if isinstance(shown, datetime) and timezone.is_aware(shown) else None
        return super().get_bound_field(form, field_name)

    def prepare_value(self, value: Any) -> Any:
        return typed_moment(timezone.localtime(value)) if isinstance(value, datetime) and timezone.is_aware(value) else value

    def to_python(self, value: Any) -> datetime | None:
        if not isinstance(value, str) or not value.strip():
            return super().to_python(value)
        text, mark = split_zone(value.strip())
        try:
            wall = _read_wall_time(text, is_end=self.is_end)
            if wall.year not in self.YEARS:
                raise forms.ValidationError(WRONG_DATE, code="invalid")
            found = [wall] if timezone.is_aware(wall) else moments_at(wall, timezone.get_current_timezone(), mark)
        except ValueError:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from None
        stored = self.stored
        if stored and any(each.astimezone(UTC) == stored.astimezone(UTC).replace(microsecond=0) for each in found):
            return stored
        if not found:
            raise forms.ValidationError(_explain_skipped(wall, mark), code="invalid")
        if len(found) > 1:
            raise forms.ValidationError(_explain_repeated(found), code="ambiguous_timezone")
        # A moment in a repeated hour of a named zone equals none of another zone (PEP 495).
        return found[0].astimezone(UTC) if is_repeated(found[0]) else found[0]

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.stored or initial, data)


def _read_wall_time(text: str, *, is_end: bool) -> datetime:
    """Return a time as people type it, or as browsers and other programs write it: 2026-12-31T14:30. Raises ValueError."""
    try:
        return site_formats().read_wall_time(text, is_end=is_end)
    except ValueError:
        if found := parse_datetime(text):
            return found
        raise


def _explain_skipped(wall: datetime, mark: str) -> str:
    """Return why the clock shows a time at no moment, perhaps not in the zone of a mark."""
    shown = wall.replace(tzinfo=timezone.get_current_timezone()).astimezone(UTC)
    example = typed_moment(timezone.localtime(shown))
    if mark:
        return f"The clock is not on {mark} at that time. Enter {example}."
    return f"The clocks skip {wall:%H:%M} on that day. Enter another time, such as {example}."


def _explain_repeated(found: list[datetime]) -> str:
    first, second = map(typed_moment, found)
    return f"The clocks show {found[0]:%H:%M} twice on that day. Enter {first} or {second}."


class SiteDateTimeField(TypedDateTimeField):
    """A date and time on the site's clock, whichever time zone the person has chosen for the admin."""

    def prepare_value(self, value: Any) -> Any:
        with timezone.override(site_timezone()):
            return super().prepare_value(value)

    def to_python(self, value: Any) -> datetime | None:
        with timezone.override(site_timezone()):
            return super().to_python(value)


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
