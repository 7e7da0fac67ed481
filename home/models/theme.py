"""The theme, as far as editors set it: colours, logo, menus and the footer."""

from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from wagtail import blocks
from wagtail.blocks.struct_block import StructBlockValidationError
from wagtail.contrib.settings.models import BaseGenericSetting
from wagtail.fields import RichTextField, StreamField

from cms_api.adminkit.widgets import KeptSelect
from cms_api.content.selectors import is_visible_type
from cms_api.rows import is_safe_address

from .blocks import listed_types

COLOUR = RegexValidator(r"^#[0-9a-fA-F]{6}\Z", "Enter a colour like #2a3bd0.")


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


class Theme(BaseGenericSetting):
    """At most one row; empty values mean the theme's defaults."""

    accent = models.CharField(
        "accent colour",
        max_length=7,
        blank=True,
        validators=[COLOUR],
        help_text="For links, buttons and drawings. Where text would be hard to read, a lighter or darker shade is used.",
    )
    secondary = models.CharField("second colour", max_length=7, blank=True, validators=[COLOUR], help_text="For drawings only.")
    logo = models.ForeignKey("media.MediaImage", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    logo_alt = models.CharField(
        "logo's alternative text", max_length=255, blank=True, help_text="The text of the logo. Defaults to the site's name."
    )
    show_name = models.BooleanField(
        "show the name beside the logo", default=True, help_text="Untick if the logo already shows the name."
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

    def save(self, *args: Any, **kwargs: Any) -> None:
        from ..services.theme import save_theme

        save_theme(lambda: super(Theme, self).save(*args, **kwargs))
