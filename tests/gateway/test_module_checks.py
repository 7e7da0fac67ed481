"""The system checks of module declarations: each mistake is caught, and named."""

from dataclasses import replace
from typing import Any

import pytest
from django.core.checks import run_checks

from cms_api.comments.admin import COMMENTS
from cms_api.core import registry
from cms_api.core.module import (
    ADMINS,
    Addition,
    Admin,
    Api,
    Event,
    Import,
    ImportColumn,
    ImportOption,
    Job,
    Mail,
    Module,
    Pages,
    Placeholder,
    Records,
    Restriction,
    Route,
    Row,
    SettingKey,
    TokenPreset,
)
from cms_api.gateway.checks import check_declarations, check_paths_are_inside
from commerce.crm.module import MODULE as CRM
from tests.modules import changed

VIEW = "cms_api.content.api.ContentItems"
PLACEHOLDER = Placeholder("Its address", "x")
PLACEHOLDERS = dict.fromkeys(("url", "reason", "webhooks_url"), PLACEHOLDER)
MAIL = Mail(
    "webhook_disabled",
    "Tells.",
    subject="{{ site }}: {{ url }}",
    placeholders=PLACEHOLDERS,
)
WRITER = "cms_api.text.spreadsheets.safe_cell"
EMAIL = ImportColumn("email", "Email", required=True)
IMPORT = Import("people", "People", columns=(EMAIL,), read=WRITER, write=WRITER, permission="crm.add_contact")
CARD = "cms_api.content.admin.cards.create"
ROW = Row("newsletter", "commerce.marketing.rows.NewsletterBlock")
GOOD = Module(
    name="good",
    title="Good",
    description="A module without a mistake.",
    feature="crm",
    api=Api(
        abilities={"crm:read": "Read", "crm:write": "Write"},
        routes=(Route("good", VIEW, {"GET": "crm:read", "POST": "crm:write"}),),
        events=(Event("good.done", "Good is done.", "cms_api.content.resources.documents.ContentItemResource"),),
    ),
    pages=Pages(rows=(ROW,), record_pages=("good.page",), additions=(Addition("good.page", VIEW),)),
    admin=Admin(
        cards={CARD: "content.add_contentitem"},
        first_steps={"cms_api.content.admin.cards.write_first_item": ADMINS},
    ),
    records=Records(imports=(IMPORT,)),
    settings=(SettingKey("good.key", str, "", "Help"),),
    mails=(MAIL,),
    jobs=(Job("good", "cms_api.content.services.items.publish_due_items", every=60),),
)
OTHER = Module(name="other", title="Other", description="Another.", feature="shop")


def ids(*modules: Module) -> set[str]:
    return {message.id for message in check_declarations(modules)}


def test_it_works() -> None:
    assert check_declarations((GOOD, OTHER)) == []


def test_the_installed_modules_have_no_mistake() -> None:
    assert check_declarations(registry.emitters()) == []
    assert [message for message in run_checks(tags=["modules"]) if message.is_serious()] == []


