"""The system checks of module declarations: each mistake is caught, and named."""

from dataclasses import replace
from typing import Any

import pytest
from django.core.checks import run_checks

from cms_api.core import registry
from cms_api.core.checks import check_declarations
from cms_api.core.module import Job, Module, Route, SettingKey

VIEW = "cms_api.content.api.ContentItems"
GOOD = Module(
    name="good",
    title="Good",
    description="A module without a mistake.",
    feature="crm",
    abilities={"crm:read": "Read", "crm:write": "Write"},
    routes=(Route("good", VIEW, {"GET": "crm:read", "POST": "crm:write"}),),
    jobs=(Job("good", "cms_api.content.services.items.publish_due_items", every=60),),
    settings=(SettingKey("good.key", str, "", "Help"),),
)
OTHER = Module(name="other", title="Other", description="Another.", feature="shop")


def ids(*modules: Module) -> set[str]:
    return {message.id for message in check_declarations(modules)}


def test_it_works() -> None:
    assert check_declarations((GOOD, OTHER)) == []


def test_the_installed_modules_have_no_mistake() -> None:
    assert check_declarations(registry.modules()) == []
    assert [message for message in run_checks(tags=["modules"]) if message.is_serious()] == []


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "a route without an ability": ({"routes": (Route("good", VIEW, {}),)}, "core.E006"),
    "a method that is not answered": ({"routes": (Route("good", VIEW, {"PURGE": "crm:read"}),)}, "core.E007"),
    "a method in small letters": ({"routes": (Route("good", VIEW, {"get": "crm:read"}),)}, "core.E007"),
    "an ability that nobody declares": ({"routes": (Route("good", VIEW, {"GET": "shop:read"}),)}, "core.E008"),
    "an ability without a name": ({"routes": (Route("good", VIEW, {"GET": ""}),)}, "core.E008"),
    "an unknown ability": ({"abilities": {"crm:read": "", "crm:write": "", "crm:fly": ""}}, "core.E004"),
    "an unknown feature": ({"feature": "flying"}, "core.E002"),
    "an unknown group": ({"group": "Everything"}, "core.E003"),
    "an unknown role": ({"roles": ("owner",)}, "core.E005"),
    "the admin as a role": ({"roles": ("admin",)}, "core.E005"),
    "a route twice": ({"routes": GOOD.routes * 2}, "core.E001"),
    "a job twice": ({"jobs": GOOD.jobs * 2}, "core.E001"),
    "a settings key twice": ({"settings": GOOD.settings * 2}, "core.E001"),
    "a view that is not there": ({"routes": (Route("good", "cms_api.content.api.Nothing", {"GET": "crm:read"}),)}, "core.E010"),
    "a view in a module that is not there": ({"routes": (Route("good", "no.such.View", {"GET": "crm:read"}),)}, "core.E010"),
    "a job that is not there": ({"jobs": (Job("good", "cms_api.content.services.items.nothing", 60),)}, "core.E010"),
    "a viewset that is not there": ({"viewsets": ("cms_api.content.admin.NOTHING",)}, "core.E010"),
    "a menu item that is not there": ({"menu": ("cms_api.nowhere.ITEM",)}, "core.E010"),
    "pages that are not there": ({"pages": "cms_api.content.urls.nothing"}, "core.E010"),
    "demo data that is not there": ({"demo": "cms_api.content.demo.nothing"}, "core.E010"),
    "a set-up that is not there": ({"setup": "cms_api.content.services.builtin.nothing"}, "core.E010"),
    "a requirement of itself": ({"requires": ("crm",)}, "core.E009"),
    "a method that the view does not have": (
        {"routes": (Route("good", VIEW, {"GET": "crm:read", "DELETE": "crm:write"}),)},
        "core.E011",
    ),
    "a view that is no endpoint": ({"routes": (Route("good", "datetime.datetime", {"GET": "crm:read"}),)}, "core.E011"),
    "an unknown requirement": ({"requires": ("flying",)}, "core.E002"),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_caught(changes: dict[str, Any], expected: str) -> None:
    assert expected in ids(replace(GOOD, **changes), OTHER)


TWICE: dict[str, dict[str, Any]] = {
    "the same name": {"name": "good"},
    "the same feature": {"feature": "crm"},
    "the same ability": {"abilities": {"crm:read": ""}},
    "the same route": {"routes": GOOD.routes},
    "the same job": {"jobs": GOOD.jobs},
    "the same settings key": {"settings": GOOD.settings},
}


@pytest.mark.parametrize("changes", TWICE.values(), ids=TWICE)
def test_two_modules_cannot_share(changes: dict[str, Any]) -> None:
    assert ids(GOOD, replace(OTHER, **changes)) == {"core.E001"}


def test_a_circle_of_requirements_is_caught() -> None:
    one, two = replace(GOOD, requires=("shop",)), replace(OTHER, requires=("booking",))
    three = Module(name="three", title="", description="", feature="booking", requires=("crm",))
    assert "core.E009" not in ids(one, two)
    messages = [message for message in check_declarations((one, two, three)) if message.id == "core.E009"]
    assert len(messages) == 3


def test_a_message_names_the_module_and_the_mistake() -> None:
    (message,) = check_declarations((replace(GOOD, group="Everything"),))
    assert message.msg.startswith("good: the ability group 'Everything'")


def test_routes_know_the_methods_they_answer() -> None:
    route = Route("x", VIEW, {"GET": "crm:read", "PATCH": "crm:write", "POST": "crm:write", "DELETE": "crm:write"})
    assert route.methods == ("GET", "HEAD", "PATCH", "PUT", "POST", "DELETE")
    assert (route.ability("HEAD"), route.ability("PUT")) == ("crm:read", "crm:write")
