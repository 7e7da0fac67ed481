"""Media in an S3-compatible storage, over the network: stored, shown and served, and the site during an outage."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
import requests
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import ContentFile
from django.core.files.images import ImageFile
from django.core.files.storage import default_storage
from django.test import Client
from PIL import Image
from wagtail.images.models import Filter

from cms_api.media.models import MediaFile, MediaImage
from cms_api.media.services import object_storage
from cms_api.media.services.object_storage import CHUNK_BYTES, SINGLE_UPLOAD_BYTES, ObjectStorage
from cms_api.media.services.storage import StorageUnavailable
from config.settings.environment import storage
from tests.builders import make_item, name_file

from .object_server import ACCESS_KEY, SECRET_KEY, Bucket, storage_url

pytestmark = pytest.mark.django_db

INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def make_image(width: int = 800, height: int = 500) -> MediaImage:
    drawn = BytesIO()
    Image.new("RGB", (width, height), "#336699").save(drawn, "PNG")
    return MediaImage.objects.create(title="Heron", file=ImageFile(drawn, name="heron.png"))


def fetch(client: Client, path: str, method: str = "get", **headers: str) -> tuple[Any, bytes]:
    response = getattr(client, method)(path, headers=headers)
    return response, b"".join(response.streaming_content) if response.streaming else response.content


@pytest.mark.both_databases
def test_it_works(bucket: Bucket, client: Client) -> None:
    image = make_image()
    assert (image.width, image.height) == (800, 500)
    with image.generate_rendition_file(Filter("width-400|format-webp")) as drawn:
        rendition = image.renditions.create(filter_spec="width-400|format-webp", focal_point_key="", file=drawn)
    assert (rendition.width, rendition.height) == (400, 250)
    kept = (image, *image.renditions.all())
    assert sorted(bucket.objects) == sorted(f"site a/{each.file.name}" for each in kept)
    assert bucket.objects[f"site a/{rendition.file.name}"][1]["Content-Type"] == "image/webp"
    assert rendition.url == "/media/" + rendition.file.name
    response, _ = fetch(client, rendition.url)
    assert (response.status_code, response.headers["Cache-Control"]) == (302, "public, max-age=1800")
    shown = requests.get(response.url, timeout=10)
    assert (shown.status_code, shown.headers["Content-Type"]) == (200, "image/webp")
    assert Image.open(BytesIO(shown.content)).size == (400, 250)
    with image.open_file() as file:
        assert Image.open(file).format == "PNG"
    address = rendition.url
    for each in kept:
        each.file.delete(save=False)
    assert bucket.objects == {}
    assert requests.get(fetch(client, address)[0].url, timeout=10).status_code == 404


def test_a_signed_address_is_for_one_file_and_for_reading(bucket: Bucket, client: Client) -> None:
    first, second = default_storage.save("a.png", ContentFile(b"1")), default_storage.save("b.png", ContentFile(b"2"))
    name_file(first)
    signed = fetch(client, f"/media/{first}")[0].url
    assert requests.get(signed, timeout=10).content == b"1"
    assert "X-Amz-Expires=3600" in signed
    assert SECRET_KEY not in signed
    assert requests.get(signed.replace(first, second), timeout=10).status_code == 403
    assert requests.delete(signed, timeout=10).status_code == 403
    assert requests.get(signed.partition("?")[0], timeout=10).status_code == 403


@pytest.mark.parametrize("name", ["x.svg", "x.html", "x.pdf", "x y ü+%#?.bin"])
def test_what_could_run_is_handed_on_by_the_site(bucket: Bucket, client: Client, name: str) -> None:
    content = os.urandom(CHUNK_BYTES + 1000)
    path = default_storage.url(name_file(default_storage.save(f"media/2026/03/{name}", ContentFile(content))).file.name)
    response, body = fetch(client, path)
    assert (response.status_code, body == content) == (200, True)
    assert response.headers["Content-Security-Policy"] == INERT
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Length"] == str(len(content))
    assert ("Content-Disposition" in response.headers) == (name != "x.svg")
    part, body = fetch(client, path, range=f"bytes={CHUNK_BYTES - 5}-{CHUNK_BYTES + 4}")
    assert (part.status_code, body) == (206, content[CHUNK_BYTES - 5 : CHUNK_BYTES + 5])
    assert fetch(client, path, **{"if-none-match": response.headers["ETag"]})[0].status_code == 304
    assert fetch(client, path, "head")[0].headers["Content-Length"] == str(len(content))


def test_a_video_can_be_asked_about_here(bucket: Bucket, client: Client) -> None:
    name = name_file(default_storage.save("x.mp4", ContentFile(b"video"))).file.name
    response, _ = fetch(client, f"/media/{name}", "head")
    assert (response.status_code, response.headers["Content-Length"]) == (200, "5")


@pytest.mark.parametrize("path", ["missing.svg", "..%2fx.svg", "%2e%2e/%2e%2e/x.svg", "a//b.svg", "x%00.svg", "media/"])
def test_what_is_not_there(bucket: Bucket, client: Client, path: str) -> None:
    bucket.objects["x.svg"] = (b"outside", {})
    name_file("missing.svg")
    assert fetch(client, f"/media/{path}")[0].status_code == 404


@pytest.mark.parametrize("name", ["stray.png", "stray.svg", "stray.pdf"])
def test_an_object_that_no_record_names(bucket: Bucket, client: Client, name: str) -> None:
    path = default_storage.save(f"media/2026/03/{name}", ContentFile(b"secret"))
    for method in ("get", "head"):
        response, body = fetch(client, f"/media/{path}", method)
        assert (response.status_code, response.headers["Cache-Control"]) == (404, "no-store")
        assert b"secret" not in body


@pytest.mark.parametrize("name", ["../x.svg", "a/../../x.svg", "/x.svg", "a//x.svg", "a\\..\\..\\x.svg", "./x.svg"])
def test_no_name_leads_out_of_the_folder(bucket: Bucket, name: str) -> None:
    with pytest.raises(SuspiciousFileOperation):
        default_storage.exists(name)


def test_a_document(bucket: Bucket, client: Client) -> None:
    document = MediaFile.objects.create(title="May", file=ContentFile(b"%PDF-", name="may.pdf"))
    response = client.get(document.url)
    assert (response.status_code, response.url) == (302, document.file.url)
    assert fetch(client, response.url)[1] == b"%PDF-"
    assert (document.file.size, document.get_file_hash()) == (5, document.file_hash)


def test_nothing_is_overwritten(bucket: Bucket) -> None:
    names = [default_storage.save("x.png", ContentFile(bytes([number]))) for number in range(3)]
    assert len(set(names)) == 3
    assert [bucket.objects[f"site a/{name}"][0] for name in names] == [b"\0", b"\1", b"\2"]


@pytest.mark.parametrize("size", [10, SINGLE_UPLOAD_BYTES + 1])
def test_a_race_for_a_name_has_no_loser(bucket: Bucket, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Four uploads find the name free, and all go on at once."""
    together = threading.Barrier(4)
    found_free = threading.local()
    names: list[str] = []
    ask = ObjectStorage.exists

    def exists(self: ObjectStorage, name: str) -> bool:
        answer = ask(self, name)
        if not hasattr(found_free, "once"):
            found_free.once = True
            together.wait(10)
        return answer

    monkeypatch.setattr(ObjectStorage, "exists", exists)

    def upload(number: int) -> None:
        names.append(default_storage.save("x.bin", ContentFile(bytes([number]) * size)))

    threads = [threading.Thread(target=upload, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(names)) == 4
    assert {bucket.objects[f"site a/{name}"][0] for name in names} == {bytes([number]) * size for number in range(4)}


def test_a_large_file_goes_up_in_parts(bucket: Bucket) -> None:
    content = os.urandom(SINGLE_UPLOAD_BYTES + 5_000_000)
    name = default_storage.save("x.mp4", ContentFile(content))
    with default_storage.open(name) as file:
        assert file.read() == content
    assert any(each.startswith("POST") for each in bucket.asked)
    assert default_storage.size(name) == len(content)


def test_an_upload_that_fails_half_way_leaves_nothing(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(content: Any) -> Iterator[bytes]:
        yield b"1"
        raise OSError("gone")

    monkeypatch.setattr("cms_api.media.services.object_storage._pieces", broken)
    with pytest.raises(OSError, match="gone"):
        default_storage.save("x.mp4", ContentFile(b"1" * (SINGLE_UPLOAD_BYTES + 1)))
    assert bucket.objects == {}


def test_deleting_what_is_gone_is_no_error(bucket: Bucket) -> None:
    default_storage.delete("x.png")
    with pytest.raises(FileNotFoundError):
        default_storage.open("x.png")


def test_a_page_shows_pictures_of_the_storage(bucket: Bucket, client: Client) -> None:
    image = make_image()
    make_item(title="Heron", featured_media_id=image.pk)
    html = client.get("/blog-post/heron").content.decode()
    assert f'src="/media/{image.file.name.replace("media/", "media/variants/", 1).removesuffix(".png")}' in html


@pytest.mark.parametrize("failure", ["down", 500, 403])
def test_without_the_storage(bucket: Bucket, settings: Any, client: Client, failure: Any) -> None:
    """Reading a file fails with a clear error, links to it keep working, and pages leave out the images."""
    image, item = make_image(), make_item(title="Heron")
    name_file("x.svg")
    item.featured_media_id = image.pk
    item.save()
    if failure == "down":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            endpoint = f"http://127.0.0.1:{free.getsockname()[1]}"
        settings.STORAGES = {**settings.STORAGES, "default": storage(storage_url(endpoint))}
    else:
        bucket.failing = failure
    response, body = fetch(Client(raise_request_exception=False), "/media/x.svg")
    assert (response.status_code, response.headers["Retry-After"], response.headers["Cache-Control"]) == (503, "30", "no-store")
    assert b"Files are unavailable" in body
    assert fetch(client, image.file.url)[0].status_code == 302
    page = client.get("/blog-post/heron")
    assert page.status_code == 200
    assert "/media/" not in page.content.decode()
    with pytest.raises(StorageUnavailable):
        default_storage.save("x.png", ContentFile(b"1"))


def test_a_wrong_secret_or_bucket_says_so_without_telling_it(bucket: Bucket) -> None:
    options = {"endpoint": bucket.endpoint, "region": "eu-west-3", "access_key": ACCESS_KEY}
    for wrong in ({"bucket": "media", "secret_key": "another-secret"}, {"bucket": "nothing", "secret_key": SECRET_KEY}):
        with pytest.raises(StorageUnavailable) as problem:
            ObjectStorage(**options, **wrong).save("x.png", ContentFile(b"1"))
        assert wrong["secret_key"] not in str(problem.value) + str(problem.value.__cause__)


def test_credentials_of_the_environment(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    plain = ObjectStorage(bucket="media", endpoint=bucket.endpoint, region="eu-west-3")
    assert plain.save("x.png", ContentFile(b"1")) == "x.png"


def test_visitors_may_reach_the_storage_elsewhere(bucket: Bucket) -> None:
    options = {"bucket": "media", "endpoint": bucket.endpoint, "access_key": ACCESS_KEY, "secret_key": SECRET_KEY}
    signed = ObjectStorage(**options, public_endpoint="https://files.example.com").direct_address("x.png")
    assert signed.startswith("https://files.example.com/media/x.png?")


def test_a_fork_of_a_process_that_used_the_storage_does_not_wait(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cms_api.media.services.object_storage._user", os.getpid() + 1)
    with pytest.raises(StorageUnavailable, match="forked"):
        default_storage.exists("x.png")


def test_a_storage_that_does_not_answer_occupies_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """All threads of a process waited for it, each for half a minute, and nobody got a page."""
    monkeypatch.setattr(object_storage, "QUICK_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        away = ObjectStorage(bucket="media", endpoint=endpoint, region="x", access_key=ACCESS_KEY, secret_key=SECRET_KEY)
        seconds = []
        for _ in range(3):
            started = time.monotonic()
            with pytest.raises(StorageUnavailable):
                away.find("a.svg")
            seconds.append(time.monotonic() - started)
    assert seconds[0] < 10
    assert max(seconds[1:]) < 0.5
