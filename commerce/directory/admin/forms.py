"""The form of a listing. Hours are typed, such as `09:00-12:00, 13:00-18:00`."""

import json
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.db.models import Q
from wagtail import blocks
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel, ObjectList
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.images import get_image_model
from wagtail.images.blocks import ImageChooserBlock
from wagtail.images.widgets import AdminImageChooser

from cms_api.accounts.selectors import site_accounts
from cms_api.adminkit.blocks import SiteDateBlock
from cms_api.adminkit.fields import SlugField
from cms_api.adminkit.forms import RecordForm, SiteDateTimeField
from cms_api.adminkit.ids import is_id
from cms_api.adminkit.panels import NamePanel
from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.time_zones import zone_choices
from cms_api.fields.places import DAYS
from cms_api.flags.selectors import site_country, site_timezone
from cms_api.text.addresses import country_code
from commerce.common.admin.addresses import address_panel, country_choices
from commerce.common.admin.hours import PeriodsField
from commerce.common.types import MAX_SLUG

from ..models import Category, Listing
from ..types.hours import MAX_SPECIAL_DAYS
from ..types.listings import MAX_CATEGORIES, MAX_PICTURES, ListingStatus
from .choosers import owner_widget

Hours = list[dict[str, str]]
#: Payments and jobs change these too: the form sends only those that a person has changed.
STATE = ("featured", "featured_until", "expires_at")


def as_typed(hours: Iterable[Mapping[str, str]]) -> list[list[str]]:
    """Return the hours of a day as the value of a `PeriodsField`."""
    return [[each["open"], each["close"]] for each in hours]


def as_hours(pairs: Iterable[list[str]]) -> Hours:
    """Return what was typed as hours, which the service checks."""
    return [{"open": pair[0], "close": "-".join(pair[1:])} for pair in pairs]


class PeriodsBlock(blocks.FieldBlock):
    """The hours of a day in a row of a form."""

    def __init__(self, required: bool = False, help_text: str = "", **options: Any) -> None:
        self.field = PeriodsField(required=required, help_text=help_text)
        super().__init__(**options)


class SpecialDayBlock(blocks.StructBlock):
    date = SiteDateBlock()
    hours = PeriodsBlock(help_text="Leave empty if it is closed.")

    class Meta:
        icon = "date"
        label_format = "{date}"
        form_classname = "struct-block directory-special-day"


# Streams of one kind of block: Wagtail's script for a list fails where it is a form field by itself.
SPECIAL_DAYS = blocks.StreamBlock([("day", SpecialDayBlock())], required=False, max_num=MAX_SPECIAL_DAYS)
PICTURES = blocks.StreamBlock([("picture", ImageChooserBlock())], required=False, max_num=MAX_PICTURES)


class CategoriesField(forms.ModelMultipleChoiceField):
    """Refuses ids that no database stores."""

    def clean(self, value: Any) -> Any:
        if any(not is_id(str(each)) for each in value or ()):
            raise forms.ValidationError(invalid_choice("categories"), code="invalid_choice")
        return super().clean(value)


def image_field(label: str, help_text: str) -> forms.ModelChoiceField:
    images = get_image_model().objects.all()
    return forms.ModelChoiceField(images, required=False, widget=AdminImageChooser, label=label, help_text=help_text)


