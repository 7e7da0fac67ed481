"""The page of features and settings in the admin."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from wagtail.models import ModelLogEntry

from cms_api.core import registry, versions
from cms_api.core.module import Module, SettingKey
from cms_api.flags.models import Setting
from cms_api.flags.selectors import get_setting, is_on
from cms_api.flags.services import set_setting, switch_feature
from tests import people
from tests.client import Api
from tests.features import switch_all_on
from tests.modules import install

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

PAGE, KEYS = "/admin/features/", "/admin/features/keys/"
FAMILY = "index_layout.default.*"


def shown(client: Client, page: str = PAGE) -> dict[str, Any]:
    """The form data that a browser would send of the unchanged page."""
    form = client.get(page).context["form"]
    sent: dict[str, Any] = {}
    for field in form:
        value = field.value()
        if value is not None and value is not False:
            sent[field.html_name] = "on" if value is True else value
        if field.field.show_hidden_initial:
            sent[field.html_initial_name] = value
    return sent


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two more modules: reviews requires the shop; both have settings of every type."""
    keys = (
        SettingKey("shop.abandoned_after_minutes", int, 60, "After how many minutes a cart is abandoned.", title="Minutes"),
        SettingKey("shop.receipts", bool, True, "Whether receipts are sent.", title="Send receipts"),
        SettingKey("shop.look", str, "grid", "Layout of the product list.", choices=("grid", "list"), title="Layout"),
        SettingKey("shop.weights", list, [], "Weights of parcels.", title="Weights"),
        SettingKey(
            "shop.zones",
            str,
            "",
            "Zones of parcels.",
            title="Zones",
            is_list=True,
            check="cms_api.flags.services.timezone_mistake",
        ),
    )
    more = (
        Module("shop", "E-Commerce", "Products and orders.", feature="shop", settings=keys),
        Module("reviews", "Reviews", "Reviews by customers.", feature="reviews", requires=("shop",)),
        Module("loyalty", "Loyalty", "Points.", feature="loyalty", requires=("reviews",)),
    )
    install(monkeypatch, *registry.modules(), *more)


def save(client: Client, page: str = PAGE, **changes: Any) -> Any:
    sent = shown(client, page)
    for name, value in changes.items():
        sent[name] = value
    sent = {name: value for name, value in sent.items() if value is not None}
    return client.post(page, sent, follow=True)


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    saved = save(admin_client, **{"feature-api": "on", "setting-site.name": "Corner bakery"})
    assert saved.redirect_chain == [(PAGE, 302)]
    assert "Saved." in saved.content.decode()
    versions.forget()
    assert is_on("api")
    assert get_setting("site.name") == "Corner bakery"
    assert Api().get("/openapi.json").status_code == 200
    save(admin_client, **{"feature-api": None})
    assert Api().get("/openapi.json").status_code == 404


@pytest.mark.parametrize("person", [people.mallory_manager, people.bob, people.charlie, None])
def test_only_admins_come_in(sign_in: Callable[[Any], Client], person: Callable[[], Any] | None) -> None:
    client = sign_in(person()) if person else Client()
    for answer in (client.get(PAGE), client.post(PAGE, {"feature-api": "on"})):
        assert answer.status_code == 302
        inside = person in {people.mallory_manager, people.bob}
        assert answer.headers["Location"].partition("?")[0] == ("/admin/" if inside else "/admin/login/")
    assert not Setting.objects.exists()


def test_only_admins_have_the_menu_entry(sign_in: Callable[[Any], Client], admin_client: Client) -> None:
    assert PAGE in admin_client.get("/admin/").content.decode()
    for person in (people.mallory_manager(), people.bob()):
        assert PAGE not in sign_in(person).get("/admin/").content.decode()


def test_every_feature_and_every_setting_with_a_title_is_there(admin_client: Client) -> None:
    switch_all_on()
    form = admin_client.get(PAGE).context["form"]
    assert {feature.name for feature in form.features()} == set(registry.features())
    labels = {field.name.removeprefix("setting-"): field.label for section in form.sections() for field in section.fields}
    assert labels == {key: declared.title for key, declared in registry.setting_keys().items() if declared.title}
    assert labels["site.name"] == "Site name"


def test_every_key_is_on_the_page_for_developers(admin_client: Client) -> None:
    assert KEYS in admin_client.get(PAGE).content.decode()
    switch_all_on()
    form = admin_client.get(KEYS).context["form"]
    single = {key for key in registry.setting_keys() if not key.endswith(".*")}
    sections = list(form.sections())
    assert {field.name.removeprefix("setting-") for section in sections for field in section.fields} == single
    assert {family.declared.key for section in sections for family in section.families} == set(registry.setting_keys()) - single


def test_what_was_not_changed_is_not_written(admin_client: Client) -> None:
    save(admin_client)
    assert not Setting.objects.exists()


def test_another_persons_change_is_not_undone(admin_client: Client) -> None:
    sent = shown(admin_client)
    switch_feature(name="api", on=True)
    admin_client.post(PAGE, sent | {"setting-site.name": "Corner bakery"})
    versions.forget()
    assert is_on("api")
    assert get_setting("site.name") == "Corner bakery"


def test_a_refusal_of_the_service_stands_at_its_field_and_nothing_is_saved(admin_client: Client) -> None:
    refused = save(admin_client, **{"feature-api": "on", "setting-site.timezone": "Mars/Olympus"})
    assert refused.context["form"].errors == {"setting-site.timezone": ["There is no such time zone."]}
    assert "There is no such time zone." in refused.content.decode()
    assert "Nothing was saved" in refused.content.decode()
    assert not Setting.objects.exists()
    assert Api().get("/openapi.json").status_code == 404