def _restricted(**changes: Any) -> dict[str, Any]:
    restriction = Restriction(**{"name": "door", "title": "Door", "summary": "", "views": {"good": VIEW}} | changes)
    return {"token_presets": (TokenPreset("Door", ("crm:read",), restriction),)}


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "a route without an ability": ({"routes": (Route("good", VIEW, {}),)}, "core.E006"),
    "a method that is not answered": ({"routes": (Route("good", VIEW, {"PURGE": "crm:read"}),)}, "core.E007"),
    "a method in small letters": ({"routes": (Route("good", VIEW, {"get": "crm:read"}),)}, "core.E007"),
    "an ability that nobody declares": ({"routes": (Route("good", VIEW, {"GET": "shop:read"}),)}, "core.E008"),
    "an ability without a name": ({"routes": (Route("good", VIEW, {"GET": ""}),)}, "core.E008"),
    "an unknown ability": ({"abilities": {"crm:read": "", "crm:write": "", "crm:fly": ""}}, "core.E004"),
    "a token preset of another module's ability": ({"token_presets": (TokenPreset("All", ("shop:read",)),)}, "core.E004"),
    "a token preset without abilities": ({"token_presets": (TokenPreset("None", ()),)}, "core.E004"),
    "a restriction to a route of no module": (_restricted(views={"gone": VIEW}), "core.E024"),
    "a restriction to nothing": (_restricted(views={}), "core.E024"),
    "a restriction without a name": (_restricted(name="A door"), "core.E024"),
    "a restriction whose scope has no choices": (_restricted(scope="event"), "core.E024"),
    "a restriction to a view that is not there": (_restricted(views={"good": "nowhere.View"}), "core.E010"),
    "an unknown feature": ({"feature": "flying"}, "core.E002"),
    "a support module without a feature": ({"feature": "", "is_support": True}, "core.E015"),
    "a support module with a switch": ({"is_support": True}, "core.E015"),
    "a part of a module that is not there": ({"is_part": True}, "core.E023"),
    "the use of a module that is no support": ({"uses": ("forms",)}, "core.E015"),
    "an unknown group": ({"group": "Everything"}, "core.E003"),
    "a setting that nobody declares": ({"listens": {"setting:site.nothing": "cms_api.core.jobs.run_due_jobs"}}, "core.E017"),
    "a signal that nobody declares": ({"listens": {"good.undone": "cms_api.core.jobs.run_due_jobs"}}, "core.E017"),
    "a listener that is not there": ({"listens": {"good.done": "cms_api.core.jobs.nothing"}}, "core.E010"),
    "an addition to pages that nobody has": ({"additions": (Addition("good.nothing", VIEW),)}, "core.E022"),
    "an addition that is not there": ({"additions": (Addition("good.page", "nowhere.present"),)}, "core.E010"),
    "an import without a name": ({"imports": (replace(IMPORT, name="A file"),)}, "core.E016"),
    "an import that nobody can switch off": ({"feature": ""}, "core.E016"),
    "an import whose columns are the same": ({"imports": (replace(IMPORT, columns=(EMAIL, EMAIL)),)}, "core.E016"),
    "an option like a column": ({"imports": (replace(IMPORT, options=(ImportOption("email", "E"),)),)}, "core.E016"),
    "an import of anything": ({"imports": (replace(IMPORT, columns=(ImportColumn("a", "A"),)),)}, "core.E016"),
    "an import for nobody": ({"imports": (replace(IMPORT, permission="crm.add_nothing"),)}, "core.E016"),
    "an import for the wrong ones": ({"imports": (replace(IMPORT, permission="crm.view_contact"),)}, "core.E016"),
    "an import that nobody writes": ({"imports": (replace(IMPORT, write="nowhere.write"),)}, "core.E010"),
    "an unknown role": ({"roles": ("owner",)}, "core.E005"),
    "an unknown role for a model": ({"model_roles": {"packet": ("owner",)}}, "core.E005"),
    "the admin as a role": ({"roles": ("admin",)}, "core.E005"),
    "a route twice": ({"routes": GOOD.api.routes * 2}, "core.E001"),
    "a job twice": ({"jobs": GOOD.jobs * 2}, "core.E001"),
    "a settings key twice": ({"settings": GOOD.settings * 2}, "core.E001"),
    "a view that is not there": ({"routes": (Route("good", "cms_api.content.api.Nothing", {"GET": "crm:read"}),)}, "core.E010"),
    "a view in a module that is not there": ({"routes": (Route("good", "no.such.View", {"GET": "crm:read"}),)}, "core.E010"),
    "a job that is not there": ({"jobs": (Job("good", "cms_api.content.services.items.nothing", 60),)}, "core.E010"),
    "a viewset that is not there": ({"viewsets": ("cms_api.content.admin.NOTHING",)}, "core.E010"),
    "an unknown menu group": ({"menu_group": "everything"}, "core.E020"),
    "a menu entry without a group": ({"viewsets": ("cms_api.comments.admin.COMMENTS",)}, "core.E020"),
    "a menu item without a group": ({"menu": ("cms_api.content.admin.MENU",)}, "core.E020"),
    "a card that is not there": ({"cards": {"cms_api.content.admin.cards.nothing": ADMINS}}, "core.E010"),
    "a first step that is not there": ({"first_steps": {"cms_api.content.admin.cards.nothing": ADMINS}}, "core.E010"),
    "a card without a permission": ({"cards": {CARD: ""}}, "core.E025"),
    "a card for an unknown permission": ({"cards": {CARD: "content.fly_contentitem"}}, "core.E025"),
    "a card for a permission of an unknown model": ({"cards": {CARD: "content.add_nothing"}}, "core.E025"),
    "a first step for an unknown permission": ({"first_steps": {CARD: "add_contentitem"}}, "core.E025"),
    "a menu item that is not there": ({"menu": ("cms_api.nowhere.ITEM",)}, "core.E010"),
    "pages that are not there": ({"urls": "cms_api.content.urls.nothing"}, "core.E010"),
    "a sitemap that is not there": ({"sitemap": "cms_api.content.feeds.sitemap.nothing"}, "core.E010"),
    "footer links that are not there": ({"footer_links": "cms_api.content.feeds.footer.nothing"}, "core.E010"),
    "demo data that is not there": ({"demo": "cms_api.content.demo.nothing"}, "core.E010"),
    "an event without a document": ({"events": (Event("good.done", "", "cms_api.content.resources.Nothing"),)}, "core.E010"),
    "a set-up that is not there": ({"setup": "cms_api.content.services.builtin.nothing"}, "core.E010"),
    "a mail twice": ({"mails": (MAIL, MAIL)}, "core.E001"),
    "a mail without words": ({"mails": (replace(MAIL, name="nothing"),)}, "core.E013"),
    "a mail that is the layout of all": ({"mails": (replace(MAIL, name="layout"),)}, "core.E013"),
    "a mail whose name is no name": ({"mails": (replace(MAIL, name="../x"),)}, "core.E013"),
    "a mail with a placeholder that all have": (
        {"mails": (replace(MAIL, placeholders={**PLACEHOLDERS, "site": PLACEHOLDER}),)},
        "core.E013",
    ),
    "a mail that does not know what it says": (
        {"mails": (replace(MAIL, placeholders={"url": PLACEHOLDER}),)},
        "core.E013",
    ),
    "a mail whose subject does not": ({"mails": (replace(MAIL, subject="{{ nobody }}"),)}, "core.E013"),
    "a row twice": ({"rows": (ROW, ROW)}, "core.E001"),
    "a row whose name is no name": ({"rows": (replace(ROW, name="../x"),)}, "core.E018"),
    "a row whose name is too long": ({"rows": (replace(ROW, name="x" * 51),)}, "core.E018"),
    "a row without a template": ({"rows": (replace(ROW, name="nothing"),)}, "core.E018"),
    "a row without a block": ({"rows": (replace(ROW, block="commerce.marketing.rows.Nothing"),)}, "core.E010"),
    "a row whose block is none": ({"rows": (replace(ROW, block="commerce.marketing.rows.listed_mailing_lists"),)}, "core.E018"),
    "a row that stands nowhere": ({"rows": (replace(ROW, where="nowhere"),)}, "core.E018"),
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
    assert expected in ids(changed(GOOD, **changes), OTHER)


