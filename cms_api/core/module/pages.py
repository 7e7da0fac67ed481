"""Declared for the site that visitors see: URLs, links, rows of pages, and what is added to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .types import Dotted

#: The values of `Row.where`, from least to most restricted.
ROW_PLACES = ("anywhere", "pages", "templates")


@dataclass(frozen=True)
class AccountPage:
    """A page for signed-in visitors, linked from the account page."""

    title: str
    #: The text of the link.
    link: str
    path: str


@dataclass(frozen=True)
class FooterLink:
    """A link that a module adds to the footer of every public page."""

    label: str
    url: str
    #: Feeds are listed apart from pages.
    is_feed: bool = False


@dataclass(frozen=True)
class HeaderLink:
    """A link at the end of the main menu of every public page."""

    label: str
    url: str
    #: A cookie with a number that a script shows beside the label; it cannot be in the page, which is cached.
    count_cookie: str = ""


@dataclass(frozen=True)
class PageScript:
    """A script on every public page that visitors who are not staff see. `data` are its `data-` attributes."""

    #: The path of a static file.
    file: str
    data: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A type of page row. Editors can add it, and visitors see it, while its module's feature is on.

    `block` is a `cms_api.rows.RowBlock`: the fields that editors fill in, and the context of the template `rows/<name>.html`.
    Pages store the name with every row of the type, so never change a name.
    """

    name: str
    block: Dotted
    #: Where it is allowed: `anywhere`; on `pages`, but not in rows shared between pages; or only in `templates` of records.
    where: str = "anywhere"


@dataclass(frozen=True)
class Addition:
    """Something that a module adds to the public page of other modules' records while its feature is on.

    `record` is a kind of record, one of some module's `record_pages`. `present(record, request)` returns a
    `cms_api.rows.additions.Added`, or None where there is nothing to add.
    """

    record: str
    present: Dotted


@dataclass(frozen=True)
class Pages:
    """A module's part of the public site. Everything but `ungated_urls` is there while its feature is on."""

    #: Dotted path of the public pages' URL patterns (`urlpatterns` in the module's `urls.py`), active while its feature is on.
    urls: Dotted = ""
    #: Dotted path of URL patterns that are active even while its feature is off.
    ungated_urls: Dotted = ""
    #: Its pages that the account page links to while its feature is on.
    account_pages: tuple[AccountPage, ...] = ()
    #: A function that returns the module's sitemap sections: Django `Sitemap`s by a name that is safe in a URL.
    sitemap: Dotted = ""
    #: Sources of the site's search while its feature is on; see `text.site_search.Source`.
    searches: tuple[Dotted, ...] = ()
    #: A function that returns `FooterLink`s for every public page; like a view, it names the versions that they depend on.
    footer_links: Dotted = ""
    #: Links for the header of every public page.
    header_links: tuple[HeaderLink, ...] = ()
    #: Scripts of every public page.
    scripts: tuple[PageScript, ...] = ()
    #: Addresses to which scripts of pages send messages: a path to a function of a message, `http.page_messages.Beacon`. They
    #: are answered before sessions, cookies and CSRF are looked at, while its feature is on.
    beacons: Mapping[str, Dotted] = field(default_factory=dict)
    #: Its types of page rows.
    rows: tuple[Row, ...] = ()
    #: Its kinds of records, such as `shop.product`, whose public pages show what other modules add to them.
    record_pages: tuple[str, ...] = ()
    #: Its additions to the public pages of other modules' records.
    additions: tuple[Addition, ...] = ()
