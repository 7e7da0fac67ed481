"""Page types: each consists of rows, below a title or an introduction."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.db import models
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from wagtail.admin.panels import FieldPanel, ObjectList, Panel
from wagtail.fields import RichTextField
from wagtail.models import Page, PageViewRestriction
from wagtail.search import index
from wagtail.utils.decorators import cached_classmethod

from cms_api.adminkit.panels import Tabs
from cms_api.text.search import unique_words

from .blocks import page_rows, record_rows
from .fields import RowsField
from .forms import RecordTemplateForm, SitePageForm
from .panels import PicturesPanel
from .texts import texts_of


class SitePage(Page):
    """The base class of the site's pages. Saving one updates the stored rows."""

    #: The name of the page type in the API.
    kind: str
    #: Whether it shows many records, each at its own URL.
    parameterized = False
    #: Whether a hero in first place replaces the page's title.
    hero_is_title = False

    base_form_class = SitePageForm
    promote_panels = Page.promote_panels
    show_in_menus_default = True

    search_fields: ClassVar[list[Any]] = [*Page.search_fields, index.AutocompleteField("search_text")]

    class Meta:
        abstract = True

    @cached_classmethod
    def get_edit_handler(cls) -> Panel:
        """Return Wagtail's tabs, of which the one with an error is open."""
        tabs = {"Content": cls.content_panels, "Promote": cls.promote_panels, "Settings": cls.settings_panels}
        shown = [ObjectList(panels, heading=heading) for heading, panels in tabs.items() if panels]
        return Tabs(shown, base_form_class=cls.base_form_class).bind_to_model(cls)

    def search_text(self) -> str:
        """Return the distinct words of the title and the rows, folded like search queries."""
        return " ".join(unique_words(f"{self.title} {texts_of([self])[self.pk]}"))

    def get_view_restrictions(self) -> models.QuerySet[PageViewRestriction]:
        """Return Wagtail's restrictions of the page, without asking while no page has any."""
        from ..selectors import has_restrictions

        return super().get_view_restrictions() if has_restrictions() else PageViewRestriction.objects.none()

    @property
    def meta_title(self) -> str:
        """The part of the window's title before the site's name."""
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
    """The home page: an introduction and rows; a new site's rows list the newest items and what is coming up.

    A hero in first place is shown above the introduction.
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
        """The SEO title if there is one; otherwise empty, as the site's name is enough."""
        return str(self.seo_title)


class StandardPage(SitePage):
    """An information page with a title, breadcrumbs and its subpages."""

    kind = "standard"

    introduction = models.TextField(blank=True, max_length=500)
    rows: Any = RowsField(page_rows, blank=True)

    content_panels = [*Page.content_panels, FieldPanel("introduction"), FieldPanel("rows"), PicturesPanel()]
    template = "home/standard_page.html"
    parent_page_types = ["home.HomePage", "home.StandardPage"]
    subpage_types = ["home.StandardPage", "home.LandingPage"]


class LandingPage(SitePage):
    """A page of rows only."""

    kind = "landing"
    hero_is_title = True

    rows: Any = RowsField(page_rows, min_num=1)

    content_panels = [*Page.content_panels, FieldPanel("rows"), PicturesPanel()]
    template = "home/landing_page.html"
    parent_page_types = ["home.HomePage", "home.StandardPage"]
    subpage_types: Sequence[str] = []
    show_in_menus_default = False


class RecordTemplate(SitePage):
    """The rows around every record of a content type. Images are the records' own, so the API lists no slots."""

    kind = "record"
    parameterized = True
    base_form_class = RecordTemplateForm

    record_type = models.OneToOneField(
        "content.ContentType", verbose_name="content type", on_delete=models.PROTECT, related_name="+"
    )
    rows: Any = RowsField(record_rows, blank=True, block_counts={"record": {"min_num": 1, "max_num": 1}})

    content_panels = [*Page.content_panels, FieldPanel("record_type"), FieldPanel("rows"), PicturesPanel()]
    parent_page_types = ["home.HomePage"]
    subpage_types: Sequence[str] = []
    show_in_menus_default = False
    # The records have pages, which no restriction of this page would protect.
    private_page_options: Sequence[str] = []

    def route(self, request: HttpRequest, path_components: list[str]) -> Any:
        """Return Wagtail's route to the page. Raises Http404 while the type's feature is off."""
        from ..selectors import hidden_templates

        if self.pk in hidden_templates():
            raise Http404
        return super().route(request, path_components)

    def serve(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Redirect to the list of records: only the records have pages."""
        return redirect("item_list", self.record_type.slug)

    def serve_preview(self, request: HttpRequest, mode_name: str) -> HttpResponse:
        from ..views import preview_record

        return preview_record(self, request)
