"""The one declaration a module makes of itself; everything the platform knows about it is derived from this."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Said aloud in a route's abilities where no token is needed.
PUBLIC = "public"

#: The headings of the token dialog, in its order.
ABILITY_GROUPS = ("Content", "Forms", "Contacts", "Commerce", "Platform")

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
    """Work that is done again and again: a function without arguments, and how many seconds lie between two runs."""

    name: str
    function: Dotted
    every: int


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
    #: The URL patterns of its public pages (`urlpatterns` of the module's `urls.py`).
    pages: Dotted = ""
    #: Those of its pages that the account's own page leads to while its feature is on.
    account_pages: tuple[AccountPage, ...] = ()
    #: A function that gives the module's sections of the sitemap: Django's `Sitemap`s by a name that fits into an address.
    sitemap: Dotted = ""
    #: Kinds of webhook events that its services emit.
    events: tuple[Event, ...] = ()
    #: The mails that its services send.
    mails: tuple[Mail, ...] = ()
    #: A function that is called with what a form received (`cms_api.forms.types.Received`), in the same transaction and while
    #: the feature is on; it gives the id of the contact that it found or made, or None.
    captures: Dotted = ""
    #: A function that gives the address, in the admin, of a contact whose id `captures` gave.
    captured_url: Dotted = ""
    #: A function that is called with every content item that stands by itself, in the transaction of each write of it and
    #: after it is stored; it brings what the module makes of the item in line.
    follows_items: Dotted = ""
    #: A function that is called with the mails that were just queued, in the same transaction and while the feature is on.
    follows_mails: Dotted = ""
    #: The kinds of CSV files that become its records; they are there while its feature is on.
    imports: tuple[Import, ...] = ()
    #: A function that is called with an account and whether it is new: in the transaction in which its first address becomes
    #: confirmed (new), and in that of each later change of its name or address. It is called whether the feature is on or not.
    follows_accounts: Dotted = ""
    #: A function that is called with the address that an account had and the one that it has from now on, both confirmed: in the
    #: transaction of the change, before a mail of it is written, and while the feature is on.
    follows_addresses: Dotted = ""
    #: A function that is called with somebody who became a member for the first time (`commerce.members.models.Member`), in the
    #: same transaction and while the feature is on.
    follows_members: Dotted = ""
    jobs: tuple[Job, ...] = ()
    #: Classes with `start()` and `stop()` that a worker runs beside the task queue.
    runners: tuple[Dotted, ...] = ()
    settings: tuple[SettingKey, ...] = ()
    #: Settings keys, of any module, and the function without arguments that is called in the transaction in which one changes.
    follows_settings: Mapping[str, Dotted] = field(default_factory=dict)
    #: Dotted paths of Wagtail viewsets, and of menu items, in the admin menu's order.
    viewsets: tuple[Dotted, ...] = ()
    menu: tuple[Dotted, ...] = ()
    #: The roles beside admin that may work with the module's records.
    roles: tuple[str, ...] = ()
    #: What the module's places that show media are asked and told; see `media.types.MediaHolder`.
    media_holder: Dotted = ""
    #: A function `load(scale, progress)` that makes the demo records.
    demo: Dotted = ""
    #: A function that makes, idempotently, what a new site needs.
    setup: Dotted = ""
