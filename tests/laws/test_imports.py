"""The architecture's arrows: the contracts of pyproject.toml can fail, and modules use each other by their open rooms."""

import pytest

from .imports import contract_ids, foreign_imports, graph, is_kept

#: Tables that other modules query, or name in annotations: the rooms that import them. Foreign keys name their table by a string.
MODELS: dict[str, set[str]] = {
    "cms_api.content.models": {
        "cms_api.comments.selectors",
        "cms_api.comments.services",
        "cms_api.comments.templatetags",
        "cms_api.comments.views",
        "commerce.ticketing.resources",
        "commerce.ticketing.selectors",
        "commerce.ticketing.services",
        "commerce.ticketing.views",
        "events.admin",
        "events.demo",
        "events.resources",
        "events.selectors",
        "events.services",
        "events.templatetags",
        "events.views",
        "home.templatetags",
    },
    "cms_api.media.models": {"cms_api.content.admin"},
    "commerce.members.models": {"commerce.loyalty.selectors", "commerce.loyalty.services"},
}
#: Imports of rooms that are not open: the importing room to the imported ones.
EXCEPTIONS: dict[str, set[str]] = {
    "cms_api.content.admin": {"commerce.shop.admin", "events.admin", "home.admin"},
    "cms_api.content.demo": {"commerce.restaurant.demo", "commerce.shop.demo", "events.demo", "home.demo"},
    "cms_api.content.resources": {
        "commerce.common.resources",
        "commerce.ticketing.views",
        "events.selectors",
        "events.views",
        "home.templatetags",
        "home.views",
    },
    "cms_api.content.urls": {"events.urls"},
    "cms_api.content.views": {"events.views", "home.views"},
    # A term may have the address of the tickets of an event.
    "events.views": {"commerce.ticketing.views"},
    "cms_api.gateway.roles": {"commerce.crm.demo"},
}
#: Both may only shrink: an import that is not here fails, and so does an entry that no longer occurs.
ALLOWED = {(importer, imported) for imported, importers in (MODELS | EXCEPTIONS).items() for importer in importers}


@pytest.mark.parametrize("contract", contract_ids())
def test_it_works(contract: str) -> None:
    assert is_kept(contract, graph())


BREACHES: dict[str, tuple[str, str, str]] = {
    "a lower package imports a higher one": ("house", "cms_api.content.selectors", "commerce.crm.selectors"),
    "pages import a business module": ("pages", "home.feeds", "commerce.crm.selectors"),
    "pages import events": ("pages", "home.views.pages", "events.selectors.dates"),
    "a module imports one above it": ("platform", "cms_api.media.services.library", "cms_api.content.services.items"),
    "a kit imports a module": ("platform", "cms_api.http.listing", "cms_api.flags.selectors"),
    "the core imports a kit": ("platform", "cms_api.core.registry", "cms_api.http.wire"),
    "a business module imports one above it": ("business", "commerce.crm.selectors", "commerce.members.selectors"),
    "a business module imports a sibling": ("business", "commerce.shop.resources", "commerce.booking.resources"),
    "a business module imports a sibling of the top rank": (
        "business",
        "commerce.reviews.resources.records",
        "commerce.support.resources",
    ),
    "selectors import services": ("rooms", "commerce.crm.selectors", "commerce.crm.services.contacts"),
    "services import an admin": ("rooms", "commerce.crm.services.contacts", "commerce.crm.admin.contacts"),
    "an API imports views": ("rooms", "commerce.marketing.api", "commerce.marketing.views"),
    "feeds import views": ("rooms", "cms_api.content.feeds.syndication", "cms_api.content.views.pages"),
    "an admin imports views": ("rooms", "cms_api.forms.admin.forms", "cms_api.forms.views"),
    "views import template tags": ("rooms", "home.views.rows", "home.templatetags.rows"),
    "tasks import a demo": ("rooms", "events.tasks", "events.demo"),
}


@pytest.mark.parametrize(("contract", "importer", "imported"), BREACHES.values(), ids=BREACHES)
def test_a_breach_is_reported(contract: str, importer: str, imported: str) -> None:
    assert {importer, imported} <= graph().modules
    assert not is_kept(contract, graph((importer, imported)))


def test_every_contract_is_shown_to_fail() -> None:
    assert {contract for contract, _, _ in BREACHES.values()} == set(contract_ids())


@pytest.mark.parametrize(("contract", "stray"), [("rooms", "commerce.crm.stray"), ("business", "commerce.stray")])
def test_a_stray_file_is_reported(contract: str, stray: str) -> None:
    found = graph()
    found.add_module(stray)
    assert not is_kept(contract, found)


def test_lists_keep_tables_apart() -> None:
    assert {imported.endswith(".models") for imported in MODELS} == {True}
    assert {imported.endswith(".models") for imported in EXCEPTIONS} == {False}


def test_modules_use_each_other_by_their_open_rooms() -> None:
    found = foreign_imports(graph())
    assert sorted(found - ALLOWED) == [], "A module imports of another one a room that is not open."
    assert sorted(ALLOWED - found) == [], "These no longer occur: take them out of the lists."


@pytest.mark.parametrize("room", ["admin.contacts", "models", "resources", "api", "demo"])
def test_an_import_of_another_room_is_reported(room: str) -> None:
    imported = f"commerce.crm.{room}"
    assert imported in graph().modules
    planted = graph(("home.feeds", imported))
    assert foreign_imports(planted) - foreign_imports(graph()) == {("home.feeds", f"commerce.crm.{room.partition('.')[0]}")}


@pytest.mark.parametrize(
    "open_room", ["commerce.crm.services.contacts", "commerce.crm.selectors", "commerce.crm.types", "commerce.payments.views"]
)
def test_open_rooms_and_own_rooms_are_not_reported(open_room: str) -> None:
    planted = graph(("home.feeds", open_room), ("home.feeds", "home.models.pages"), ("home.feeds", "cms_api.http.wire"))
    assert foreign_imports(planted) == foreign_imports(graph())
