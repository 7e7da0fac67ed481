"""Serving files of the disk at `/media/`: types, policies, conditions, byte ranges, and paths that are never served."""

import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from wagtail.models import Collection, CollectionViewRestriction, UploadedFile
from wagtail.users.models import UserProfile

from cms_api.gateway.serving.listener import listen
from cms_api.media.models import MediaFile, MediaImage
from cms_api.media.selectors import other_files
from tests import people
from tests.builders import make_image, name_file

pytestmark = pytest.mark.django_db

INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
BODY = bytes(range(256)) * 4


@pytest.fixture(autouse=True)
def root(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "root"
    folder = tmp_path / "root" / "media" / "2026" / "03"
    folder.mkdir(parents=True)
    (folder / "x.mp4").write_bytes(BODY)
    name_file("media/2026/03/x.mp4")
    return tmp_path / "root"


def fetch(client: Client, path: str = "media/2026/03/x.mp4", method: str = "get", **headers: str) -> tuple[Any, bytes]:
    response = getattr(client, method)(f"/media/{path}", headers=headers)
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return response, body


def test_it_works(client: Client) -> None:
    response, body = fetch(client)
    assert (response.status_code, body) == (200, BODY)
    assert response.headers["Content-Type"] == "video/mp4"
    assert response.headers["Content-Length"] == "1024"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Accept-Ranges"] == "bytes"
    assert response.headers["Cache-Control"] == "public, max-age=3600"
    assert "Content-Disposition" not in response.headers
    assert "Vary" not in response.headers


@pytest.mark.both_databases
def test_one_statement_at_most(client: Client) -> None:
    # Which record names the file, and whether any collection is private.
    rendition = make_image().get_rendition("width-4")
    for path in ("media/2026/03/x.mp4", rendition.file.name):
        with CaptureQueriesContext(connection) as captured:
            assert fetch(client, path)[0].status_code == 200
        assert len(captured) == 1


def test_an_address_with_a_version_is_good_for_ever(client: Client) -> None:
    response, _ = fetch(client, "media/2026/03/x.mp4?v=1a2b")
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("name", "kind", "is_inert", "is_saved"),
    [
        ("x.jpg", "image/jpeg", False, False),
        ("x.JPEG", "image/jpeg", False, False),
        ("x.png", "image/png", False, False),
        ("x.gif", "image/gif", False, False),
        ("x.webp", "image/webp", False, False),
        ("x.avif", "image/avif", False, False),
        ("x.webm", "video/webm", False, False),
        ("x.mov", "video/quicktime", False, False),
        ("x.svg", "image/svg+xml", True, False),
        ("x.pdf", "application/pdf", True, True),
        ("x.csv", "text/csv", True, True),
        ("x.html", "application/octet-stream", True, True),
        ("x.svgz", "application/octet-stream", True, True),
        ("x.xhtml", "application/octet-stream", True, True),
        ("x.xml", "application/octet-stream", True, True),
        ("x.txt", "application/octet-stream", True, True),
        ("x.js", "application/octet-stream", True, True),
        ("x.jpg.html", "application/octet-stream", True, True),
        ("x", "application/octet-stream", True, True),
        ('a "b" ü.pdf', "application/pdf", True, True),
    ],
)
def test_nothing_runs(client: Client, root: Path, name: str, kind: str, is_inert: bool, is_saved: bool) -> None:
    (root / name).write_text("<script>alert(1)</script>")
    name_file(name)
    for headers in ({}, {"range": "bytes=0-3"}):
        response, _ = fetch(client, name, **headers)
        assert response.headers["Content-Type"] == kind
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert (response.headers.get("Content-Security-Policy") == INERT) is is_inert
        assert response.headers.get("Content-Disposition", "").startswith("attachment; filename") is is_saved


