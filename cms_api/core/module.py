"""The declaration of a module; everything the platform knows about the module is derived from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .token_presets import Restriction as Restriction
from .token_presets import TokenPreset as TokenPreset

#: Stated explicitly in a route's abilities if no token is needed.
PUBLIC = "public"
#: A route of this ability needs a token, whatever its abilities and its restriction.
ANY = "any"

#: The headings of the token dialog, in display order.
ABILITY_GROUPS = ("Content", "Forms", "Contacts", "Commerce", "Platform")

#: The values of `Row.where`, from least to most restricted.
ROW_PLACES = ("anywhere", "pages", "templates")


@dataclass(frozen=True)
class MenuGroup:
    """A top-level entry of the admin menu. Modules name the group of their entries; empty groups are hidden."""

    name: str
    title: str
    icon: str


#: The groups of the admin menu, in display order. The list is closed, so that the menu stays short.
MENU_GROUPS = (
    MenuGroup("website", "Website", "globe"),
    MenuGroup("calendar", "Calendar", "calendar-alt"),
    MenuGroup("contacts", "Contacts", "group"),
    MenuGroup("sales", "Sales", "tag"),
    MenuGroup("service", "Service", "tasks"),
    MenuGroup("reports", "Reports", "table"),
    MenuGroup("api", "API", "code"),
    MenuGroup("settings", "Settings", "cogs"),
)

#: Placeholders available in every mail, besides its own.
EVERY_MAIL = {"site": "The site's name", "site_url": "The site's address"}

Dotted = str


@dataclass(frozen=True)
class Route:
    """A path under /api/v1 and the ability each of its methods needs.

    `abilities` maps GET, POST, PATCH (which also answers PUT) and DELETE to an ability, ANY or PUBLIC.
    """

    path: str
    view: Dotted
    abilities: Mapping[str, str]
    #: Gates this route instead of the module's own feature.
    feature: str = ""

    @property
    def methods(self) -> tuple[str, ...]:
        """Every method the route answers, HEAD and PUT included."""
        implied = {"GET": ("GET", "HEAD"), "PATCH": ("PATCH", "PUT")}
        return tuple(method for declared in self.abilities for method in implied.get(declared, (declared,)))

    def ability(self, method: str) -> str:
        return self.abilities[{"HEAD": "GET", "PUT": "PATCH"}.get(method, method)]


@dataclass(frozen=True)
class SettingKey:
    """A dotted settings key. A key that ends in `.*` declares a family, such as `detail_layout.default.*`.

    A key with a title is among the settings that every admin understands; the others are on a page for developers.
    `choices` are the valid values, with their labels if people do not know the values.
    """

    key: str
    type: type
    default: Any
    help: str
    choices: tuple[str, ...] | Mapping[str, str] = ()
    title: str = ""
    #: Whether the text is a list of words, which are stored one per line; see `flags.selectors.get_words`.
    is_list: bool = False
    #: A function of the value, or of each word of a list, that returns what is wrong with it, or an empty text.
    check: Dotted = ""


@dataclass(frozen=True)
class Event:
    """A type of webhook event: its meaning, the function that builds its payload from a record, and the payload's shape.

    `document` is the Resource that describes the payload; its example, overridden by `sample`, is the payload of test
    deliveries and of the documentation.
    An event without a `resource` is announced: it is documented and can be subscribed to, but is not emitted yet.
    """

    kind: str
    summary: str
    document: Dotted
    resource: Dotted = ""
    #: Gates this event instead of the module's own feature.
    feature: str = ""
    #: Overrides of the document's example, so that the sample of a cancelled record looks cancelled.
    sample: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """Periodic work: a function without arguments, and the interval between runs in seconds.

    It runs while its module's feature is on; housekeeping that must go on is marked `always`. A run that takes longer than
    `deadline_seconds` is stopped, however it hangs. Work that may take longer ends by itself, and the next run continues it.
    """

    name: str
    function: Dotted
    every: int
    always: bool = False
    deadline_seconds: int = 300
    #: Whether it writes to people or charges them because a date has come. The lost site may have done so since its backup:
    #: `restore` pauses it until somebody has compared, and resumes it.
    reaches_people: bool = False
    #: Whether it deletes stored files that no record names. A site that is restored on trial may share the storage of the live
    #: site, and has no records of the files that this one has stored since the backup: `restore` pauses it, too.
    deletes_strays: bool = False

    @property
    def waits_after_restore(self) -> bool:
        return self.reaches_people or self.deletes_strays


@dataclass(frozen=True)
class Queue:
    """Work that a worker does as soon as it is due (`core.queues.Work`), while its module's feature is on.

    On hosts without a worker, a periodic job of the same name does it once an hour.
    """

    name: str
    work: Dotted


@dataclass(frozen=True)
class Signal:
    """A signal that a module sends and other modules may listen to; see `Module.listens`."""

    name: str
    #: When it is sent and, if it matters, how the listeners' return values are used.
    summary: str
    #: The arguments of each listener, as a signature: `item: ContentItem`.
    arguments: str


class Always(str):
    """The dotted path of a listener that is called even while its module's feature is off."""