def test_a_key_of_a_family_can_be_added_and_changed(admin_client: Client) -> None:
    save(admin_client, KEYS, **{f"new-name-{FAMILY}": "blog-post", f"new-value-{FAMILY}": "cards"})
    versions.forget()
    assert get_setting("index_layout.default.blog-post") == "cards"
    save(admin_client, KEYS, **{"setting-index_layout.default.blog-post": "list"})
    versions.forget()
    assert get_setting("index_layout.default.blog-post") == "list"


def test_the_name_of_a_new_key_is_checked(admin_client: Client) -> None:
    refused = save(admin_client, KEYS, **{f"new-name-{FAMILY}": "Blog Post", f"new-value-{FAMILY}": "cards"})
    assert list(refused.context["form"].errors) == [f"new-name-{FAMILY}"]
    assert not Setting.objects.exists()


@pytest.mark.usefixtures("modules")
class TestWithMoreModules:
    def test_settings_of_every_type(self, admin_client: Client) -> None:
        switch_feature(name="shop", on=True)
        changes = {"setting-shop.abandoned_after_minutes": "90", "setting-shop.receipts": None, "setting-shop.look": "list"}
        changes["setting-shop.weights"] = "[1, 2]"
        save(admin_client, **changes)
        stored = dict(Setting.objects.values_list("key", "value"))
        expected = {"shop.abandoned_after_minutes": 90, "shop.receipts": False, "shop.look": "list", "shop.weights": [1, 2]}
        assert stored == {"features.shop.enabled": True, **expected}

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("shop.abandoned_after_minutes", "soon"),
            ("shop.abandoned_after_minutes", ""),
            ("shop.look", "table"),
            ("shop.weights", "{"),
        ],
    )
    def test_values_of_another_type_are_refused(self, admin_client: Client, field: str, value: str) -> None:
        switch_feature(name="shop", on=True)
        refused = save(admin_client, **{f"setting-{field}": value})
        assert list(refused.context["form"].errors) == [f"setting-{field}"]
        assert not Setting.objects.filter(key=field).exists()

    def test_a_list_has_several_lines_and_its_mistakes_stand_at_it(self, admin_client: Client) -> None:
        switch_feature(name="shop", on=True)
        field = admin_client.get(PAGE).context["form"]["setting-shop.zones"]
        assert "<textarea" in str(field)
        assert field.help_text == "Zones of parcels. One per line. Default: empty."
        refused = save(admin_client, **{"setting-shop.zones": "Europe/Paris\r\nMars"})
        assert refused.context["form"].errors == {"setting-shop.zones": ["There is no such time zone."]}
        save(admin_client, **{"setting-shop.zones": "Europe/Paris, Asia/Tokyo"})
        versions.forget()
        assert get_setting("shop.zones") == "Europe/Paris\nAsia/Tokyo"
        save(admin_client)
        assert ModelLogEntry.objects.filter(label="shop.zones").count() == 1

    def test_settings_appear_once_their_feature_is_on(self, admin_client: Client) -> None:
        assert "shop.receipts" not in admin_client.get(PAGE).content.decode()
        saved = save(admin_client, **{"feature-shop": "on"})
        assert "shop.receipts" in saved.content.decode()
        save(admin_client, **{"setting-shop.receipts": None, "feature-shop": None})
        versions.forget()
        assert get_setting("shop.receipts") is False
        assert "shop.receipts" not in admin_client.get(PAGE).content.decode()

    def test_a_page_rendered_before_another_person_switched_a_feature_on_is_saved(self, admin_client: Client) -> None:
        sent = shown(admin_client)
        switch_feature(name="shop", on=True)
        saved = admin_client.post(PAGE, sent | {"setting-site.name": "Corner bakery"}, follow=True)
        assert "Saved." in saved.content.decode()
        versions.forget()
        assert (get_setting("site.name"), get_setting("shop.receipts")) == ("Corner bakery", True)

    def test_what_is_required_is_switched_on_too_and_said(self, admin_client: Client) -> None:
        saved = save(admin_client, **{"feature-loyalty": "on"})
        versions.forget()
        assert is_on("loyalty")
        assert is_on("shop")
        assert "E-Commerce: on" in saved.content.decode()

    def test_what_requires_it_is_switched_off_too_and_said(self, admin_client: Client) -> None:
        switch_feature(name="reviews", on=True)
        saved = save(admin_client, **{"feature-shop": None})
        versions.forget()
        assert not is_on("reviews")
        assert "Reviews: off" in saved.content.decode()

    def test_contradictions_are_refused(self, admin_client: Client) -> None:
        switch_feature(name="shop", on=True)
        refused = save(admin_client, **{"feature-shop": None, "feature-loyalty": "on"})
        sentence = "This requires E-Commerce, which is being switched off."
        assert refused.context["form"].errors == {"feature-loyalty": [sentence]}
        assert sentence in refused.content.decode()
        versions.forget()
        assert is_on("shop")


def test_the_page_names_the_defaults(admin_client: Client) -> None:
    set_setting(key="site.name", value="Corner bakery")
    assert "Default: My site." in admin_client.get(PAGE).content.decode()


def test_the_audit_log_says_who_changed_a_setting(modules: None, admin_client: Client) -> None:
    switch_feature(name="shop", on=True)
    save(admin_client, **{"setting-shop.receipts": None, "setting-shop.look": "list"})
    entries = ModelLogEntry.objects.order_by("label")
    assert [(entry.label, entry.message, entry.user.email) for entry in entries] == [
        ("shop.look", "Changed", "alice@example.com"),
        ("shop.receipts", "Switched off", "alice@example.com"),
    ]
    save(admin_client)
    assert len(entries.all()) == 2
