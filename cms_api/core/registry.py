"""The installed modules' declarations, and what the platform reads from all of them together."""

from functools import cache
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from .module import AccountPage, Always, Event, Import, Job, Mail, Module, Route, Row, SettingKey, Signal


@cache
def modules() -> tuple[Module, ...]:
    """Every installed module's declaration, in the order of the MODULES setting."""
    return tuple(import_string(f"{package}.module.MODULE") for package in settings.MODULES)


def module_of(dotted: str) -> Module | None:
    """The installed module in whose package a dotted path lies."""
    packages = dict(zip(settings.MODULES, modules(), strict=False))
    return next((module for package, module in packages.items() if f"{dotted}.".startswith(f"{package}.")), None)


@cache
def emitters() -> tuple[Module, ...]:
    """Every module whose webhook events are declared: the installed ones, then those that are announced."""
    announced = (import_string(f"{package}.module.MODULE") for package in settings.ANNOUNCED_MODULES)
    return (*modules(), *announced)


def routes() -> list[tuple[Module, Route]]:
    return [(module, route) for module in modules() for route in module.routes]


def features() -> dict[str, Module]:
    """The feature names of installed modules and the module that each switches."""
    return {module.feature: module for module in modules() if module.feature}


@cache
def abilities() -> dict[str, str]:
    """The abilities of installed modules and what each allows."""
    return {ability: text for module in modules() for ability, text in module.abilities.items()}


@cache
def setting_keys() -> dict[str, SettingKey]:
    return {setting.key: setting for module in modules() for setting in module.settings}


def setting_key(key: str) -> SettingKey | None:
    """The declaration of a dotted key, a member of a family (`index_layout.default.events`) included."""
    family = key.rpartition(".")[0] + ".*"
    return setting_keys().get(key) or setting_keys().get(family)


@cache
def _events() -> dict[str, tuple[Module, Event]]:
    return {event.kind: (module, event) for module in emitters() for event in module.events}


def event_kinds() -> list[str]:
    """Every kind of webhook event there is, in the modules' order; those of announced modules do not happen yet."""
    return list(_events())


def event(kind: str) -> Event:
    return _events()[kind][1]


def event_sample(kind: str) -> dict[str, Any]:
    """The payload of a kind of event as it may come."""
    declared = event(kind)
    return {**load(declared.document).example, **declared.sample}


def event_feature(kind: str) -> str:
    """The switch that a kind of event depends on."""
    module, event = _events()[kind]
    return event.feature or module.feature


def mails() -> dict[str, tuple[Module, Mail]]:
    """The mails of installed modules by their names, and the module that sends each."""
    return {mail.name: (module, mail) for module in modules() for mail in module.mails}


def mail(name: str) -> Mail:
    return mails()[name][1]


def signals() -> dict[str, Signal]:
    """What installed modules declare that others may listen to, by name."""
    return {signal.name: signal for module in modules() for signal in module.signals}


def listeners(signal: str) -> list[tuple[str, str]]:
    """The functions that listen to a signal, each behind the feature that must be on for it (empty: none)."""
    found = [(module, module.listens[signal]) for module in modules() if signal in module.listens]
    return [("" if isinstance(listener, Always) else module.feature, listener) for module, listener in found]


def contact_urls() -> list[tuple[Module, str]]:
    """The modules that have a page for contacts in the admin, and the function that gives its address."""
    return [(module, module.contact_url) for module in modules() if module.contact_url]


def imports() -> dict[str, tuple[Module, Import]]:
    """The kinds of imports of installed modules by their names, and the module whose records each makes."""
    return {kind.name: (module, kind) for module in modules() for kind in module.imports}


def rows() -> dict[str, tuple[Module, Row]]:
    """The kinds of page rows of installed modules by their names, and the module that declares each."""
    return {row.name: (module, row) for module in modules() for row in module.rows}


def account_pages() -> list[tuple[Module, AccountPage]]:
    """The pages that modules have for whoever is signed in on the site."""
    return [(module, page) for module in modules() for page in module.account_pages]


def jobs() -> list[Job]:
    return [job for module in modules() for job in module.all_jobs]


def load(dotted: str) -> Any:
    """The thing a dotted path in a declaration names."""
    return import_string(dotted)
