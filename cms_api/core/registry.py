"""The declarations of the installed modules, and lookups across all of them."""

from functools import cache
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from .module import AccountPage, Addition, Always, Event, Import, Job, Mail, Module, Route, Row, SettingKey, Signal, TokenPreset


@cache
def modules() -> tuple[Module, ...]:
    """Return the declarations of all installed modules, in the order of the MODULES setting."""
    return tuple(import_string(f"{package}.module.MODULE") for package in settings.MODULES)


def module_of(dotted: str) -> Module | None:
    """Return the installed module whose package contains a dotted path."""
    packages = dict(zip(settings.MODULES, modules(), strict=False))
    return next((module for package, module in packages.items() if f"{dotted}.".startswith(f"{package}.")), None)


@cache
def emitters() -> tuple[Module, ...]:
    """Return every module that declares webhook events: installed ones first, then announced ones."""
    announced = (import_string(f"{package}.module.MODULE") for package in settings.ANNOUNCED_MODULES)
    return (*modules(), *announced)


def routes() -> list[tuple[Module, Route]]:
    return [(module, route) for module in modules() for route in module.api.routes]


def nouns() -> dict[str, str]:
    """Return the names of records whose lists end like another module's, by the path of the list."""
    return {path: noun for module in modules() for path, noun in module.api.nouns.items()}


def features() -> dict[str, Module]:
    """Return the feature names of installed modules that people switch, each with the module it switches."""
    return {module.feature: module for module in modules() if module.feature and not (module.is_support or module.is_part)}


@cache
def support_features() -> dict[str, tuple[str, ...]]:
    """Return the features of support modules, each with the features of the modules that use it."""
    return {
        support.feature: tuple(module.feature for module in modules() if support.feature in module.uses)
        for support in modules()
        if support.is_support
    }


@cache
def abilities() -> dict[str, str]:
    """Return the abilities of installed modules and their descriptions."""
    return {ability: text for module in modules() for ability, text in module.api.abilities.items()}


@cache
def restrictions() -> dict[str, tuple[Module, TokenPreset]]:
    """Return the token presets with a restriction by the restriction's name, each with the module that declares it."""
    presets = ((module, preset) for module in modules() for preset in module.api.token_presets)
    return {preset.restriction.name: (module, preset) for module, preset in presets if preset.restriction}


@cache
def setting_keys() -> dict[str, SettingKey]:
    return {setting.key: setting for module in modules() for setting in module.settings}


def setting_key(key: str) -> SettingKey | None:
    """Return the declaration of a dotted key, including members of a family (`index_layout.default.events`)."""
    family = key.rpartition(".")[0] + ".*"
    return setting_keys().get(key) or setting_keys().get(family)


@cache
def _events() -> dict[str, tuple[Module, Event]]:
    return {event.kind: (module, event) for module in emitters() for event in module.api.events}


def event_kinds() -> list[str]:
    """Return every webhook event type, in the modules' order; announced ones, which are not emitted yet, included."""
    return list(_events())


def event(kind: str) -> Event:
    return _events()[kind][1]


def event_sample(kind: str) -> dict[str, Any]:
    """Return a sample payload of an event type."""
    declared = event(kind)
    return {**load(declared.document).example, **declared.sample}


def event_feature(kind: str) -> str:
    """Return the feature that an event type depends on."""
    module, event = _events()[kind]
    return event.feature or module.feature


def mails() -> dict[str, tuple[Module, Mail]]:
    """Return the mails of installed modules by name, each with the module that sends it."""
    return {mail.name: (module, mail) for module in modules() for mail in module.mails}


def mail(name: str) -> Mail:
    return mails()[name][1]


def signals() -> dict[str, Signal]:
    """Return the signals that installed modules declare, by name."""
    return {signal.name: signal for module in modules() for signal in module.signals}


def listeners(signal: str) -> list[tuple[str, str]]:
    """Return the functions that listen to a signal, each with the feature that must be on for it (empty: none)."""
    found = [(module, module.listens[signal]) for module in modules() if signal in module.listens]
    return [("" if isinstance(listener, Always) else module.feature, listener) for module, listener in found]


@cache
def beacons() -> dict[str, tuple[Module, Any]]:
    """Return the functions that answer messages of pages, by path, each with its module."""
    return {path: (module, load(dotted)) for module in modules() for path, dotted in module.pages.beacons.items()}


def contact_urls() -> list[tuple[Module, str]]:
    """Return the modules with an admin page for contacts, and the function that returns its URL."""
    return [(module, module.admin.contact_url) for module in modules() if module.admin.contact_url]


def imports() -> dict[str, tuple[Module, Import]]:
    """Return the import types of installed modules by name, each with the module whose records it creates."""
    return {kind.name: (module, kind) for module in modules() for kind in module.records.imports}


def rows() -> dict[str, tuple[Module, Row]]:
    """Return the page row types of installed modules by name, each with the module that declares it."""
    return {row.name: (module, row) for module in modules() for row in module.pages.rows}


def additions(record: str) -> list[tuple[Module, Addition]]:
    """Return what modules add to the pages of a kind of record, in the modules' order."""
    return [(module, addition) for module in modules() for addition in module.pages.additions if addition.record == record]


@cache
def payables() -> dict[str, Any]:
    """Return the kinds of records that customers pay for, by the name that payments store."""
    return {name: load(dotted) for module in modules() for name, dotted in module.records.payables.items()}


def account_pages() -> list[tuple[Module, AccountPage]]:
    """Return the pages that modules offer signed-in visitors."""
    return [(module, page) for module in modules() for page in module.pages.account_pages]


def jobs() -> list[Job]:
    return [job for module in modules() for job in module.all_jobs]


def load(dotted: str) -> Any:
    """Import what a dotted path in a declaration names."""
    return import_string(dotted)
