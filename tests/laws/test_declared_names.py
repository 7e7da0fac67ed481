"""Every name in a declaration is used: events are emitted unless they are announced, mails are queued, settings are read."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from cms_api.core import registry
from cms_api.core.module import Api, Event, Mail, Module, SettingKey

from .imports import PACKAGES, ROOT

#: The functions that take a declared name, and the keyword by which they may take it.
EMIT, QUEUE, READ = ("emit", "kind"), ("queue", "template"), ("get_setting", "key")
ALSO = {"emit_all": "emit", "get_words": "get_setting"}
#: Rooms in which a settings key stands without being read.
SILENT = {"module", "demo", "admin", "management", "migrations"}


@dataclass
class Names:
    """The names in a piece of source: every text in it, and what each function is called with."""

    texts: set[str] = field(default_factory=set)
    #: Texts and patterns of f-strings that a function's first argument, or that of a keyword, may be.
    arguments: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def mentions(self, function: tuple[str, str], name: str) -> bool:
        return name in self.texts or self.has_argument(function, name)

    def has_argument(self, function: tuple[str, str], name: str) -> bool:
        return any(re.fullmatch(pattern, name) for pattern in self.arguments.get(function, ()))


def names_in(sources: Iterable[str]) -> Names:
    found = Names()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.texts.add(node.value)
            elif isinstance(node, ast.Call):
                named = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                called = ALSO.get(named, named)
                for function in (EMIT, QUEUE, READ):
                    if called == function[0]:
                        found.arguments.setdefault(function, set()).update(_patterns(node, function[1]))
    return found


def _patterns(call: ast.Call, keyword: str) -> Iterator[str]:
    """The name that a call passes, as a pattern; none for a variable."""
    passed = [*call.args[:1], *(each.value for each in call.keywords if each.arg == keyword)]
    for argument in passed:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield re.escape(argument.value)
        elif isinstance(argument, ast.JoinedStr):
            parts = [re.escape(str(each.value)) if isinstance(each, ast.Constant) else ".+" for each in argument.values]
            if any(part != ".+" for part in parts):
                yield "".join(parts)


def services_of(package: str) -> Iterator[str]:
    folder = ROOT / package.replace(".", "/")
    return (path.read_text() for path in (folder / "services.py", *folder.glob("services/**/*.py")) if path.exists())


def readers() -> Iterator[str]:
    """The source of every file that reads settings."""
    names = [READ[0], *(name for name, function in ALSO.items() if function == READ[0])]
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if SILENT & {*path.relative_to(ROOT).with_suffix("").parts}:
                continue
            source = path.read_text()
            if any(name in source for name in names):
                yield source


def unused(module: Module, services: Names, everywhere: Names) -> set[str]:
    """The events, mails and settings of a declaration that no code uses, and announced events that are emitted.

    An event must be an argument of `emit`; one without a resource is announced, and must not be. A mail or a setting may reach
    its function by a constant, so its name must stand somewhere in the module's services, or in code that reads settings; an
    f-string counts as an argument only.
    """
    return {
        *(event.kind for event in module.api.events if bool(event.resource) != services.has_argument(EMIT, event.kind)),
        *(mail.name for mail in module.mails if not services.mentions(QUEUE, mail.name)),
        *(setting.key for setting in module.settings if not everywhere.mentions(READ, setting.key)),
    }


def test_it_works() -> None:
    everywhere = names_in(readers())
    found = {
        module.name: unused(module, names_in(services_of(package)), everywhere)
        for package, module in zip(settings.MODULES, registry.modules(), strict=True)
    }
    assert {name: missing for name, missing in found.items() if missing} == {}


def test_the_source_is_found() -> None:
    for package, module in zip(settings.MODULES, registry.modules(), strict=True):
        assert list(services_of(package)) or not (module.api.events or module.mails), package
    assert names_in(readers()).has_argument(READ, "site.timezone")


PLANTED = Module(
    name="planted",
    title="Planted",
    description="Of the tests.",
    api=Api(
        events=(Event("plant.grown", "", "", "resource"), Event("plant.cut", "", "", "resource"), Event("seed.sold", "", ""))
    ),
    mails=(Mail("plant_grown", "", ""), Mail("plant_cut", "", "")),
    settings=(SettingKey("plants.water", int, 1, ""), SettingKey("plants.colour.*", str, "", "")),
)
ALL = {"plant.grown", "plant.cut", "plant_grown", "plant_cut", "plants.water", "plants.colour.*"}


def judged(source: str) -> set[str]:
    return unused(PLANTED, names_in([source]), names_in([source]))


def test_unused_names_are_reported() -> None:
    assert judged("") == ALL
    assert judged("'''Emits plant.grown and queues plant_grown.'''  # plants.water") == ALL


def test_used_names_are_not_reported() -> None:
    assert judged('emit("plant.grown", plant); outbox.emit_all(kind="plant.cut")') == ALL - {"plant.grown", "plant.cut"}
    assert judged('MAIL = "plant_grown"; queue(template="plant_cut")') == ALL - {"plant_grown", "plant_cut"}
    assert judged('read("plants.water"); get_setting(f"plants.colour.{name}")') == ALL - {"plants.water", "plants.colour.*"}


def test_an_f_string_counts_where_it_is_the_argument() -> None:
    assert judged('emit(f"plant.{verb}", plant)') == ALL - {"plant.grown", "plant.cut"}
    assert judged('queue(template=f"{kind}_cut")') == ALL - {"plant_cut"}
    assert judged('emit(f"{anything}", plant); log(f"plant.{verb}"); log(f"plants.{key}")') == ALL


def test_a_kind_of_event_must_be_emitted() -> None:
    """A kind that is only compared with, or listened to, does not happen."""
    assert judged('is_kind = kind == "plant.grown"') == ALL


def test_an_announced_event_must_not_be_emitted() -> None:
    assert judged('emit("seed.sold", plant)') == ALL | {"seed.sold"}


def test_declarations_do_not_count_as_use() -> None:
    declared = Path(ROOT / "events/module.py").read_text()
    assert "events.rsvp" in names_in([declared]).texts
    assert declared not in list(readers())
