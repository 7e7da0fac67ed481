"""System checks of the module declarations: a mistake stops the start instead of breaking a visitor's request."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_permission_codename
from django.core.checks import CheckMessage, Error
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.module_loading import import_string

from cms_api.adminkit.viewset import RecordViewSet
from cms_api.core import registry
from cms_api.core.module import (
    ABILITY_GROUPS,
    ADMINS,
    ANY,
    EVERY_MAIL,
    MENU_GROUPS,
    PUBLIC,
    ROW_PLACES,
    Import,
    Mail,
    Module,
    Restriction,
    Route,
    Row,
)
from cms_api.core.vocabulary import ABILITIES, FEATURES
from cms_api.fields.texts import is_email
from cms_api.rows import RowBlock
from cms_api.text.placeholders import mistakes

ROLES = ("manager", "editor")


def check_modules() -> list[CheckMessage]:
    packages = zip((*settings.MODULES, *settings.ANNOUNCED_MODULES), registry.emitters(), strict=False)
    outside = [message for package, module in packages for message in check_paths_are_inside(package, module)]
    return [*outside, *check_declarations(registry.emitters())]


def check_address() -> list[CheckMessage]:
    """Check the business's address: without it, every form that sends email would be refused."""
    address = settings.DEFAULT_FROM_EMAIL.rpartition("<")[2].removesuffix(">")
    return [] if is_email(address) else [Error(f"BUSINESS_EMAIL is no email address: {address!r}.", id="core.E014")]


def check_declarations(modules: tuple[Module, ...]) -> list[CheckMessage]:
    """Return every mistake in the given declarations."""
    rules: tuple[Callable[[tuple[Module, ...]], Iterator[CheckMessage]], ...] = (
        _names_are_unique,
        _names_are_known,
        _routes_are_guarded,
        _requirements_have_no_circle,
        _paths_resolve,
        _menu_entries_have_a_group,
        _viewsets_are_whole,
        _permissions_exist,
        _mails_have_words,
        _imports_are_whole,
        _rows_are_whole,
        _restrictions_are_whole,
        _additions_have_a_page,
    )
    return [message for rule in rules for message in rule(modules)]


