"""The theme for templates: colours, fonts, logo, icon, menus and the footer."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from math import ceil
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe
from wagtail.models import Page
from wagtail.rich_text import expand_db_html

from cms_api.accounts.selectors import is_editor
from cms_api.content.resources.pictures import Picture, picture
from cms_api.content.selectors import find_type, visible_types
from cms_api.core import registry, versions
from cms_api.core.module import FooterLink, HeaderLink, Pages, PageScript
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import is_on
from cms_api.http import page_cache
from cms_api.http.secret_urls import is_secret, looks_secret
from cms_api.media.selectors import VERSION as MEDIA
from cms_api.media.selectors import media_tag

from ..models import HomePage, Theme
from ..selectors import THEME, TREE, address, public_pages
from ..types import FONTS, SYSTEM, FontPair, theme_css

YEAR_SECONDS = 31_536_000
#: Moves when the drawings of a release differ from those of the last one, which browsers keep.
DRAWINGS_VERSION = 1

#: The window, in rem, below which a header stands in two lines anyway, and the widest that the page makes use of.
NARROWEST_REM, WIDEST_REM = 48, 96
#: Estimated widths in rem: a letter of an entry and of the name, and the space around them.
ENTRY_LETTER_REM, ENTRY_SPACE_REM, NAME_LETTER_REM, NAME_SPACE_REM, BAR_SPACE_REM = 0.53, 1.5, 0.75, 2.5, 8.5
#: With fewer entries, a header never folds: they stand below the name in narrow windows.
FEWEST_FOLDED_ENTRIES = 4

#: Names of social networks that are not simply the first word of their domain.
NETWORKS = {
    "bsky.app": "Bluesky",
    "github.com": "GitHub",
    "linkedin.com": "LinkedIn",
    "soundcloud.com": "SoundCloud",
    "t.me": "Telegram",
    "tiktok.com": "TikTok",
    "wa.me": "WhatsApp",
    "youtu.be": "YouTube",
    "youtube.com": "YouTube",
}


@dataclass(frozen=True)
class Entry:
    """A menu entry. An entry of a content type gets its URL and label when it is rendered."""

    label: str = ""
    url: str = ""
    type_slug: str = ""
    is_current: bool = False


@dataclass(frozen=True)
class ShownTheme:
    accent: str = ""
    secondary: str = ""
    fonts: str = SYSTEM
    #: The chosen icon for browser tabs and for home screens; neither for the mark in the theme's colours.
    icon: str = ""
    icon_type: str = ""
    touch_icon: str = ""
    icon_id: int | None = None
    logo: Picture | None = None
    logo_id: int | None = None
    show_name: bool = True
    tagline: str = ""
    footer_text: str = ""
    header: list[Entry] | None = None
    footer: list[Entry] | None = None
    profiles: list[Entry] = field(default_factory=list)
    #: The pages of the default menu, for menus that are not configured.
    pages: list[Entry] = field(default_factory=list)
    #: Of a preview: the scheme, whatever the visitor's is, and the name in the form.
    scheme: str = ""
    name: str = ""

    @cached_property
    def css(self) -> str:
        """The style sheet of the picked colours; empty for the theme's own."""
        return theme_css(self.accent, self.secondary)

    @property
    def css_version(self) -> str:
        """A hash of the colours; empty for the theme's own."""
        return _hash(self.css) if self.css else ""

    @property
    def drawing_version(self) -> str:
        return _hash(f"{DRAWINGS_VERSION} {self.accent} {self.secondary}")

    @property
    def pair(self) -> FontPair:
        return FONTS.get(self.fonts, FONTS[SYSTEM])


_previewed: ContextVar[ShownTheme | None] = ContextVar("previewed_theme", default=None)


def current_theme() -> ShownTheme:
    """Return the current theme. The page being rendered is invalidated when the theme changes."""
    if (previewed := _previewed.get()) is not None:
        return previewed
    page_cache.depends_on(THEME, TREE, FLAGS)
    theme = versions.load_once(THEME, _load, slot="home.theme.shown", also=(TREE, MEDIA, FLAGS))
    page_cache.shows(*(media_tag(each) for each in (theme.logo_id, theme.icon_id) if each))
    return theme


@contextmanager
def previewing(theme: ShownTheme) -> Iterator[None]:
    """Render pages with a theme that is not stored."""
    token = _previewed.set(theme)
    try:
        yield
    finally:
        _previewed.reset(token)


def menu(entries: Iterable[Entry] | None, *, path: str, type_slug: str = "") -> list[Entry]:
    """Return the entries of a menu, or of the default menu, as rendered at a path."""
    if entries is None:
        own = [Entry(type_slug=slug) for slug, found in visible_types().items() if found.has_detail]
        entries = [*current_theme().pages, *own]
    shown = []
    for entry in entries:
        item_type = find_type(entry.type_slug) if entry.type_slug else None
        if entry.type_slug and item_type is None:
            continue
        url = reverse("item_list", args=[entry.type_slug]) if item_type else entry.url
        is_here = bool(type_slug) and entry.type_slug == type_slug
        is_above = url.startswith("/") and url != "/" and path.startswith(url.rstrip("/") + "/")
        label = entry.label or (item_type.name_plural if item_type else url)
        shown.append(Entry(label, url, entry.type_slug, is_here or is_above or path == url))
    return shown


