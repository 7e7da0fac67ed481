"""Cards for pages and the theme on the admin's home."""

from collections.abc import Iterator

from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from wagtail.models import Page, Revision, get_default_page_content_type
from wagtail.permissions import policy_registry

from cms_api.adminkit.cards import LOOK_AHEAD, Card, Kind, Step, latest_changes
from cms_api.core import registry
from cms_api.flags.selectors import get_setting

from ..models import HomePage, Theme

SHOWN_PAGES = 5


def show_scheduled(request: HttpRequest) -> Iterator[Card]:
    """Yield cards for the pages that are published next (two statements)."""
    soon = timezone.now() + LOOK_AHEAD
    due = Revision.objects.filter(approved_go_live_at__lt=soon, base_content_type=get_default_page_content_type())
    found = list(
        due.order_by("approved_go_live_at", "pk").values_list("object_id", "object_str", "approved_go_live_at")[:SHOWN_PAGES]
    )
    if not found:
        return
    pages = policy_registry.get_by_type(Page).explorable_instances(request.user)
    visible = set(pages.filter(pk__in=[page for page, _, _ in found]).values_list("pk", flat=True))
    for page, title, moment in found:
        if int(page) in visible:
            url = reverse("wagtailadmin_pages:edit", args=[page])
            yield Card(title, url, Kind.UPCOMING, text="Page, scheduled to be published", icon="doc-empty-inverse", at=moment)


def show_changed(request: HttpRequest) -> Iterator[Card]:
    """Yield cards for the most recently changed pages (two statements)."""
    changes = latest_changes(Page)
    pages = policy_registry.get_by_type(Page).explorable_instances(request.user).filter(pk__in=changes)
    for pk, title, live in pages.values_list("pk", "draft_title", "live"):
        at, person = changes[pk]
        yield Card(
            title,
            reverse("wagtailadmin_pages:edit", args=[pk]),
            Kind.CHANGED,
            text=f"Page \N{MIDDLE DOT} {person}" if person else "Page",
            icon="doc-empty-inverse",
            status="" if live else "Draft",
            at=at,
        )


def create(request: HttpRequest) -> Card | None:
    url = _add_page_url()
    return Card("Page", url, Kind.CREATE, icon="doc-empty-inverse", order=0) if url else None


def name_site(request: HttpRequest) -> Step:
    declared = registry.setting_key("site.name")
    return Step(
        "Name the site",
        _theme_url(),
        "The name appears in the header, in titles and in feeds.",
        done=declared is None or get_setting("site.name") != declared.default,
        order=10,
    )


def choose_theme(request: HttpRequest) -> Step:
    return Step(
        "Choose a logo and colours",
        _theme_url(),
        "Every page uses them.",
        done=Theme.objects.filter(Q(logo__isnull=False) | ~Q(accent="")).exists(),
        order=20,
    )


def create_first_page(request: HttpRequest) -> Step | None:
    url = _add_page_url()
    if not url:
        return None
    return Step(
        "Create the first page",
        url,
        "For example About or Contact. Rows of text, images and forms make up a page.",
        done=Page.objects.filter(depth__gte=3).exists(),
        order=40,
    )


def _add_page_url() -> str:
    """Return the URL for adding a page below the home page; empty if there is none (one statement)."""
    home = HomePage.objects.order_by("path").values_list("pk", flat=True).first()
    return reverse("wagtailadmin_pages:add_subpage", args=[home]) if home else ""


def _theme_url() -> str:
    return reverse("wagtailsettings:edit", args=[Theme._meta.app_label, Theme._meta.model_name])
