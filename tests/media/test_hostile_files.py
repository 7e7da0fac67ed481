"""Hostile files: each is refused in the contract's shape or cleaned, and what is refused leaves nothing behind."""

import resource
import tempfile
from pathlib import Path

import pytest

from cms_api.media.models import Media
from cms_api.media.services.processing.drawings import process
from tests.client import Api

from .files import all_files, content_of, jpeg, png, sent, svg
from .hostile import DRAWINGS, FILES

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("real_processing")]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.both_databases
def test_it_works_with_what_is_not(api: Api, media_root: Path, temporary: Path) -> None:
    record = sent(api, "a.png", png())
    assert all_files(media_root) == {record["path"]}
    assert all_files(temporary) == set()


@pytest.mark.parametrize("why", FILES)
def test_it_is_refused(api: Api, media_root: Path, temporary: Path, why: str) -> None:
    name, make = FILES[why]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    content = make()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    refused = api.upload("/media", ("file", (name, content)))
    assert refused.status_code == 422, refused.content
    assert set(refused.json()["errors"]) == {"file"}
    assert refused.json()["message"] == refused.json()["errors"]["file"][0]
    assert not Media.objects.exists()
    assert all_files(media_root) == set()
    assert all_files(temporary) == set()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before - grown < 60_000, "kB more"


def test_there_are_enough_of_them() -> None:
    assert len(FILES) + len(DRAWINGS) >= 100


@pytest.mark.parametrize("why", DRAWINGS)
def test_a_drawing_is_cleaned(temporary: Path, why: str) -> None:
    """By the program that takes it in; that uploads go through it, the other tests show."""
    inner, trace = DRAWINGS[why]
    (temporary / "a.svg").write_bytes(svg(inner + '<circle r="3"/>'))
    report = process(source=str(temporary / "a.svg"), mime_type="image/svg+xml", into=str(temporary))
    cleaned = (temporary / report["file"]).read_bytes()
    assert trace.encode() not in cleaned
    assert b"circle" in cleaned
    assert not any(word in cleaned.lower() for word in (b"script", b"foreignobject", b" on", b"@import", b"<!", b"javascript"))


def test_an_uploaded_drawing_is_cleaned(api: Api) -> None:
    cleaned = content_of(sent(api, "a.svg", svg('<script>alert(1)</script><circle r="3" onclick="alert(1)"/>')))
    assert b"alert" not in cleaned
    assert b"circle" in cleaned


def test_a_harmless_drawing_keeps_what_it_has(api: Api) -> None:
    inner = (
        '<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs>'
        "<style>.a { fill: url(#g); stroke: #123 }</style><title>A &amp; B ☃</title>"
        '<rect class="a" width="10" height="10"/><use xlink:href="#g"/><path d="M0 0L1 1" fill="url(#g)"/>'
        '<animate attributeName="x" from="0" to="5" dur="1s"/>'
    )
    cleaned = content_of(sent(api, "a.svg", svg(inner, 'viewBox="0 0 30 20"'))).decode()
    for kept in ("linearGradient", "url(#g)", "A &amp; B ☃", 'class="a"', "#123", "M0 0L1 1", 'href="#g"', "animate"):
        assert kept in cleaned


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ('width="60" height="40"', (60, 40)),
        ('width="1in" height="50%" viewBox="0 0 2 1"', (96, 48)),
        ('viewBox="0 0 30.4 20"', (30, 20)),
        ("", (300, 150)),
        ('width="99999999999" height="-5" viewBox="a b" preserveAspectRatio="x"', (32767, 150)),
    ],
)
def test_the_size_of_a_drawing(api: Api, attributes: str, size: tuple[int, int]) -> None:
    record = sent(api, "a.svg", svg(attributes=attributes))
    assert (record["width"], record["height"]) == size


def test_a_plain_document_type_is_dropped(api: Api) -> None:
    public = b'<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd">'
    assert b"DOCTYPE" not in content_of(sent(api, "a.svg", public + svg()))


def test_what_is_hidden_behind_a_picture_is_not_stored(api: Api) -> None:
    payload = b"<?php system($_GET['c']); ?><script>alert(1)</script>PK\x03\x04"
    for name, raw in {"a.jpg": jpeg(comment=payload) + payload, "a.png": png() + payload}.items():
        assert b"system" not in content_of(sent(api, name, raw))