@pytest.mark.parametrize(
    ("wanted", "status", "content_range", "body"),
    [
        ("bytes=0-0", 206, "bytes 0-0/1024", BODY[:1]),
        ("bytes=10-19", 206, "bytes 10-19/1024", BODY[10:20]),
        ("bytes=1000-", 206, "bytes 1000-1023/1024", BODY[1000:]),
        ("bytes=1000-5000", 206, "bytes 1000-1023/1024", BODY[1000:]),
        ("bytes=-24", 206, "bytes 1000-1023/1024", BODY[1000:]),
        ("bytes=-5000", 206, "bytes 0-1023/1024", BODY),
        ("bytes=0-", 206, "bytes 0-1023/1024", BODY),
        ("bytes = 0 - 9", 206, "bytes 0-9/1024", BODY[:10]),
        ("bytes=1024-", 416, "bytes */1024", b""),
        ("bytes=5000-6000", 416, "bytes */1024", b""),
        ("bytes=-0", 416, "bytes */1024", b""),
        ("bytes=0-9,20-29", 200, None, BODY),
        ("bytes=9-0", 200, None, BODY),
        ("bytes=x-9", 200, None, BODY),
        ("bytes=-", 200, None, BODY),
        ("lines=0-9", 200, None, BODY),
        ("bytes=٠-٩", 200, None, BODY),
        ("bytes=" + "9" * 5000 + "-", 200, None, BODY),
    ],
)
def test_ranges(client: Client, wanted: str, status: int, content_range: str | None, body: bytes) -> None:
    response, got = fetch(client, range=wanted)
    assert response.status_code == status
    assert response.headers.get("Content-Range") == content_range
    assert got == body
    assert response.headers.get("Content-Length", "0") == str(len(body)) or status == 416


def test_every_way_of_cutting_a_file_gives_it_back(client: Client) -> None:
    for step in (1023, 500, 333):
        pieces = [fetch(client, range=f"bytes={start}-{start + step - 1}")[1] for start in range(0, 1024, step)]
        assert b"".join(pieces) == BODY


def test_an_empty_file(client: Client, root: Path) -> None:
    (root / "empty.mp4").write_bytes(b"")
    name_file("empty.mp4")
    assert fetch(client, "empty.mp4")[1] == b""
    assert fetch(client, "empty.mp4")[0].headers["Content-Length"] == "0"
    assert fetch(client, "empty.mp4", range="bytes=0-0")[0].status_code == 416


def test_a_range_of_another_version_is_the_whole_file(client: Client) -> None:
    headers = fetch(client)[0].headers
    for good in (headers["ETag"], headers["Last-Modified"]):
        assert fetch(client, **{"range": "bytes=0-9", "if-range": good})[0].status_code == 206
    for old in ('"other"', "W/" + headers["ETag"], "Sat, 01 Jan 2000 00:00:00 GMT", "yesterday"):
        response, body = fetch(client, **{"range": "bytes=0-9", "if-range": old})
        assert (response.status_code, body) == (200, BODY)


def test_an_unchanged_file_is_answered_304(client: Client) -> None:
    headers = fetch(client)[0].headers
    for condition in (
        {"if-none-match": headers["ETag"]},
        {"if-modified-since": headers["Last-Modified"]},
        {"if-none-match": "*"},
    ):
        response, body = fetch(client, **condition, range="bytes=0-9")
        assert (response.status_code, body) == (304, b"")
        assert response.headers["ETag"] == headers["ETag"]
        assert response.headers["Cache-Control"] == "public, max-age=3600"
    assert fetch(client, **{"if-none-match": '"other"'})[0].status_code == 200
    assert fetch(client, **{"if-match": '"other"'})[0].status_code == 412


def test_the_tag_moves_with_the_file(client: Client, root: Path) -> None:
    before = fetch(client)[0].headers["ETag"]
    (root / "media/2026/03/x.mp4").write_bytes(BODY[::-1])
    os.utime(root / "media/2026/03/x.mp4", (1, 2))
    assert fetch(client)[0].headers["ETag"] != before


def test_head_is_a_get_without_a_body(client: Client) -> None:
    got, asked = fetch(client)[0].headers, fetch(client, method="head", range="bytes=0-9")
    assert (asked[0].status_code, asked[1]) == (200, b"")
    assert {name: asked[0].headers[name] for name in ("Content-Length", "Content-Type", "ETag", "Last-Modified")} == {
        name: got[name] for name in ("Content-Length", "Content-Type", "ETag", "Last-Modified")
    }


