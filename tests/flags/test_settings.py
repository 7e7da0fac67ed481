"""Settings: defaults, families, what is refused, and `manage.py setting`."""

import json
from io import StringIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command

from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.core.module import SettingKey
from cms_api.flags import selectors
from cms_api.flags.models import Setting
from cms_api.flags.services import set_setting
from tests.builders import blog_post
from tests.client import Api

pytestmark = pytest.mark.django_db


def run(*command: str) -> str:
    out = StringIO()
    call_command("setting", *command, stdout=out)
    return out.getvalue()


@pytest.mark.both_databases
def test_it_works() -> None:
    assert selectors.get_setting("site.name") == "My site"
    set_setting(key="site.name", value="Another")
    assert selectors.get_setting("site.name") == "Another"


@pytest.mark.both_databases
def test_an_unknown_key_has_no_value() -> None:
    assert selectors.get_setting("no.such") is None


def test_a_family_has_members_with_values_of_their_own() -> None:
    assert selectors.get_setting("index_layout.default.blog-post") == ""
    set_setting(key="index_layout.default.blog-post", value="content-grid")
    assert selectors.get_setting("index_layout.default.blog-post") == "content-grid"
    assert selectors.get_setting("index_layout.default.service") == ""


REFUSED: list[tuple[str, Any]] = [
    ("no.such", "x"),
    ("site", "x"),
    ("site.name.more", "x"),
    ("", "x"),
    ("site.name", 7),
    ("ticketing.fee_fixed_cents", 9_200_000_000_000_000_000),
    ("ticketing.fee_fixed_cents", 10**40),
    ("site.name", None),
    ("site.name", True),
    ("site.name", ["x"]),
    ("site.name", "a\0b"),
    ("site.name", "\ud800"),
    ("site.timezone", ""),
    ("site.timezone", "Mars/Olympus"),
    ("site.timezone", "../../etc/passwd"),
    ("site.timezone", "europe/paris"),
    ("site.timezone", "localtime"),
    ("site.timezone", 2),
    ("features.api.enabled", 1),
    ("features.api.enabled", "true"),
    ("features.api.enabled", None),
    ("features.nothing.enabled", True),
    ("index_layout.default." + "a" * 200, "x"),
    ("index_layout.default.", "x"),
]


@pytest.mark.parametrize(("key", "value"), REFUSED)
def test_what_makes_no_sense_is_refused(key: str, value: Any) -> None:
    with pytest.raises(Invalid):
        set_setting(key=key, value=value)
    assert not Setting.objects.exists()


def test_a_choice_is_one_of_its_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = SettingKey("colour", str, "red", "Help", choices=("red", "green"))
    monkeypatch.setattr(registry, "setting_key", lambda key: declared if key == "colour" else None)
    set_setting(key="colour", value="green")
    with pytest.raises(Invalid, match="selected value is invalid"):
        set_setting(key="colour", value="blue")


def test_a_whole_number_is_no_boolean(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = SettingKey("minutes", int, 60, "Help")
    monkeypatch.setattr(registry, "setting_key", lambda key: declared)
    for value in (True, "5", 5.0):
        with pytest.raises(Invalid):
            set_setting(key="minutes", value=value)
    set_setting(key="minutes", value=5)
    assert selectors.get_setting("minutes") == 5


def too_long(word: str) -> str:
    return f"“{word}” is too long." if len(word) > 5 else ""


LIST = SettingKey("words", str, "", "Help", is_list=True, check="tests.flags.test_settings.too_long")


def test_a_list_is_stored_one_word_per_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "setting_key", lambda key: LIST)
    assert selectors.get_words("words") == ()
    set_setting(key="words", value=" one, two\r\nthree  four ")
    assert selectors.get_setting("words") == "one\ntwo\nthree\nfour"
    assert selectors.get_words("words") == ("one", "two", "three", "four")


def test_each_word_of_a_list_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "setting_key", lambda key: LIST)
    with pytest.raises(Invalid) as refusal:
        set_setting(key="words", value="one, sixteen seventeen")
    assert refusal.value.errors == {"words": ["“sixteen” is too long.", "“seventeen” is too long."]}
    assert not Setting.objects.exists()


def test_the_sites_zone() -> None:
    assert selectors.site_timezone() == ZoneInfo("Europe/Paris")
    set_setting(key="site.timezone", value="Asia/Tokyo")
    assert selectors.site_timezone() == ZoneInfo("Asia/Tokyo")


def test_a_bare_date_is_read_in_the_sites_zone(api: Api) -> None:
    blog_post()
    body = {"type": "blog-post", "data": {"title": "One"}, "published_at": "2026-01-01"}
    seen = []
    for zone in ("Europe/Paris", "Asia/Tokyo", "America/New_York"):
        set_setting(key="site.timezone", value=zone)
        seen.append(api.post("/content-items", body).json()["data"]["published_at"])
    assert seen == ["2025-12-31T23:00:00+00:00", "2025-12-31T15:00:00+00:00", "2026-01-01T05:00:00+00:00"]


def test_a_feature_is_a_setting(api: Api) -> None:
    set_setting(key="features.api.enabled", value=False)
    assert api.get("/content-items").status_code == 404
    set_setting(key="features.api.enabled", value=True)
    assert api.get("/content-items").status_code == 200


def test_the_command_sets_json_and_gets_json() -> None:
    assert json.loads(run("get", "site.name")) == "My site"
    run("set", "site.name", '"Another \\"name\\" é"')
    assert json.loads(run("get", "site.name")) == 'Another "name" é'
    assert json.loads(run("get", "features.api.enabled")) is False
    run("set", "features.api.enabled", "true")
    assert json.loads(run("get", "features.api.enabled")) is True


def test_the_command_takes_plain_text_for_a_string() -> None:
    run("set", "site.name", "Another name")
    assert selectors.get_setting("site.name") == "Another name"


@pytest.mark.parametrize(
    "arguments",
    [
        ["get", "no.such"],
        ["set", "no.such", "1"],
        ["set", "site.name"],
        ["set", "site.name", "7"],
        ["set", "site.timezone", "Mars/Olympus"],
        ["set", "features.api.enabled", "1"],
        ["set", "features.api.enabled", "maybe"],
        ["drop", "site.name"],
        ["get"],
    ],
)
def test_the_command_refuses_what_makes_no_sense(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        run(*arguments)
    assert not Setting.objects.exists()