def declared_links() -> list[FooterLink]:
    """Return the footer links of the modules whose feature is on."""
    declared = [pages.footer_links for pages in _pages_on() if pages.footer_links]
    return [link for dotted in declared for link in registry.load(dotted)()]


def header_links() -> list[HeaderLink]:
    """Return the header links of the modules whose feature is on."""
    return [link for pages in _pages_on() for link in pages.header_links]


def page_scripts(request: HttpRequest | None) -> list[PageScript]:
    """Return the scripts of the modules whose feature is on; none on secret pages, and for staff, whose visits do not count."""
    page_cache.depends_on(FLAGS)
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated and is_editor(user):
        return []
    if request and (is_secret(request.resolver_match) or looks_secret(request)):
        return []
    return [script for pages in _pages_on() for script in pages.scripts]


def _pages_on() -> list[Pages]:
    """Return what the modules whose feature is on declare for the site."""
    page_cache.depends_on(FLAGS)
    return [module.pages for module in registry.modules() if is_on(module.feature)]


def folds_below(labels: list[str], *, name: str, letters: float = 1) -> int:
    """Return the width of window, in rem, below which a header with these entries folds into its menu; 0 if it never does.

    `letters` is the width of the font's letters, relative to the system's fonts.
    """
    if len(labels) < FEWEST_FOLDED_ENTRIES:
        return 0
    entries = sum(len(label) * ENTRY_LETTER_REM * letters + ENTRY_SPACE_REM for label in labels)
    needed = entries + len(name) * NAME_LETTER_REM * letters + NAME_SPACE_REM + BAR_SPACE_REM
    return min(max(ceil(needed), NARROWEST_REM), WIDEST_REM)


@require_safe
def stylesheet(request: HttpRequest) -> HttpResponse:
    """Serve the picked colours, under a URL that changes with them."""
    theme = current_theme()
    response = HttpResponse(theme.css, content_type="text/css; charset=utf-8")
    is_named = bool(theme.css) and request.GET.get("v") == theme.css_version
    response.headers["Cache-Control"] = f"public, max-age={YEAR_SECONDS}, immutable" if is_named else "no-cache"
    return response


def _load() -> ShownTheme:
    stored = Theme.objects.select_related("logo", "favicon").first()
    return show_theme(stored) if stored else ShownTheme(pages=_pages_in_menus())


def show_theme(theme: Theme, **preview: str) -> ShownTheme:
    """Return a theme as templates show it."""
    chosen = theme.favicon
    icon = picture(chosen, "icon") if chosen else None
    # Home screens show no SVG.
    touch_icon = picture(chosen, "touch-icon") if chosen and not chosen.is_svg() else None
    return ShownTheme(
        accent=theme.accent,
        secondary=theme.secondary,
        fonts=theme.fonts,
        icon=icon.src if icon else "",
        icon_type=chosen.mime_type if chosen and icon else "",
        touch_icon=touch_icon.src if touch_icon else "",
        icon_id=theme.favicon_id,
        logo=picture(theme.logo, "logo", alt=theme.logo_alt) if theme.logo else None,
        logo_id=theme.logo_id,
        show_name=theme.show_name,
        tagline=theme.tagline,
        footer_text=expand_db_html(theme.footer_text) if theme.footer_text else "",
        header=_entries(theme.header_menu),
        footer=_entries(theme.footer_menu),
        profiles=[Entry(each.value["label"] or network(each.value["url"]), each.value["url"]) for each in theme.profiles],
        pages=_pages_in_menus(),
        **preview,
    )


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()


def _pages_in_menus() -> list[Entry]:
    home = HomePage.objects.first()
    found = public_pages().child_of(home).in_menu() if home else []
    return [Entry(page.title, address(page)) for page in found]


def _entries(value: Any) -> list[Entry] | None:
    """Return the entries with a target; None if the menu was not configured."""
    chosen = {each.value["page"].pk for each in value if each.block_type == "page" and each.value["page"]}
    public = {page.pk: page for page in public_pages().filter(pk__in=chosen)} if chosen else {}
    found = [_entry(each, public) for each in value]
    return [entry for entry in found if entry] if found else None


def _entry(each: Any, public: dict[int, Page]) -> Entry | None:
    label = each.value["label"]
    if each.block_type == "content_type":
        return Entry(label, type_slug=each.value["type"])
    if each.block_type == "address":
        return Entry(label, each.value["url"])
    page = public.get(each.value["page"].pk) if each.value["page"] else None
    return Entry(label or page.title, address(page)) if page else None


def network(url: str) -> str:
    """Return the name of a social network by its URL: `https://www.instagram.com/us` is Instagram."""
    host = (urlsplit(url).hostname or url).removeprefix("www.")
    return NETWORKS.get(host) or host.split(".")[0].capitalize()