OUTSIDE: dict[str, dict[str, Any]] = {
    "a route's view": {"routes": (Route("good", VIEW, {"GET": "crm:read"}),)},
    "a job": {"jobs": (Job("good", "cms_api.content.services.items.publish_due_items", 60),)},
    "an event's document": {"events": (Event("good.done", "", "cms_api.content.resources.documents.ContentItemResource"),)},
    "an import": {"imports": (IMPORT,)},
    "a listener": {"listens": {"setting:site.timezone": "cms_api.content.services.types.date_anew"}},
    "a viewset": {"viewsets": ("cms_api.content.admin.TYPES",)},
    "pages": {"urls": "cms_api.content.urls.urlpatterns"},
    "a package that begins alike": {"demo": "commerce.crmx.demo.load"},
}


@pytest.mark.parametrize("changes", OUTSIDE.values(), ids=OUTSIDE)
def test_a_path_outside_the_package_is_caught(changes: dict[str, Any]) -> None:
    module = changed(CRM, **changes)
    assert check_paths_are_inside("commerce.crm", CRM) == []
    assert {message.id for message in check_paths_are_inside("commerce.crm", module)} == {"core.E019"}


def test_a_viewset_whose_pages_have_nothing_to_call_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    module = changed(GOOD, menu_group="people", viewsets=("cms_api.comments.admin.COMMENTS",))
    assert "core.E021" not in ids(module)
    monkeypatch.setattr(COMMENTS, "pages", (*COMMENTS.pages, "edit"))
    assert [each.msg for each in check_declarations((module,)) if each.id == "core.E021"] == [
        "good: CommentViewSet has no 'update', which its pages need."
    ]


