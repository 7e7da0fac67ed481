"""The theme, as far as editors set it: colours, fonts, logo, icon, menus and the footer."""

from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.http import HttpRequest, HttpResponse
from wagtail import blocks
from wagtail.blocks.struct_block import StructBlockValidationError
from wagtail.contrib.settings.models import BaseGenericSetting
from wagtail.fields import RichTextField, StreamField
from wagtail.models import PreviewableMixin

from cms_api.adminkit.widgets import KeptSelect
from cms_api.content.selectors import is_visible_type, listed_types
from cms_api.rows import is_safe_address

from ..types import FONTS, SYSTEM

COLOUR = RegexValidator(r"^#[0-9a-fA-F]{6}\Z", "Enter a colour like #2a3bd0.")

#: The pages of the preview, in both schemes.
PREVIEWS = {
    "home-light": "Home page, light",
    "home-dark": "Home page, dark",
    "sample-light": "Samples, light",
    "sample-dark": "Samples, dark",
}
ICON_TYPES = {"image/png", "image/svg+xml"}
#: The size of a home screen icon.
SMALLEST_ICON_PIXELS = 180


def own_label() -> blocks.CharBlock:
    return blocks.CharBlock(required=False, max_length=60, help_text="Defaults to the target's name.")


class PageEntryBlock(blocks.StructBlock):
    page = blocks.PageChooserBlock()
    label = own_label()

    class Meta:
        icon = "doc-empty-inverse"
        label = "Page"
        label_format = "{page} {label}"


class TypeEntryBlock(blocks.StructBlock):
    type = blocks.ChoiceBlock(choices=listed_types, label="Content type", widget=KeptSelect(is_offered=is_visible_type))
    label = own_label()

    class Meta:
        icon = "list-ul"
        label = "List of a content type"
        label_format = "{type} {label}"


class AddressEntryBlock(blocks.StructBlock):
    label = blocks.CharBlock(max_length=60)
    url = blocks.CharBlock(max_length=500, label="Address", help_text="https://…, mailto:…, tel:… or a path like /blog-post.")

    def clean(self, value: Any) -> Any:
        cleaned = super().clean(value)
        if not is_safe_address(cleaned["url"]):
            raise StructBlockValidationError({"url": ValidationError("Enter an address or a path.")})
        return cleaned

    class Meta:
        icon = "link-external"
        label = "Address"
        label_format = "{label}"


class ProfileBlock(blocks.StructBlock):
    url = blocks.URLBlock(label="Address", help_text="Such as https://mastodon.example/@us.")
    label = blocks.CharBlock(required=False, max_length=40, help_text="Defaults to the network's name.")

    def clean(self, value: Any) -> Any:
        cleaned = super().clean(value)
        if urlsplit(cleaned["url"]).scheme not in {"http", "https"}:
            raise StructBlockValidationError({"url": ValidationError("Begin the address with https://.")})
        return cleaned

    class Meta:
        icon = "user"
        label = "Profile"
        label_format = "{url}"


MENU = [("page", PageEntryBlock()), ("content_type", TypeEntryBlock()), ("address", AddressEntryBlock())]


class Theme(PreviewableMixin, BaseGenericSetting):
    """At most one row; empty values mean the theme's defaults."""

    #: The name in the form, which is a setting elsewhere; set for previews only.
    previewed_name = ""

    accent = models.CharField(
        "accent colour",
        max_length=7,
        blank=True,
        validators=[COLOUR],
        help_text="For links, buttons and drawings. Where text would be hard to read, a lighter or darker shade is used.",
    )
    secondary = models.CharField("second colour", max_length=7, blank=True, validators=[COLOUR], help_text="For drawings only.")
    # Without a row, a site looks as it did before there were fonts to choose.
    fonts = models.CharField(
        max_length=20,
        choices=[(name, pair.label) for name, pair in FONTS.items()],
        default=SYSTEM,
        help_text="For the public site.",
    )
    logo = models.ForeignKey("media.MediaImage", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    logo_alt = models.CharField(
        "logo's alternative text", max_length=255, blank=True, help_text="The text of the logo. Defaults to the site's name."
    )
    show_name = models.BooleanField(
        "show the name beside the logo", default=True, help_text="Untick if the logo already shows the name."
    )
    favicon = models.ForeignKey(
        "media.MediaImage",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="For browser tabs and home screens: a square PNG of at least 180 pixels, or a square SVG. "
        "Defaults to a mark in the colours above.",
    )
    tagline = models.CharField(max_length=150, blank=True, help_text="A short line below the name in the footer.")
    footer_text = RichTextField(
        blank=True, features=["bold", "italic", "link"], help_text="An address, opening hours or a notice."
    )
    header_menu = StreamField(
        MENU,
        blank=True,
        max_num=12,
        help_text="Defaults to the pages below the home page that are shown in menus, then every content type with pages.",
    )
    footer_menu = StreamField(MENU, blank=True, max_num=24, help_text="Defaults to the header's.")
    profiles = StreamField([("profile", ProfileBlock())], blank=True, max_num=12, verbose_name="social profiles")

    class Meta:
        verbose_name = "theme"

    def __str__(self) -> str:
        return "Theme"

    @property
    def preview_modes(self) -> list[tuple[str, str]]:
        return list(PREVIEWS.items())

    def serve_preview(self, request: HttpRequest, mode_name: str) -> HttpResponse:
        from ..views.preview import preview_theme

        return preview_theme(self, request, mode_name)

    def clean(self) -> None:
        super().clean()
        icon = self.favicon
        if icon is None:
            return
        if icon.mime_type not in ICON_TYPES:
            raise ValidationError({"favicon": "Choose a PNG or an SVG."})
        if icon.width != icon.height:
            raise ValidationError({"favicon": f"Choose a square image; this one is {icon.width} by {icon.height} pixels."})
        if not icon.is_svg() and icon.width < SMALLEST_ICON_PIXELS:
            raise ValidationError(
                {"favicon": f"Choose an image of at least {SMALLEST_ICON_PIXELS} by {SMALLEST_ICON_PIXELS} pixels."}
            )

    def save(self, *args: Any, **kwargs: Any) -> None:
        from ..services.theme import save_theme

        save_theme(lambda: super(Theme, self).save(*args, **kwargs))
