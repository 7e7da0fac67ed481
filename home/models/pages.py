"""Page types: all are rows, under a title or an introduction of their own."""

from collections.abc import Sequence
from typing import Any

from django.db import models
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from wagtail.admin.panels import FieldPanel
from wagtail.fields import RichTextField
from wagtail.models import Page

from cms_api.content.models import ContentType

from .blocks import page_rows, record_rows
from .fields import RowsField
from .panels import PicturesPanel


class SitePage(Page):
    """What the pages of the site have in common. Saving one brings what is known of its rows up to date."""

    #: Its name in the API.
    kind: str
    #: Whether it shows many records, each at an address of its own.
    parameterized = False
    #: Whether a hero that comes first takes the place of the title that the page would have.
    hero_is_title = False

    promote_panels = Page.promote_panels
    show_in_menus_default = True

    class Meta:
        abstract = True

    @property
    def meta_title(self) -> str:
        """What stands before the site's name in the window's title."""
        return str(self.seo_title or self.title)

    def save(self, *args: Any, **kwargs: Any) -> None:
        from ..services.pages import save_page

        save_page(self, lambda: super(SitePage, self).save(*args, **kwargs), update_fields=kwargs.get("update_fields"))

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        from ..services.pages import delete_page

        return delete_page(self, lambda: super(SitePage, self).delete(*args, **kwargs))

    def get_context(self, request: HttpRequest, *args: Any, **kwargs: Any) -> dict[str, Any]:
        from ..views import page_context

        return {**super().get_context(request, *args, **kwargs), **page_context(self)}


class HomePage(SitePage):
    """The front of the site: an introduction and rows, then the latest items of every content type that has pages.

    A hero that comes first goes before the introduction.
    """

    kind = "home"
    hero_is_title = True

    introduction = RichTextField(blank=True, features=["bold", "italic", "link"])
    rows: Any = RowsField(page_rows, blank=True)

    content_panels = [*Page.content_panels, FieldPanel("introduction"), FieldPanel("rows"), PicturesPanel()]
    template = "home/home_page.html"
    max_count = 1
    subpage_types = ["home.StandardPage", "home.LandingPage", "home.RecordTemplate"]

    @property
    def meta_title(self) -> str:
        """The site's name says it all."""
        return str(self.seo_title)

    def get_context(self, request: HttpRequest, *args: Any, **kwargs: Any) -> dict[str, Any]:
        from ..views import latest_sections

        return {**super().get_context(request, *args, **kwargs), "sections": latest_sections()}


class StandardPage(SitePage):
    """A page of information, with its title, a way back, and its subpages."""

    kind = "standard"

    introduction = models.TextField(blank=True, max_length=500)
    rows: Any = RowsField(page_rows, blank=True)

    content_panels = [*Page.content_panels, FieldPanel("introduction"), FieldPanel("rows"), PicturesPanel()]
    template = "home/standard_page.html"
    parent_page_types = ["home.HomePage", "home.StandardPage"]
    subpage_types = ["home.StandardPage", "home.LandingPage"]


class LandingPage(SitePage):
    """A page that is nothing but its rows."""

    kind = "landing"
    hero_is_title = True

    rows: Any = RowsField(page_rows, min_num=1)

    content_panels = [*Page.content_panels, FieldPanel("rows"), PicturesPanel()]
    template = "home/landing_page.html"
    parent_page_types = ["home.HomePage", "home.StandardPage"]
    subpage_types: Sequence[str] = []
    show_in_menus_default = False


class RecordTemplate(SitePage):
    """The rows that stand around every record of a content type. Its pictures are the records' own."""

    kind = "record"
    parameterized = True

    record_type = models.OneToOneField(ContentType, verbose_name="content type", on_delete=models.PROTECT, related_name="+")
    rows: Any = RowsField(record_rows, blank=True, block_counts={"record": {"min_num": 1, "max_num": 1}})

    content_panels = [*Page.content_panels, FieldPanel("record_type"), FieldPanel("rows"), PicturesPanel()]
    parent_page_types = ["home.HomePage"]
    subpage_types: Sequence[str] = []
    show_in_menus_default = False

    def serve(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """It has no page of its own: its records have."""
        return redirect("item_list", self.record_type.slug)

    def serve_preview(self, request: HttpRequest, mode_name: str) -> HttpResponse:
        from ..views import preview_record

        return preview_record(self, request)
