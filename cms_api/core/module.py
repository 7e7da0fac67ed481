"""The one declaration a module makes of itself; everything the platform knows about it is derived from this."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Said aloud in a route's abilities where no token is needed.
PUBLIC = "public"

#: The headings of the token dialog, in its order.
ABILITY_GROUPS = ("Content", "Forms", "Contacts", "Commerce", "Platform")

#: The values of `Row.where`, each of which may stand wherever the one after it may.
ROW_PLACES = ("anywhere", "pages", "templates")


@dataclass(frozen=True)
class MenuGroup:
    """An entry at the top of the admin's menu. Modules name the group of their entries, which is hidden while it is empty."""

    name: str
    title: str
    icon: str


#: The groups of the admin's menu, in its order. Closed: with them, the page's search and help, the menu stays short.
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

#: Placeholders that every mail has beside its own.
EVERY_MAIL = {"site": "The site's name", "site_url": "The site's address"}

Dotted = str


@dataclass(frozen=True)
class Route:
    """A path under /api/v1 and the ability each of its methods needs.

    `abilities` maps GET, POST, PATCH (which also answers PUT) and DELETE to an ability or PUBLIC.
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
    """A dotted settings key. A key that ends in `.*` stands for a family, such as `detail_layout.default.*`."""

    key: str
    type: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Event:
    """A kind of webhook event: what it means, the function that makes its payload of a record, and how that looks.

    `document` is the Resource that describes the payload; its example, with the changes of `sample`, is what a test delivery
    carries and the documentation shows.
    Only a module that is merely announced leaves `resource` out.
    """

    kind: str
    summary: str
    document: Dotted
    resource: Dotted = ""
    #: Gates this event instead of the module's own feature.
    feature: str = ""
    #: What the sample has other than the document's example, so that a record that is cancelled looks cancelled.
    sample: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """Periodic work: a function without arguments, and how many seconds lie between two runs.

    It runs while its module's feature is on, unless it is housekeeping that must go on (`always`).
    """

    name: str
    function: Dotted
    every: int
    always: bool = False


@dataclass(frozen=True)
class Queue:
    """Work that a worker does as soon as it is due (`core.queues.Work`), while its module's feature is on.

    On hosts without a worker a periodic job of the same name does it each hour.
    """

    name: str
    work: Dotted


@dataclass(frozen=True)
class Signal:
    """Something that happens in a module, which other modules may listen to; see `Module.listens`."""

    name: str
    #: When it is sent, and what becomes of the answers of its listeners where that matters.
    summary: str
    #: What each listener is called with, as a signature: `item: ContentItem`.
    arguments: str


class Always(str):
    """The dotted path of a listener that is called whether its module's feature is on or not."""


@dataclass(frozen=True)
class Block:
    """What fills a placeholder of a mail with more than a phrase: lines of text, and the HTML that says the same."""

    text: str
    html: str


@dataclass(frozen=True)
class Mail:
    """A mail that a module sends. Its words are `templates/mail/<name>.txt` and `.html`, until an editor changes them.

    `placeholders` maps each name that may stand between `{{` and `}}` to what it says, `sample` to a value for previews: a text,
    or a Block. A sample of several lines, or a Block, says that the placeholder has no place in a subject.
    """

    name: str
    summary: str
    subject: str
    placeholders: Mapping[str, str] = field(default_factory=dict)
    sample: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ImportColumn:
    """A column that a CSV file may have; `also` are other names that programs give it in their files' first line."""

    name: str
    title: str
    help: str = ""
    required: bool = False
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImportOption:
    """What is asked once for a whole file: a line of text, or a box that must be ticked."""

    name: str
    title: str
    help: str = ""
    must_be_ticked: bool = False


@dataclass(frozen=True)
class Import:
    """A kind of CSV files that people may bring in.

    `read(cells, options)` makes what is written of the text by column of one row, or raises Invalid; `write(rows, options)`
    writes what was read of many rows, in the caller's transaction, and says of each whether it made a new record.
    """

    name: str
    title: str
    columns: tuple[ImportColumn, ...]
    read: Dotted
    write: Dotted
    #: Who may import: those who may add such a record, as in `crm.add_contact`.
    permission: str
    options: tuple[ImportOption, ...] = ()
    #: What becomes of rows that are there already, in a sentence.
    help: str = ""


