"""Networks, paths and referring sites that are not counted, from settings and from files."""

import logging
import os
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from cms_api.analytics.apps import check_files
from cms_api.analytics.models import Event
from cms_api.analytics.services.exclusions import is_bot, is_excluded, is_spam
from cms_api.analytics.services.ingesting import ingest
from cms_api.analytics.services.listed import ListedFile, read_hosts, read_networks
from cms_api.analytics.services.rules import rules
from cms_api.analytics.types.exclusions import Networks, host_mistake, paths_of, read_span
from cms_api.analytics.types.spam import SPAM_HOSTS
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting

from .test_collecting import send

pytestmark = pytest.mark.django_db


def counted() -> list[str]:
    ingest(at_once=True)
    return list(Event.objects.order_by("uid").values_list("path", flat=True))


@pytest.mark.both_databases
def test_our_own_office_is_not_counted(client: Client, analytics_on: None) -> None:
    set_setting(key="analytics.excluded_addresses", value="10.0.0.0/8, 127.0.0.1")
    assert send(client) == 204
    client.defaults["REMOTE_ADDR"] = "11.0.0.1"
    send(client, 4, address="/other")
    assert counted() == ["/other"]


def test_excluded_paths_are_not_counted(client: Client, analytics_on: None) -> None:
    set_setting(key="analytics.excluded_paths", value="/internal /events/*/draft")
    set_setting(key="analytics.kept_parameters", value="view")
    paths = ["/internal", "/internal/a/?view=b", "/internals", "/events/a/draft/", "/events/a"]
    for number, path in enumerate(paths, start=1):
        assert send(client, 2 * number, address=path) == 204
    assert send(client, 50, address="/internal/gone", n="missing") == 204
    assert send(client, 2, n="time", s=30) == 204
    assert counted() == ["/internals", "/events/a"]


@pytest.mark.parametrize(
    "message",
    [
        {"r": "https://semalt.com/project?x=1"},
        {"r": "http://www.site3.free-share-buttons.com/"},
        {"r": "https://shop.example.net/"},
        {"address": "/?utm_source=Semalt.com"},
        {"address": "/?ref=example.net"},
    ],
)
def test_referrer_spam_is_not_counted(client: Client, analytics_on: None, message: dict[str, str]) -> None:
    set_setting(key="analytics.spam_referrers", value="Example.net")
    assert send(client, **message) == 204
    assert send(client, 4, address="/good", r="https://notsemalt.com/") == 204
    assert counted() == ["/good"]


def test_the_hosts_that_are_built_in_are_hosts() -> None:
    assert not any(map(host_mistake, SPAM_HOSTS))


REFUSED = [
    ("excluded_addresses", "10.0.0.300"),
    ("excluded_addresses", "10.0.0.0/33"),
    ("excluded_addresses", "0.0.0.0/0"),
    ("excluded_addresses", "::/0"),
    ("excluded_addresses", "office"),
    ("excluded_paths", "internal"),
    ("excluded_paths", "/internal?x=1"),
    ("excluded_paths", "https://example.org/internal"),
    ("excluded_paths", "/*"),
    ("excluded_paths", "/**/"),
    ("spam_referrers", "com"),
    ("spam_referrers", "https://example.net/"),
    ("spam_referrers", "a..net"),
    ("spam_referrers", "10.0.0.1"),
    ("spam_referrers", "*.net"),
    ("spam_referrers", "x" * 70 + ".net"),
]


@pytest.mark.parametrize(("key", "value"), REFUSED)
def test_mistakes_are_refused_by_their_word(key: str, value: str) -> None:
    with pytest.raises(Invalid) as refusal:
        set_setting(key=f"analytics.{key}", value=value)
    ((sentence,),) = refusal.value.errors.values()
    assert sentence.startswith(f"“{value}” ")


@pytest.mark.parametrize(
    ("word", "path", "is_matched"),
    [
        ("/internal/", "/internal", True),
        ("/internal", "/internal/a/b", True),
        ("/internal", "/internals", False),
        ("/", "/", True),
        ("/", "/events", False),
        ("/caf%C3%A9", "/café", True),
        ("/a%20b", "/a b", True),
        ("/*.pdf", "/files/a.pdf", True),
        ("/*.pdf", "/files/a.pdf/b", False),
        ("/x[1]", "/x[1]", True),
        ("/x[1]", "/x1", False),
        ("/x%3F", "/xy", False),
        ("/*a*a*a*a*a*a*a*a*b", "/" + "a" * 499, False),
    ],
)
def test_paths(word: str, path: str, is_matched: bool) -> None:
    assert bool(paths_of((word,)).match(path)) is is_matched


