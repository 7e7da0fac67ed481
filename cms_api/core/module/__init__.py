"""The declaration of a module; everything the platform knows about the module is derived from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .admin import ADMINS, MENU_GROUPS, Admin, MenuGroup
from .api import ABILITY_GROUPS, ANY, PUBLIC, Api, Event, Restriction, Route, TokenPreset
from .mails import EVERY_MAIL, Block, Mail, Placeholder
from .pages import ROW_PLACES, AccountPage, Addition, FooterLink, HeaderLink, Pages, PageScript, Row
from .records import Import, ImportColumn, ImportOption, Match, Outcome, Records
from .types import Dotted
from .work import Always, Job, Queue, SettingKey, Signal

__all__ = [
    "ABILITY_GROUPS",
    "ADMINS",
    "ANY",
    "EVERY_MAIL",
    "MENU_GROUPS",
    "PUBLIC",
    "ROW_PLACES",
    "AccountPage",
    "Addition",
    "Admin",
    "Always",
    "Api",
    "Block",
    "Event",
    "FooterLink",
    "HeaderLink",
    "Import",
    "ImportColumn",
    "ImportOption",
    "Job",
    "Mail",
    "Match",
    "MenuGroup",
    "Module",
    "Outcome",
    "PageScript",
    "Pages",
    "Placeholder",
    "Queue",
    "Records",
    "Restriction",
    "Route",
    "Row",
    "SettingKey",
    "Signal",
    "TokenPreset",
]


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
    #: Its routes with their abilities, and its webhook events.
    api: Api = field(default_factory=Api)
    #: Its pages for visitors, and what it adds to others.
    pages: Pages = field(default_factory=Pages)
    #: Its pages in the admin, its cards on the home there, and the roles that work with it.
    admin: Admin = field(default_factory=Admin)
    #: How its records are imported, numbered, paid for and made for a new site.
    records: Records = field(default_factory=Records)
    settings: tuple[SettingKey, ...] = ()
    #: Mails that its services send.
    mails: tuple[Mail, ...] = ()
    #: Signals that other modules may listen to.
    signals: tuple[Signal, ...] = ()
    #: Reactions to other modules: signal name to the dotted path of a function. The function is called in the transaction of the
    #: change, and only while this module's feature is on unless the path is `Always`. Valid names are declared signals, webhook
    #: event types (called with the record) and `setting:<key>` (called without arguments when the value changes).
    listens: Mapping[str, Dotted] = field(default_factory=dict)
    jobs: tuple[Job, ...] = ()
    #: Work of the worker besides the task queue.
    queues: tuple[Queue, ...] = ()

    @property
    def all_jobs(self) -> tuple[Job, ...]:
        """The periodic jobs, followed by those of the queues."""
        return (*self.jobs, *(Job(queue.name, queue.work, every=3600) for queue in self.queues))