class ListingForm(RecordForm):
    only_new = ("status",)
    refused_at = {
        "logo": "logo_chosen",
        "cover": "cover_chosen",
        "pictures": "pictures_editor",
        "special_hours": "special_days",
    }

    slug = SlugField(max_length=MAX_SLUG, help_text="The last part of the listing's URL. Leave empty to derive it from the name.")
    categories = CategoriesField(
        Category.objects.all(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=f"At most {MAX_CATEGORIES}.",
    )
    logo_chosen = image_field("Logo", "Shown in lists.")
    cover_chosen = image_field("Cover", "Shown at the top of the listing's page.")
    pictures_editor = blocks.BlockField(PICTURES, required=False, label="Pictures")
    country = forms.ChoiceField(required=False)
    timezone = forms.ChoiceField(label="Time zone", help_text="The hours are those of the clock there.")
    hours_mon = PeriodsField(label="Monday")
    hours_tue = PeriodsField(label="Tuesday")
    hours_wed = PeriodsField(label="Wednesday")
    hours_thu = PeriodsField(label="Thursday")
    hours_fri = PeriodsField(label="Friday")
    hours_sat = PeriodsField(label="Saturday")
    hours_sun = PeriodsField(label="Sunday")
    special_days = blocks.BlockField(
        SPECIAL_DAYS, required=False, label="Special days", help_text="Their hours replace those of the weekday."
    )
    status = forms.ChoiceField(choices=ListingStatus.choices, initial=ListingStatus.PUBLISHED, widget=forms.RadioSelect)
    featured_until = SiteDateTimeField(required=False, is_end=True, help_text="Leave empty to feature it without an end.")
    expires_at = SiteDateTimeField(
        required=False, is_end=True, label="Expires", help_text="Visitors see it until then. Leave empty if it never ends."
    )
    owner = forms.ModelChoiceField(
        site_accounts(), required=False, widget=owner_widget(), help_text="The account that may edit the listing."
    )
    #: The values of `STATE` that the form shows.
    state_shown = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        listing: Any = self.instance
        zone = listing.timezone or site_timezone().key
        self.initial |= {
            "categories": list(listing.categories.all()) if listing.pk else [],
            "logo_chosen": listing.logo_id,
            "cover_chosen": listing.cover_id,
            "pictures_editor": PICTURES.to_python(_picture_items(listing)),
            "country": (country_code(listing.country) or listing.country) if listing.pk else site_country(),
            "timezone": zone,
            "special_days": SPECIAL_DAYS.to_python(_special_items(listing.special_hours)),
            "featured_until": listing.featured_until,
            "expires_at": listing.expires_at,
            "owner": listing.owner_id,
            "state_shown": json.dumps({name: _word(getattr(listing, name)) for name in STATE}) if listing.pk else "",
            **{f"hours_{day}": as_typed((listing.hours or {}).get(day, ())) for day in DAYS},
        }
        fields: Any = self.fields
        fields["timezone"].choices = zone_choices(zone)
        fields["country"].choices = country_choices(listing.country)
        # An owner who has become an editor stays a choice.
        accounts = site_accounts()
        fields["owner"].queryset = accounts.model.objects.filter(Q(pk__in=accounts.values("pk")) | Q(pk=listing.owner_id))

    def values(self) -> dict[str, Any]:
        values = super().values()
        week = {day: as_hours(values.pop(f"hours_{day}")) for day in DAYS}
        special = [row.value for row in values.pop("special_days")]
        images = {name: values.pop(f"{name}_chosen") for name in ("logo", "cover")}
        shown = _read_state(values.pop("state_shown"))
        unchanged = {name for name in STATE if name in shown and shown[name] == _word(values[name])}
        return {
            **{name: value for name, value in values.items() if name not in unchanged},
            **{name: image.pk if image else None for name, image in images.items()},
            "categories": [category.pk for category in values["categories"]],
            "pictures": [row.value.pk for row in values.pop("pictures_editor") if row.value],
            "hours": week,
            "special_hours": [{"date": row["date"], "hours": as_hours(row["hours"])} for row in special],
        }

    def refuse(self, refusal: Invalid) -> None:
        """Show what is wrong with the hours of a weekday at its field."""
        super().refuse(
            Invalid(
                {
                    path.replace("hours.", "hours_", 1) if path.startswith("hours.") else path: found
                    for path, found in refusal.errors.items()
                }
            )
        )

    class Meta(RecordForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 6})}


#: Tabs.
PANELS = (
    ObjectList(
        [
            NamePanel("name"),
            FieldPanel("slug"),
            FieldPanel("description"),
            FieldPanel("categories"),
            FieldPanel("logo_chosen"),
            FieldPanel("cover_chosen"),
            FieldPanel("pictures_editor"),
        ],
        heading="Listing",
    ),
    ObjectList(
        [
            FieldRowPanel(
                [
                    FieldPanel("phone"),
                    FieldPanel("email", help_text="Not shown. Visitors write to it with a form."),
                ]
            ),
            FieldPanel("website"),
            address_panel(),
            MultiFieldPanel(
                [FieldRowPanel([FieldPanel("latitude"), FieldPanel("longitude")])],
                heading="Coordinates",
                icon="site",
                help_text="In degrees, such as 42.8509 and -72.5579. The listing is on the map, and found by distance.",
            ),
        ],
        heading="Contact and address",
    ),
    ObjectList(
        [
            FieldPanel("timezone"),
            MultiFieldPanel(
                [FieldPanel(f"hours_{day}") for day in DAYS],
                heading="Weekly hours",
                icon="time",
                help_text="For example 09:00-12:00, 13:00-18:00. 17:00-02:00 ends on the next day, and 00:00-00:00 is 24 hours. "
                "Leave empty if it is closed.",
                classname="directory-week",
            ),
            FieldPanel("special_days"),
        ],
        heading="Hours",
    ),
    ObjectList(
        [
            FieldPanel("status"),
            FieldPanel("expires_at"),
            MultiFieldPanel(
                [FieldPanel("featured", help_text="Shown before the others."), FieldPanel("featured_until")],
                heading="Featured placement",
                icon="pick",
            ),
            FieldPanel("owner"),
        ],
        heading="Publication and owner",
    ),
)


def _picture_items(listing: Listing) -> list[dict[str, Any]]:
    pictures = listing.pictures.all() if listing.pk else []
    return [_item("picture", each.media_id, f"picture {each.pk}") for each in pictures]


def _special_items(days: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        _item("day", {"date": each["date"], "hours": as_typed(each["hours"])}, f"special day {each['date']}") for each in days
    ]


def _item(kind: str, value: Any, key: str) -> dict[str, Any]:
    return {"type": kind, "value": value, "id": str(uuid.uuid5(uuid.NAMESPACE_OID, key))}


def _word(value: bool | datetime | None) -> str:
    """Return a value as the form shows it: to the second."""
    return value.astimezone(UTC).isoformat(timespec="seconds") if isinstance(value, datetime) else str(value)


def _read_state(text: str) -> Mapping[str, Any]:
    """Return what the form has shown; a forged text is read as nothing."""
    try:
        found = json.loads(text or "{}")
    except (RecursionError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
