"""Declared for the admin: viewsets, the menu, the home's cards, and the roles that work with the records."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .types import Dotted

#: Instead of the permission of a card or a first step: only superusers see it.
ADMINS = "admins"


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


@dataclass(frozen=True)
class Admin:
    """A module's part of the admin."""

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
    #: Functions `(request) -> Card | Iterable[Card] | None` that add cards to the admin home while its feature is on, each with
    #: the permission that a user needs: `shop.view_order`, or ADMINS; see `adminkit.cards`. They run at most two statements,
    #: however many records there are.
    cards: Mapping[Dotted, str] = field(default_factory=dict)
    #: Functions `(request) -> Step | None` for the list of first steps on a new site's admin home, each with the permission that
    #: a user needs.
    first_steps: Mapping[Dotted, str] = field(default_factory=dict)
    #: The roles besides admin that may work with the module's records.
    roles: tuple[str, ...] = ()
    #: Models that not all of these roles may work with: the model's name to those that may.
    model_roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: A function that takes a contact's id and returns the URL of its page in the admin.
    contact_url: Dotted = ""