def test_no_paths_match_nothing() -> None:
    assert not paths_of(()).match("/")
    assert not paths_of(()).match("")


def test_networks_are_merged_and_found() -> None:
    texts = ["10.0.1.0/24", "10.0.0.0/24", "10.0.0.128/25", "10.0.2.0 - 10.0.2.9", "2001:db8::/32", "0.0.0.5"]
    networks = Networks(map(read_span, texts))
    assert len(networks) == 3
    inside = ["10.0.0.0", "10.0.1.255", "10.0.2.9", "2001:db8::1", "0.0.0.5", "::ffff:10.0.0.1"]
    outside = ["9.255.255.255", "10.0.2.10", "2001:db9::", "0.0.0.4", "0.0.0.6", "::a00:1", "unknown", ""]
    assert [address for address in (*inside, *outside) if address in networks] == inside


@pytest.mark.parametrize("text", ["", "x", "10.0.0.9-10.0.0.1", "10.0.0.1-::1", "10.0.0.0/33"])
def test_spans_that_make_no_sense(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_span(text)


def test_data_centers_are_read_again_when_their_file_changes(
    client: Client, analytics_on: None, tmp_path: Path, settings: Any
) -> None:
    file = tmp_path / "networks.txt"
    file.write_text("127.0.0.0/8\n")
    settings.ANALYTICS_DATACENTER_FILE = str(file)
    assert send(client) == 204
    file.write_text("203.0.113.0/24 # another\n")
    assert send(client, 4, address="/second") == 204
    assert counted() == ["/second"]
    settings.ANALYTICS_DATACENTER_FILE = ""
    assert not is_excluded("203.0.113.1", rules())


def test_a_file_that_disappears_stays_valid_until_it_is_back(
    tmp_path: Path, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "hosts.txt"
    settings.ANALYTICS_SPAM_FILE = str(file)
    listed = ListedFile("ANALYTICS_SPAM_FILE", read_hosts, frozenset())
    assert listed.get() == frozenset()
    assert [warning.id for warning in check_files()] == ["analytics.W001"]
    file.write_text("www.spam.example\n")
    assert check_files() == []
    assert listed.get() == {"spam.example"}
    caplog.clear()
    file.unlink()
    assert listed.get() == listed.get() == {"spam.example"}
    assert len(caplog.records) == 1
    new = tmp_path / "new.txt"
    new.write_bytes(b"\xff\xfe")
    os.replace(new, file)
    assert listed.get() == {"spam.example"}
    new.write_text("other.example\n")
    os.replace(new, file)
    assert listed.get() == {"other.example"}


def test_lines_that_cannot_be_read_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    lines = ["# Networks", "", "10.0.0.0/24,AS1,Name", "10.1.0.0,10.1.0.255,Name,https://a.example/", "office", "10.2.0.1"]
    networks = read_networks("file", lines)
    assert [address in networks for address in ("10.0.0.9", "10.1.0.9", "10.2.0.1", "10.2.0.2")] == [True, True, True, False]
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING] == [
        "file: 1 lines can't be read and were left out (5)."
    ]


def test_spam_hosts_are_read_from_a_file(tmp_path: Path, settings: Any) -> None:
    file = tmp_path / "spammers.txt"
    file.write_text("spam.example\n")
    settings.ANALYTICS_SPAM_FILE = str(file)
    assert is_spam("a.spam.example", rules())
    assert not is_spam("example", rules())
    assert not is_spam("", rules())


@pytest.mark.parametrize(
    "app",
    [
        "",
        " Instagram 400.0.0.0.1 Android (35/15; 480dpi; 1080x2400; OPPO; CPH2557)",
        " MetaIAB Facebook [FB_IAB/FB4A;FBAV/540.0.0.1;]",
    ],
)
def test_phones_of_people_are_no_robots(app: str) -> None:
    phone = (
        "Mozilla/5.0 (Linux; Android 15; CPH2557 Build/AP3A.240617.008; wv) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36"
    )
    assert not is_bot(phone + app)
    assert is_bot(f"{phone} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