@dataclass(frozen=True)
class Block:
    """A placeholder value longer than a phrase: lines of text, and the equivalent HTML."""

    text: str
    html: str


@dataclass(frozen=True)
class Mail:
    """A mail that a module sends. The default text is in `templates/mail/<name>.txt` and `.html`; editors can change it.

    `placeholders` maps each name allowed between `{{` and `}}` to its description, `sample` to a preview value: text or a Block.
    A placeholder whose sample is a Block or has several lines is not allowed in the subject.
    """

    name: str
    summary: str
    subject: str
    placeholders: Mapping[str, str] = field(default_factory=dict)
    sample: Mapping[str, Any] = field(default_factory=dict)
    #: Placeholders that work once, or let somebody into an account: stored apart until the mail is sent, and never shown.
    secrets: tuple[str, ...] = ()
    #: Placeholders that the text and the HTML must have, such as the link to unsubscribe.
    required: tuple[str, ...] = ()
    #: Whether it goes to addresses that the site's staff have chosen, or that people have confirmed to get messages of visitors
    #: at. The budget of mails to strangers' addresses skips it, unless a visitor may have entered the address.
    to_staff: bool = False


@dataclass(frozen=True)
class ImportColumn:
    """A column that a CSV file may have; `also` lists other headings that programs use for it."""

    name: str
    title: str
    help: str = ""
    required: bool = False
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImportOption:
    """An option asked once per file: a line of text, or a box that must be ticked."""

    name: str
    title: str
    help: str = ""
    must_be_ticked: bool = False