@dataclass(frozen=True)
class Row:
    """A kind of row that editors put on pages; new ones can be added, and visitors see them, while its module's feature is on.

    `block` is a `cms_api.rows.RowBlock`: the fields that editors fill in, and what the template `rows/<name>.html` is given.
    A page stores the name with every row of the kind, so a name is never changed.
    """

    name: str
    block: Dotted
    #: Where it may stand: `anywhere`, on `pages` but in no row that pages share, or only in `templates` of records.
    where: str = "anywhere"


@dataclass(frozen=True)
class AccountPage:
    """A page that a module has for whoever is signed in on the site, as the account's own page leads there."""

    title: str
    #: What the link says.
    link: str
    path: str


@dataclass(frozen=True)
class Module:
    """What a module is, as data; code is named by dotted path and imported only where it is used."""

    name: str
    title: str
    description: str
    #: The switch that must be on besides `api`; empty for what the API cannot do without.
    feature: str = ""
    #: Features that have to be on for this one to work.
    requires: tuple[str, ...] = ()
    #: Whether site accounts are there while its feature is on: visitors may sign up and sign in.
    needs_accounts: bool = False
    group: str = "Platform"
    #: Ability and what it allows, as the token dialog says it.
    abilities: Mapping[str, str] = field(default_factory=dict)
    routes: tuple[Route, ...] = ()
    #: The URL patterns of its public pages (`urlpatterns` of the module's `urls.py`), there while its feature is on.
    pages: Dotted = ""
    #: The URL patterns of pages that are there whether its feature is on or not.
    ungated_pages: Dotted = ""
    #: Those of its pages that the account's own page leads to while its feature is on.
    account_pages: tuple[AccountPage, ...] = ()
    #: A function that gives the module's sections of the sitemap: Django's `Sitemap`s by a name that fits into an address.
    sitemap: Dotted = ""
    #: Kinds of webhook events that its services emit.
    events: tuple[Event, ...] = ()
    #: The mails that its services send.
    mails: tuple[Mail, ...] = ()
    #: What happens in the module that others may listen to.
    signals: tuple[Signal, ...] = ()
    #: The module's reactions to what happens elsewhere: signal name to a function, which is called in the transaction of what
    #: happened, and only while the module's feature is on unless its path is `Always`. Names are those of declared signals, the
    #: kinds of webhook events (called with the record) and `setting:<key>` (called without arguments when the value changes).
    listens: Mapping[str, Dotted] = field(default_factory=dict)
    #: A function that takes the id of a contact, and returns the address of its page in the admin.
    contact_url: Dotted = ""
    #: The kinds of rows that it has for pages.
    rows: tuple[Row, ...] = ()
    #: The kinds of CSV files that become its records; they are there while its feature is on.
    imports: tuple[Import, ...] = ()
    jobs: tuple[Job, ...] = ()
    #: What a worker does beside the task queue.
    queues: tuple[Queue, ...] = ()
    settings: tuple[SettingKey, ...] = ()
    #: Dotted paths of Wagtail viewsets, there while its feature is on. Each that has a label is an entry of the admin's menu, in
    #: this order; a ViewSetGroup is an entry with a submenu.
    viewsets: tuple[Dotted, ...] = ()
    #: Viewsets that are there whether its feature is on or not, such as the page that switches it on.
    ungated_viewsets: tuple[Dotted, ...] = ()
    #: Menu items other than those of viewsets, which come before them.
    menu: tuple[Dotted, ...] = ()
    #: The name of the MenuGroup that holds its entries, and where among those of other modules they stand: lower numbers first.
    menu_group: str = ""
    menu_order: int = 100
    #: Functions `(request) -> Card | Iterable[Card] | None` that put cards on the admin's home while its feature is on; see
    #: `adminkit.cards`. They check permissions themselves, and take at most two statements, whatever the number of records.
    cards: tuple[Dotted, ...] = ()
    #: Functions `(request) -> Step | None` for the list of first steps on the home of a new site.
    first_steps: tuple[Dotted, ...] = ()
    #: The roles beside admin that may work with the module's records.
    roles: tuple[str, ...] = ()
    #: What the module's places that show media are asked and told; see `media.types.MediaHolder`.
    media_holder: Dotted = ""
    #: A function `load(scale, progress)` that makes the demo records.
    demo: Dotted = ""
    #: A function that makes, idempotently, what a new site needs.
    setup: Dotted = ""

    @property
    def all_jobs(self) -> tuple[Job, ...]:
        """The periodic jobs, then those of the queues."""
        return (*self.jobs, *(Job(queue.name, queue.work, every=3600) for queue in self.queues))