def test_only_reading_is_allowed() -> None:
    for method in ("post", "put", "delete", "patch"):
        assert fetch(Client(), method=method)[0].status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "",
        "media",
        "media/",
        "media/2026",
        "media/2026/03/",
        "media/2026/03/missing.jpg",
        "media/2026/03/x.mp4/",
        "media/2026/03/x.mp4/more",
        "media//2026/03/x.mp4",
        "../secret.txt",
        "media/../../secret.txt",
        "%2e%2e/secret.txt",
        "media/%2e%2e/%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "..%5csecret.txt",
        "media%5c2026%5c03%5cx.mp4",
        "%252e%252e/secret.txt",
        "media/2026/03/x.mp4%00.jpg",
        "%00",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "media/./2026/03/x.mp4",
        "link.txt",
        "folder/secret.txt",
        "loop.jpg",
        "pipe.mp4",
        ".hidden.jpg",
        ".git/config.png",
        "a" * 300 + ".jpg",
        "a/" * 3000 + "x.jpg",
        "%ff%fe.jpg",
        "%ed%a0%80.jpg",
        "x%0a.jpg",
        "C:%5cwindows%5cx.jpg",
    ],
)
def test_nothing_but_files_below_the_root(client: Client, root: Path, path: str) -> None:
    (root.parent / "secret.txt").write_text("secret")
    (root.parent / "root-twin").mkdir()
    (root / "link.txt").symlink_to(root.parent / "secret.txt")
    (root / "folder").symlink_to(root.parent)
    (root / "loop.jpg").symlink_to(root / "loop.jpg")
    (root / ".hidden.jpg").write_text("secret")
    os.mkfifo(root / "pipe.mp4")
    for name in ("link.txt", "folder/secret.txt", "loop.jpg", ".hidden.jpg", "pipe.mp4", "media/2026/03/missing.jpg"):
        name_file(name)
    response, body = fetch(client, path)
    assert response.status_code == 404
    assert b"secret" not in body
    assert fetch(client, path, method="head")[0].status_code == 404


def test_a_link_inside_the_root_is_followed(client: Client, root: Path) -> None:
    (root / "alias.mp4").symlink_to(root / "media/2026/03/x.mp4")
    name_file("alias.mp4")
    assert fetch(client, "alias.mp4")[1] == BODY


def test_documents_are_handed_out_by_the_same_view(client: Client) -> None:
    document = MediaFile.objects.create(title="Page", file=ContentFile(b"<script>", name="page.txt"))
    response = client.get(document.url)
    assert (response.status_code, response.url) == (302, document.file.url)
    served, _ = fetch(client, document.file.name)
    assert served.headers["Content-Security-Policy"] == INERT
    assert served.headers["Content-Disposition"] == f'attachment; filename="{Path(document.file.name).name}"'


def test_documents_of_a_private_collection_are_private_at_every_address(client: Client) -> None:
    collection = Collection.get_first_root_node().add_child(name="Board")
    below = collection.add_child(name="Minutes")
    document = MediaFile.objects.create(title="May", file=ContentFile(b"%PDF-secret", name="may.pdf"), collection=below)
    open_one = MediaFile.objects.create(title="June", file=ContentFile(b"%PDF-open", name="june.pdf"))
    assert fetch(client, document.file.name)[0].headers["Cache-Control"] == "public, max-age=3600"
    CollectionViewRestriction.objects.create(collection=collection, restriction_type="login")
    response, body = fetch(client, document.file.name)
    assert (response.status_code, response.url, body) == (302, document.url, b"")
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert "/login/" in client.get(document.url).url
    assert fetch(client, open_one.file.name)[1] == b"%PDF-open"
    client.force_login(people.alice())
    assert client.get(document.url).url == document.file.url
    served, body = fetch(client, document.file.name)
    assert (served.status_code, body) == (200, b"%PDF-secret")
    assert served.headers["Cache-Control"] == "private, no-cache"


