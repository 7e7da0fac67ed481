"""The forms of owners. Whatever the services refuse is refused at its input."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from cms_api.core.errors import ErrorCollector
from cms_api.core.time_zones import zone_choices
from cms_api.fields.places import DAYS
from cms_api.flags.selectors import site_country, site_formats, site_timezone
from cms_api.text.addresses import address_rules, countries, country_code, country_name
from commerce.common.types import MAX_EMAIL, MAX_LINE, MAX_NAME, MAX_PHONE
from commerce.common.types.files import FilesField
from commerce.common.types.places import read_degrees
from commerce.common.views import AUTOCOMPLETE, add_refusals

from ..models import Category, Listing, ListingChange
from ..types.hours import read_special_days, read_week
from ..types.listings import (
    ADDRESS,
    MAX_CATEGORIES,
    MAX_DESCRIPTION,
    MAX_MESSAGE,
    MAX_PICTURE_BYTES,
    MAX_PICTURES,
    MAX_URL,
    PICTURE_TYPES,
)
from ..types.listings import MAX_NAME as MAX_TITLE
from ..types.typed_hours import days_text, periods_text, read_days, read_periods

DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
#: Characters of the hours of a day, and of all special days.
MAX_HOURS_CHARACTERS, MAX_SPECIAL_DAYS_CHARACTERS = 200, 5000
ACCEPT = ",".join(f".{each}" for each in PICTURE_TYPES)
_MAX_PICTURE_MB = MAX_PICTURE_BYTES // 1024 // 1024
#: The parts that are taken as they are typed.
TEXTS = ("name", "description", "phone", "email", "website", "timezone", *ADDRESS)
IMAGES = ("logo", "cover")


class CoordinateField(forms.FloatField):
    """A latitude or longitude, with a point or a comma."""

    widget = forms.TextInput({"inputmode": "decimal", "autocomplete": "off"})

    def to_python(self, value: Any) -> Any:
        if not isinstance(value, str) or not value.strip():
            return super().to_python(value)
        try:
            return read_degrees(value.strip())
        except ValueError:
            raise forms.ValidationError("Enter a number of degrees such as 40.7128.", code="invalid") from None


class PicturesField(FilesField):
    """Pictures that are not too large. The media library decides whether they are pictures."""

    def __init__(self, *, at_most: int = 1, **options: Any) -> None:
        super().__init__(**{"required": False, "max_length": 255, **options})
        self.at_most = at_most
        self.widget.attrs["accept"] = ACCEPT
        self.widget.allow_multiple_selected = at_most > 1

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        sent: list[UploadedFile[Any]] = super().clean(data, initial)
        if len(sent) > self.at_most:
            raise forms.ValidationError(f"Upload at most {self.at_most} picture{'s' if self.at_most > 1 else ''}.")
        for each in sent:
            if (each.size or 0) > MAX_PICTURE_BYTES:
                raise forms.ValidationError(f"{each.name} is larger than {_MAX_PICTURE_MB} MB.")
        return sent


class ListingForm(forms.Form):
    """A listing, new or as its owner changes it."""

    name = forms.CharField(max_length=MAX_TITLE, error_messages={"required": "Enter a name."})
    # Shown as checkboxes; errors lead to the first one.
    categories = forms.TypedMultipleChoiceField(
        coerce=int,
        required=False,
        help_text=f"Select at most {MAX_CATEGORIES}.",
        error_messages={"invalid_choice": "Select from the list."},
    )
    description = forms.CharField(max_length=MAX_DESCRIPTION, required=False, widget=forms.Textarea({"rows": 8}))
    country = forms.ChoiceField(required=False, error_messages={"invalid_choice": "Select a country."})
    street = forms.CharField(max_length=MAX_LINE, required=False)
    street2 = forms.CharField(max_length=MAX_LINE, required=False)
    city = forms.CharField(max_length=MAX_NAME, required=False)
    state = forms.CharField(max_length=MAX_NAME, required=False)
    postal_code = forms.CharField(max_length=30, required=False)
    latitude = CoordinateField(required=False, help_text="For the map, for example 40.7128")
    longitude = CoordinateField(required=False, help_text="For the map, for example -74.006")
    phone = forms.CharField(max_length=MAX_PHONE, required=False, widget=forms.TextInput({"type": "tel", "autocomplete": "tel"}))
    email = forms.EmailField(
        max_length=MAX_EMAIL,
        required=False,
        label="Email address",
        help_text="Not shown. Visitors write to it with a form.",
        widget=forms.EmailInput({"autocomplete": "email"}),
    )
    website = forms.CharField(
        max_length=MAX_URL,
        required=False,
        help_text="For example https://example.com",
        widget=forms.TextInput({"type": "url", "autocomplete": "url"}),
    )
    timezone = forms.ChoiceField(label="Time zone", error_messages={"invalid_choice": "Select a time zone."})
    special_hours = forms.CharField(
        max_length=MAX_SPECIAL_DAYS_CHARACTERS,
        required=False,
        label="Special days",
        help_text="One day a line, for example 2026-12-24: 09:00-12:00. A date alone means that you're closed.",
        widget=forms.Textarea({"rows": 3}),
    )
    logo = PicturesField(help_text=f"JPEG, PNG, WebP, AVIF or GIF, up to {_MAX_PICTURE_MB} MB.")
    cover = PicturesField(label="Cover picture", help_text="Shown large, above the name.")
    pictures = PicturesField(
        at_most=MAX_PICTURES, help_text=f"At most {MAX_PICTURES} pictures of up to {_MAX_PICTURE_MB} MB each."
    )
    remove_logo = forms.BooleanField(required=False, label="Remove the logo")
    remove_cover = forms.BooleanField(required=False, label="Remove the cover picture")
    remove_pictures = forms.TypedMultipleChoiceField(coerce=int, required=False)

    def __init__(self, *args: Any, listing: Listing | None = None, change: ListingChange | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.listing = listing
        for day, label in zip(DAYS, DAY_NAMES, strict=True):
            widget = forms.TextInput({"autocomplete": "off"})
            self.fields[f"hours_{day}"] = forms.CharField(
                max_length=MAX_HOURS_CHARACTERS, required=False, label=label, widget=widget
            )
        # Before the special days, so that errors are listed in the order of the page.
        self.order_fields(
            [name for name in self.fields if not name.startswith(("hours_", "special", "logo", "cover", "pictures", "remove"))]
            + [f"hours_{day}" for day in DAYS]
        )
        self.initial = {**(get_written_values(listing, change) if listing else self._usual()), **self.initial}
        self._offer_places()
        self._offer_choices()

    @staticmethod
    def _usual() -> dict[str, Any]:
        return {"country": site_country(), "timezone": site_timezone().key}

    def _offer_places(self) -> None:
        """Offer all countries and the stored one, however it is spelled, and label the address as its country does."""
        stored = self.initial.get("country", "")
        offered = {"": "Select a country", **({stored: country_name(stored)} if stored else {}), **countries()}
        country: Any = self.fields["country"]
        country.choices = sorted(offered.items(), key=lambda each: (bool(each[0]), each[1]))
        labels = address_rules(country_code(str(self["country"].value() or "")) or site_country()).labels
        for key in ADDRESS:
            self.fields[key].label = labels[key]
            self.fields[key].widget.attrs["autocomplete"] = AUTOCOMPLETE[key]

    def _offer_choices(self) -> None:
        zone: Any = self.fields["timezone"]
        zone.choices = [each for _, group in zone_choices(self.initial["timezone"]) for each in group]
        categories: Any = self.fields["categories"]
        categories.choices = list(Category.objects.values_list("pk", "name"))
        if not categories.choices:
            del self.fields["categories"]
        own = self.listing.pictures.all() if self.listing else ()
        removable: Any = self.fields["remove_pictures"]
        removable.choices = [(each.media_id, each.media_id) for each in own]

    def clean_description(self) -> str:
        return str(self.cleaned_data["description"]).replace("\r\n", "\n")

    def clean_website(self) -> str:
        typed: str = self.cleaned_data["website"]
        return f"https://{typed}" if typed and ":" not in typed.partition("/")[0] else typed

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        stored = len(self.fields["remove_pictures"].choices)  # type: ignore[attr-defined]
        left = stored - len(cleaned.get("remove_pictures", ())) + len(cleaned.get("pictures", ()))
        if cleaned.get("pictures") and left > MAX_PICTURES:
            self.add_error("pictures", f"A listing may have at most {MAX_PICTURES} pictures. Remove some first.")
        self._check_hours(cleaned)
        return cleaned

    def _check_hours(self, cleaned: Mapping[str, Any]) -> None:
        """Check the hours as the service does, so that their errors are shown together with those of other inputs."""
        errors = ErrorCollector()
        with errors.under():
            read_week(self._week(cleaned))
        with errors.under():
            read_special_days(read_days(cleaned.get("special_hours", ""), site_formats().read_day))
        self.refuse(errors.errors)

    @staticmethod
    def _week(cleaned: Mapping[str, Any]) -> dict[str, Any]:
        return {day: read_periods(cleaned.get(f"hours_{day}", "")) for day in DAYS}

    def values(self) -> dict[str, Any]:
        """Return what the services take, but the uploads."""
        cleaned = self.cleaned_data
        values = {name: cleaned[name] for name in (*TEXTS, "latitude", "longitude", "categories") if name in cleaned}
        values["hours"] = self._week(cleaned)
        values["special_hours"] = read_days(cleaned["special_hours"], site_formats().read_day)
        return values | {name: None for name in IMAGES if cleaned[f"remove_{name}"] and not cleaned[name]}

    def uploads(self) -> dict[str, Sequence[UploadedFile[Any]]]:
        return {name: self.cleaned_data[name] for name in (*IMAGES, "pictures")}

    @property
    def removed(self) -> list[int]:
        """Return the ids of the pictures to remove."""
        return list(self.cleaned_data["remove_pictures"])

    @property
    def has_uploads(self) -> bool:
        """Return whether files were sent, which browsers forget."""
        return bool(self.files)

    def refuse(self, errors: Mapping[str, Sequence[str]]) -> None:
        """Show the refusals of a service at the inputs."""
        named = {key: [_name_day(key, sentence) for sentence in sentences] for key, sentences in errors.items()}
        add_refusals(self, named, {key: _input(key) for key in named})

    @property
    def hours(self) -> list[forms.BoundField]:
        return [self[f"hours_{day}"] for day in DAYS]

    @property
    def address(self) -> list[forms.BoundField]:
        return [self[name] for name in ("country", "street", "street2", "city", "state", "postal_code")]

    @property
    def category_choices(self) -> list[tuple[int, str, str, bool]]:
        """Return the checkboxes: value, label, id and whether it is checked."""
        bound = self["categories"]
        chosen, first = {str(each) for each in bound.value() or ()}, bound.id_for_label
        choices = self.fields["categories"].choices  # type: ignore[attr-defined]
        return [
            (pk, name, f"{first}-{number}" if number else first, str(pk) in chosen) for number, (pk, name) in enumerate(choices)
        ]


def get_written_values(listing: Listing, change: ListingChange | None) -> dict[str, Any]:
    """Return a listing as its owner last wrote it: with the change that waits, which would be withdrawn otherwise."""
    values: dict[str, Any] = {name: getattr(listing, name) for name in (*TEXTS, "latitude", "longitude")}
    values["categories"] = [category.pk for category in listing.categories.all()]
    values |= change.values if change else {}
    for name in ("latitude", "longitude"):
        values[name] = "" if values[name] is None else str(values[name])
    week = listing.hours or {}
    values |= {f"hours_{day}": periods_text(week.get(day, [])) for day in DAYS}
    return {**values, "special_hours": days_text(listing.special_hours)}


def _input(path: str) -> str:
    """Return the input to which a path of the services leads."""
    parts = path.split(".")
    if parts[0] == "hours":
        return f"hours_{parts[1] if len(parts) > 1 and parts[1] in DAYS else DAYS[0]}"
    return parts[0]


def _name_day(path: str, sentence: str) -> str:
    """Return the sentence with the day, or the line, that it is about."""
    parts = path.split(".")
    if parts[0] == "hours":
        return f"{DAY_NAMES[DAYS.index(parts[1])]}: {sentence}" if len(parts) > 1 and parts[1] in DAYS else sentence
    is_line = parts[0] == "special_hours" and len(parts) > 1 and parts[1].isdecimal()
    return f"Day {int(parts[1]) + 1}: {sentence}" if is_line else sentence


class CodeForm(forms.Form):
    """The code of a claim."""

    code = forms.CharField(
        max_length=20,
        widget=forms.TextInput({"inputmode": "numeric", "autocomplete": "one-time-code"}),
        error_messages={"required": "Enter the code."},
    )


class ClaimForm(forms.Form):
    """The message to staff about a claim."""

    message = forms.CharField(
        max_length=MAX_MESSAGE,
        label="How are you connected to this business?",
        help_text="Tell us how we can check it, for example with your phone number at work.",
        widget=forms.Textarea({"rows": 6}),
        error_messages={"required": "Enter a message."},
    )