def test_the_check_of_installed_modules_looks_for_paths_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    emitters = tuple(changed(each, demo="home.demo.load") if each.name == "crm" else each for each in registry.emitters())
    monkeypatch.setattr(registry, "emitters", lambda: emitters)
    assert [message.msg for message in run_checks(tags=["modules"])] == ["crm: home.demo.load lies outside commerce.crm."]


TWICE: dict[str, dict[str, Any]] = {
    "the same name": {"name": "good"},
    "the same feature": {"feature": "crm"},
    "the same ability": {"abilities": {"crm:read": ""}},
    "the same route": {"routes": GOOD.api.routes},
    "the same job": {"jobs": GOOD.jobs},
    "the same settings key": {"settings": GOOD.settings},
    "the same event": {"events": GOOD.api.events},
    "the same mail": {"mails": GOOD.mails},
    "the same row": {"rows": GOOD.pages.rows},
}


@pytest.mark.parametrize("changes", TWICE.values(), ids=TWICE)
def test_two_modules_cannot_share(changes: dict[str, Any]) -> None:
    assert ids(GOOD, changed(OTHER, **changes)) == {"core.E001"}


def test_a_circle_of_requirements_is_caught() -> None:
    one, two = replace(GOOD, requires=("shop",)), replace(OTHER, requires=("booking",))
    three = Module(name="three", title="", description="", feature="booking", requires=("crm",))
    assert "core.E009" not in ids(one, two)
    messages = [message for message in check_declarations((one, two, three)) if message.id == "core.E009"]
    assert len(messages) == 3


def test_a_message_names_the_module_and_the_mistake() -> None:
    (message,) = check_declarations((changed(GOOD, group="Everything"),))
    assert message.msg.startswith("good: the ability group 'Everything'")


def test_routes_know_the_methods_they_answer() -> None:
    route = Route("x", VIEW, {"GET": "crm:read", "PATCH": "crm:write", "POST": "crm:write", "DELETE": "crm:write"})
    assert route.methods == ("GET", "HEAD", "PATCH", "PUT", "POST", "DELETE")
    assert (route.ability("HEAD"), route.ability("PUT")) == ("crm:read", "crm:write")


@pytest.mark.parametrize(
    ("address", "found"),
    [("office@example.org", []), ("The Office <office@example.org>", []), ("office", ["core.E014"]), ("a@b\nc", ["core.E014"])],
)
def test_the_site_must_be_able_to_say_who_it_is(settings: Any, address: str, found: list[str]) -> None:
    settings.DEFAULT_FROM_EMAIL = address
    assert [message.id for message in run_checks(tags=["mail"])] == found