def test_a_file_that_goes_while_it_is_asked_for(client: Client, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cms_api.media.services.storage.LocalSection", _gone)
    assert fetch(client)[0].status_code == 404


def _gone(descriptor: int, path: str, start: int, length: int) -> Any:
    os.close(descriptor)
    raise FileNotFoundError


@pytest.mark.both_databases
@pytest.mark.parametrize("name", ["media/2026/03/y.pdf", "media/2026/03/y.png", "media/variants/2026/03/y.webp", "y.mp4"])
def test_a_file_that_no_record_names_is_not_served(client: Client, root: Path, name: str) -> None:
    """Its record may have been private: a restore, a crash or a deletion can leave it."""
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(b"secret")
    for method in ("get", "head"):
        for headers in ({}, {"range": "bytes=0-3"}, {"if-none-match": "*"}):
            response, body = fetch(client, name, method, **headers)
            assert (response.status_code, response.headers["Cache-Control"]) == (404, "no-store")
            assert b"secret" not in body
    client.force_login(people.alice())
    assert fetch(client, name)[0].status_code == 404


@pytest.mark.both_databases
def test_every_file_that_a_record_names_is_served(client: Client) -> None:
    image = make_image()
    document = MediaFile.objects.create(title="Page", file=ContentFile(b"%PDF-1", name="page.pdf"))
    profile = UserProfile.get_for_user(people.alice())
    profile.avatar.save("picture.webp", ContentFile(b"picture"))
    files = [image.file, document.file, profile.avatar, image.get_rendition("width-4").file]
    files += [each.file for each in image.renditions.all()]
    for file in files:
        assert fetch(client, file.name)[0].status_code == 200
    image.delete()
    document.delete()
    profile.delete()
    for file in files:
        file.storage.save(file.name, ContentFile(b"left"))
        assert fetch(client, file.name)[0].status_code == 404, file.name


@pytest.mark.both_databases
def test_renditions_of_an_image_that_was_put_there_by_other_means(client: Client, root: Path) -> None:
    made = make_image()
    (root / "old").mkdir()
    (root / made.file.name).rename(root / "old/x.png")
    image = MediaImage.objects.create(title="Old", file="old/x.png", width=8, height=6)
    rendition = image.get_rendition("width-4")
    assert rendition.file.name.startswith("old/")
    assert [fetch(client, name)[0].status_code for name in ("old/x.png", rendition.file.name)] == [200, 200]
    collection = Collection.get_first_root_node().add_child(name="Board")
    CollectionViewRestriction.objects.create(collection=collection, restriction_type="login")
    MediaImage.objects.filter(pk=image.pk).update(collection=collection)
    assert [fetch(client, name)[0].status_code for name in ("old/x.png", rendition.file.name)] == [302, 302]


def test_what_an_editor_is_still_uploading_is_not_served(client: Client) -> None:
    waiting = UploadedFile.objects.create(file=ContentFile(b"secret", name="x.png"))
    assert fetch(client, waiting.file.name)[0].status_code == 404


def test_columns_that_name_files_are_few_or_indexed() -> None:
    """Each is searched for an unknown file: a table with many rows needs an index, and one that nobody serves is an exception."""
    assert {str(field) for field in other_files()} == {
        "wagtaildocs.Document.file",
        "wagtailimages.Image.file",
        "wagtailimages.Rendition.file",
        "wagtailusers.UserProfile.avatar",
    }


@pytest.mark.django_db(transaction=True)
def test_a_large_file_through_the_real_server(tmp_path: Path) -> None:
    """64 MB by the kernel, whole and in part, while the server's memory stays where it was."""
    if connection.vendor != "sqlite":
        pytest.skip("the server reads the test's database, which it finds by its file")
    media = tmp_path / "media"
    body = os.urandom(1024 * 1024)
    with (media / "large.mp4").open("wb") as file:
        for _ in range(64):
            file.write(body)
    name_file("large.mp4")
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    root = Path(__file__).resolve().parents[2]
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "VAR_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
        "PYTHONPATH": f"{root}:{root / 'site'}",
    }
    command = [sys.executable, "-m", "cms_api.gateway.serving.server", str(listener.fileno())]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, pass_fds=[listener.fileno()])
    listener.close()
    try:
        address = f"http://127.0.0.1:{port}/media/large.mp4"
        _wait_for(f"http://127.0.0.1:{port}/healthz")
        first = _get(address, "bytes=0-9")
        assert first == (206, body[:10])
        before = _memory(process.pid)
        assert _get(address, "bytes=1048570-1048585") == (206, body[-6:] + body[:10])
        assert _get(address, "bytes=-5") == (206, body[-5:])
        assert _get(address) == (200, body * 64)
        assert _memory(process.pid) - before < 8 * 1024
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(address: str) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def _get(address: str, wanted: str = "") -> tuple[int, bytes]:
    request = urllib.request.Request(address, headers={"Range": wanted} if wanted else {})
    with urllib.request.urlopen(request, timeout=20) as response:
        return response.status, response.read()


def _memory(pid: int) -> int:
    """The resident memory of a process, in kB."""
    return int(subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True).stdout)