def _names_are_unique(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    kinds = {
        "module name": [module.name for module in modules],
        "feature": [module.feature for module in modules if module.feature and not module.is_part],
        "ability": [ability for module in modules for ability in module.api.abilities],
        "settings key": [setting.key for module in modules for setting in module.settings],
        "job": [job.name for module in modules for job in module.all_jobs],
        "event": [event.kind for module in modules for event in module.api.events],
        "signal": [signal.name for module in modules for signal in module.signals],
        "mail": [mail.name for module in modules for mail in module.mails],
        "import": [kind.name for module in modules for kind in module.records.imports],
        "row": [row.name for module in modules for row in module.pages.rows],
        "record page": [record for module in modules for record in module.pages.record_pages],
        "route": [route.path for module in modules for route in module.api.routes],
        "restriction": [each.name for module in modules for each in _restrictions(module)],
    }
    for kind, names in kinds.items():
        for name, times in Counter(names).items():
            if times > 1:
                yield Error(f"The {kind} {name!r} is declared {times} times.", id="core.E001")


def _names_are_known(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    support = {module.feature for module in modules if module.is_support}
    whole: set[str] = set()
    for module in modules:
        if module.is_part and module.feature not in whole:
            yield Error(
                f"{module.name}: no lower module has the feature {module.feature!r}, of which it is a part.", id="core.E023"
            )
        whole |= {module.feature}
        if module.feature and not module.is_support and module.feature not in FEATURES:
            yield Error(f"{module.name}: the feature {module.feature!r} is not in core.vocabulary.", id="core.E002")
        for signal in module.listens:
            if not _is_signal(signal, modules):
                yield Error(f"{module.name}: it listens to {signal!r}, which no module declares.", id="core.E017")
        for required in module.requires:
            if required not in FEATURES:
                yield Error(f"{module.name}: the required feature {required!r} is not in core.vocabulary.", id="core.E002")
        if module.is_support and (not module.feature or module.feature in FEATURES):
            yield Error(f"{module.name}: a support module has a feature of its own that nobody switches.", id="core.E015")
        if module.uses and not module.feature:
            yield Error(f"{module.name}: only a module with a feature may use a support module.", id="core.E015")
        for used in module.uses:
            if used not in support:
                yield Error(f"{module.name}: it uses {used!r}, which is no support module.", id="core.E015")
        if module.api.group not in ABILITY_GROUPS:
            yield Error(f"{module.name}: the ability group {module.api.group!r} is not one of {ABILITY_GROUPS}.", id="core.E003")
        for ability in module.api.abilities:
            if ability not in ABILITIES:
                yield Error(f"{module.name}: the ability {ability!r} is not in core.vocabulary.", id="core.E004")
        for preset in module.api.token_presets:
            if not preset.abilities or not set(preset.abilities) <= module.api.abilities.keys():
                yield Error(
                    f"{module.name}: the token preset {preset.title!r} has an ability of no or another module.", id="core.E004"
                )
        for role in {*module.admin.roles, *chain(*module.admin.model_roles.values())}:
            if role not in ROLES:
                yield Error(f"{module.name}: the role {role!r} is not one of {ROLES}.", id="core.E005")


def _is_signal(name: str, modules: tuple[Module, ...]) -> bool:
    """Return whether a name can be listened to: a declared signal, a kind of webhook event, or a setting."""
    if name.startswith("setting:"):
        return registry.setting_key(name.removeprefix("setting:")) is not None
    return any(name == signal.name for module in modules for signal in module.signals) or any(
        name == event.kind for module in modules for event in module.api.events
    )


def _routes_are_guarded(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    declared = {ability for module in modules for ability in module.api.abilities}
    for module in modules:
        for route in module.api.routes:
            yield from _route_is_guarded(module, route, declared)


def _route_is_guarded(module: Module, route: Route, declared: set[str]) -> Iterator[CheckMessage]:
    if not route.abilities:
        yield Error(f"{module.name}: the route {route.path!r} names no ability.", id="core.E006")
    for method, ability in route.abilities.items():
        if method not in {"GET", "POST", "PATCH", "DELETE"}:
            yield Error(f"{module.name}: the route {route.path!r} names the method {method!r}.", id="core.E007")
        if ability not in declared | {PUBLIC, ANY}:
            yield Error(f"{module.name}: {method} {route.path!r} needs the undeclared ability {ability!r}.", id="core.E008")


def _requirements_have_no_circle(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    needs = {module.feature: module.requires for module in modules if module.feature}

    def reaches(feature: str, target: str, seen: frozenset[str]) -> bool:
        return any(
            required == target or (required not in seen and reaches(required, target, seen | {required}))
            for required in needs.get(feature, ())
        )

    for feature in needs:
        if reaches(feature, feature, frozenset()):
            yield Error(f"The feature {feature!r} requires itself.", id="core.E009")


def _paths_resolve(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    for module in modules:
        for dotted in _paths(module):
            try:
                import_string(dotted)
            except ImportError as problem:
                yield Error(f"{module.name}: {dotted} cannot be imported ({problem}).", id="core.E010")
        for route in module.api.routes:
            yield from _view_answers(module, route)


def _menu_entries_have_a_group(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    names = [group.name for group in MENU_GROUPS]
    for module in modules:
        if module.admin.menu_group:
            if module.admin.menu_group not in names:
                yield Error(f"{module.name}: the menu group {module.admin.menu_group!r} is not one of {names}.", id="core.E020")
        elif module.admin.menu or any(map(_has_menu_entry, (*module.admin.viewsets, *module.admin.ungated_viewsets))):
            yield Error(f"{module.name}: it has menu entries, and names no menu group for them.", id="core.E020")


def _has_menu_entry(viewset: str) -> bool:
    try:
        return bool(import_string(viewset).menu_label)
    except ImportError:
        return False


def _viewsets_are_whole(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    for module in modules:
        for dotted in (*module.admin.viewsets, *module.admin.ungated_viewsets):
            try:
                found = import_string(dotted)
            except ImportError:
                # Reported together with the other paths.
                continue
            for viewset in getattr(found, "registerables", (found,)):
                for missing in viewset.missing() if isinstance(viewset, RecordViewSet) else ():
                    yield Error(
                        f"{module.name}: {type(viewset).__name__} has no {missing!r}, which its pages need.", id="core.E021"
                    )


def _permissions_exist(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    known = {ADMINS}
    for options in (model._meta for model in apps.get_models()):
        codenames = (
            *(get_permission_codename(action, options) for action in options.default_permissions),
            *dict(options.permissions),
        )
        known |= {f"{options.app_label}.{codename}" for codename in codenames}
    for module in modules:
        for dotted, permission in (*module.admin.cards.items(), *module.admin.first_steps.items()):
            if permission not in known:
                yield Error(f"{module.name}: {dotted} needs {permission!r}, which is no permission.", id="core.E025")


def check_paths_are_inside(package: str, module: Module) -> list[CheckMessage]:
    """Report dotted paths of a declaration that are outside the module's own package."""
    return [
        Error(f"{module.name}: {dotted} lies outside {package}.", id="core.E019")
        for dotted in _paths(module)
        if not dotted.startswith(f"{package}.")
    ]


def _paths(module: Module) -> list[str]:
    """Return every dotted path of a declaration."""
    api, pages, admin, records = module.api, module.pages, module.admin, module.records
    paths = [
        *(route.view for route in api.routes),
        *(dotted for each in _restrictions(module) for dotted in (*each.views.values(), each.scope_choices)),
        *(job.function for job in module.jobs),
        *(dotted for event in api.events for dotted in (event.document, event.resource)),
        *(dotted for kind in records.imports for dotted in (kind.read, kind.write, kind.match)),
        *(row.block for row in pages.rows),
        *(addition.present for addition in pages.additions),
        *(queue.work for queue in module.queues),
        *(setting.check for setting in module.settings),
        *(*admin.viewsets, *admin.ungated_viewsets, *admin.menu, *admin.cards, *admin.first_steps, admin.contact_url),
        *(pages.urls, pages.ungated_urls, pages.sitemap, *pages.searches, pages.footer_links),
        *(records.media_usage, records.demo, records.setup, *records.payables.values()),
        *module.listens.values(),
    ]
    return [dotted for dotted in paths if dotted]


def _restrictions(module: Module) -> list[Restriction]:
    return [preset.restriction for preset in module.api.token_presets if preset.restriction]


def _restrictions_are_whole(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    for module in modules:
        routes = {route.path for route in module.api.routes}
        for each in _restrictions(module):
            if not _RESTRICTION_NAME.fullmatch(each.name) or not each.views or bool(each.scope) != bool(each.scope_choices):
                yield Error(f"{module.name}: the restriction {each.name!r} lacks a name, views or its scope.", id="core.E024")
            for path in set(each.views) - routes:
                yield Error(f"{module.name}: the restriction {each.name!r} names {path!r}, which is no route.", id="core.E024")


def _view_answers(module: Module, route: Route) -> Iterator[CheckMessage]:
    try:
        view = import_string(route.view)
    except ImportError:
        return
    for method in route.abilities:
        if not hasattr(getattr(view, method.lower(), None), "operation"):
            yield Error(f"{module.name}: {route.view} does not describe an operation for {method}.", id="core.E011")


_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_RESTRICTION_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ROW_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")


def _mails_have_words(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    for module in modules:
        for mail in module.mails:
            for mistake in _mail_mistakes(mail):
                yield Error(f"{module.name}: the mail {mail.name!r}: {mistake}", id="core.E013")


def _imports_are_whole(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    for module in modules:
        for kind in module.records.imports:
            for mistake in _import_mistakes(module, kind):
                yield Error(f"{module.name}: the import {kind.name!r}: {mistake}", id="core.E016")


def _import_mistakes(module: Module, kind: Import) -> Iterator[str]:
    if not _NAME.fullmatch(kind.name):
        yield "this is no name for an import."
    if not module.feature:
        yield "only a module with a feature may have imports."
    named = [*(column.name for column in kind.columns), *(option.name for option in kind.options)]
    # Where rows are matched with records, those of known ones need no column but the key.
    has_required = bool(kind.match) or any(column.required for column in kind.columns)
    if len(set(named)) < len(named) or not has_required:
        yield "its columns and options must have different names, and one column must be required."
    label, _, codename = kind.permission.partition(".")
    try:
        apps.get_model(label, codename.removeprefix("add_"))
    except LookupError:
        yield f"there is no permission {kind.permission!r} to add a record."
    else:
        if not codename.startswith("add_"):
            yield f"{kind.permission!r} does not allow adding a record."


def _rows_are_whole(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    for module in modules:
        for row in module.pages.rows:
            for mistake in _row_mistakes(row):
                yield Error(f"{module.name}: the row {row.name!r}: {mistake}", id="core.E018")


def _row_mistakes(row: Row) -> Iterator[str]:
    if not _ROW_NAME.fullmatch(row.name):
        yield "a row's name has up to 50 small letters, digits and underscores, and begins with a letter."
        return
    if row.where not in ROW_PLACES:
        yield f"its position {row.where!r} is not one of {ROW_PLACES}."
    try:
        block = import_string(row.block)
    except ImportError:
        # Reported together with the other paths.
        return
    if not (isinstance(block, type) and issubclass(block, RowBlock)):
        yield f"{row.block} is no RowBlock."
    elif block.has_template:
        try:
            get_template(f"rows/{row.name}.html")
        except TemplateDoesNotExist:
            yield f"there is no template rows/{row.name}.html."


def _additions_have_a_page(modules: tuple[Module, ...]) -> Iterator[CheckMessage]:
    known = {record for module in modules for record in module.pages.record_pages}
    for module in modules:
        for addition in module.pages.additions:
            if addition.record not in known:
                yield Error(f"{module.name}: it adds to pages of {addition.record!r}, which no module has.", id="core.E022")


def _mail_mistakes(mail: Mail) -> Iterator[str]:
    if not _NAME.fullmatch(mail.name) or mail.name == "layout":
        yield "this is no name for a mail."
        return
    if mail.placeholders.keys() & EVERY_MAIL.keys():
        yield "it has a placeholder that every mail has."
    known = {*mail.placeholders, *EVERY_MAIL}
    yield from mistakes(mail.subject, known)
    for path in (f"mail/{mail.name}.txt", f"mail/{mail.name}.html"):
        try:
            template: Any = get_template(path)
        except TemplateDoesNotExist:
            yield f"there is no template {path}."
        else:
            yield from mistakes(template.template.source, known)