@dataclass(frozen=True)
class Import:
    """A type of CSV file that people can import.

    `read(cells, options)` converts one row (text by column) to the values that `write` takes, or raises Invalid.
    `write(rows, options)` writes many converted rows in the caller's transaction and returns, for each, whether it created a
    record.
    """

    name: str
    title: str
    columns: tuple[ImportColumn, ...]
    read: Dotted
    write: Dotted
    #: The permission needed to import, normally that to add such a record: `crm.add_contact`.
    permission: str
    options: tuple[ImportOption, ...] = ()
    #: A sentence on how rows that match existing records are handled.
    help: str = ""


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
class Module:
    """The declaration of a module, as data; code is named by dotted path and imported only where it is used."""

    name: str
    title: str
    description: str
    #: The feature that must be on besides `api`; empty for modules that the API cannot do without.
    feature: str = ""
    #: Whether its feature has no switch: it is on while a module that `uses` it is, such as site accounts or payments.
    is_support: bool = False
    #: Whether its feature is that of a lower module, which has the switch: event ticketing is a part of events.
    is_part: bool = False
    #: The features of the support modules that it needs.
    uses: tuple[str, ...] = ()
    #: Features that this one needs to be on.
    requires: tuple[str, ...] = ()
    group: str = "Platform"
    #: Ability to description, as the token dialog shows it.
    abilities: Mapping[str, str] = field(default_factory=dict)
    #: Choices of its abilities that the token dialog offers.
    token_presets: tuple[TokenPreset, ...] = ()
    routes: tuple[Route, ...] = ()
    #: Dotted path of the public pages' URL patterns (`urlpatterns` in the module's `urls.py`), active while its feature is on.
    pages: Dotted = ""
    #: Dotted path of URL patterns that are active even while its feature is off.
    ungated_pages: Dotted = ""
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
    page_scripts: tuple[PageScript, ...] = ()
    #: Addresses to which scripts of pages send messages: a path to a function of a message, `http.page_messages.Beacon`. They
    #: are answered before sessions, cookies and CSRF are looked at, while its feature is on.
    beacons: Mapping[str, Dotted] = field(default_factory=dict)
    #: Types of webhook events that its services emit.
    events: tuple[Event, ...] = ()
    #: Mails that its services send.
    mails: tuple[Mail, ...] = ()
    #: Signals that other modules may listen to.
    signals: tuple[Signal, ...] = ()
    #: Reactions to other modules: signal name to the dotted path of a function. The function is called in the transaction of the
    #: change, and only while this module's feature is on unless the path is `Always`. Valid names are declared signals, webhook
    #: event types (called with the record) and `setting:<key>` (called without arguments when the value changes).
    listens: Mapping[str, Dotted] = field(default_factory=dict)
    #: Its kinds of records that customers pay for: a name that payments store, so never change it, to the dotted path of a
    #: `commerce.payments.types.Payable`. Its module uses `payments`.
    payables: Mapping[str, Dotted] = field(default_factory=dict)
    #: A function that takes a contact's id and returns the URL of its page in the admin.
    contact_url: Dotted = ""
    #: Its types of page rows.
    rows: tuple[Row, ...] = ()
    #: Its kinds of records, such as `shop.product`, whose public pages show what other modules add to them.
    record_pages: tuple[str, ...] = ()
    #: Its additions to the public pages of other modules' records.
    additions: tuple[Addition, ...] = ()
    #: Its types of CSV imports, available while its feature is on.
    imports: tuple[Import, ...] = ()
    jobs: tuple[Job, ...] = ()
    #: The series of numbers of its records, such as `INV`, with the first number of each. A restored site leaves a gap in them.
    numbers: Mapping[str, int] = field(default_factory=dict)
    #: Work of the worker besides the task queue.
    queues: tuple[Queue, ...] = ()
    settings: tuple[SettingKey, ...] = ()
    #: Dotted paths of Wagtail viewsets, available while its feature is on. Each one with a label is an entry of the admin menu,
    #: in this order; a ViewSetGroup is an entry with a submenu.
    viewsets: tuple[Dotted, ...] = ()
    #: Viewsets that are available even while its feature is off, such as the page that switches it on.
    ungated_viewsets: tuple[Dotted, ...] = ()
    #: Menu items other than those of viewsets; they come first.
    menu: tuple[Dotted, ...] = ()
    #: The name of the MenuGroup of its entries, and their position among those of other modules: lower numbers first.
    menu_group: str = ""
    menu_order: int = 100
    #: Functions `(request) -> Card | Iterable[Card] | None` that add cards to the admin home while its feature is on; see
    #: `adminkit.cards`. They check permissions themselves and run at most two statements, however many records there are.
    cards: tuple[Dotted, ...] = ()
    #: Functions `(request) -> Step | None` for the list of first steps on a new site's admin home.
    first_steps: tuple[Dotted, ...] = ()
    #: The roles besides admin that may work with the module's records.
    roles: tuple[str, ...] = ()
    #: Models that not all of these roles may work with: the model's name to those that may.
    model_roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Answers where the module uses media files, and is notified of changes to them; see `media.types.MediaUsage`.
    media_usage: Dotted = ""
    #: A function `load(scale, progress)` that creates the demo records.
    demo: Dotted = ""
    #: An idempotent function that creates the records a new site needs.
    setup: Dotted = ""

    @property
    def all_jobs(self) -> tuple[Job, ...]:
        """The periodic jobs, followed by those of the queues."""
        return (*self.jobs, *(Job(queue.name, queue.work, every=3600) for queue in self.queues))
