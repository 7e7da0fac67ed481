"""Multipart bodies: valid ones, the errors of invalid ones, and repeats with an idempotency key."""

import io
from pathlib import Path
from typing import Any

import pytest

from cms_api.http import multipart
from cms_api.media.models import Media
from cms_api.media.services import intake, library
from tests.client import BOUNDARY, Api, part

from .files import MP4, all_files, png, sent

pytestmark = pytest.mark.django_db

KIND = f"multipart/form-data; boundary={BOUNDARY.decode()}"
END = b"--" + BOUNDARY + b"--\r\n"


@pytest.mark.both_databases
def test_it_works_whatever_the_order_and_names_of_parts(api: Api) -> None:
    parts = [("unknown", "x"), ("alt", "first"), ("other", ("b.png", b"no picture")), ("file", ("a.png", png()))]
    answer = api.upload("/media", *parts)
    assert answer.status_code == 201
    assert answer.json()["data"]["alt"] == "first"


@pytest.mark.parametrize(("name", "value"), [("file", ("b.png", png())), ("file", "x"), ("alt", "last"), ("other", "x")])
def test_a_part_is_sent_once(api: Api, name: str, value: Any) -> None:
    parts = [("alt", "first"), ("other", ("c.png", b"x")), ("file", ("a.png", png())), (name, value)]
    refused = api.upload("/media", *parts)
    assert (refused.status_code, set(refused.json()["errors"])) == (422, {name})
    assert not Media.objects.exists()


HEAD = b"--" + BOUNDARY + b"\r\n"
DISPOSITION = b'Content-Disposition: form-data; name="file"; filename="a.png"\r\n'
#: The fault of a body, to the body and the status.
BODIES: dict[str, tuple[bytes, int]] = {
    "nothing": (b"", 415),
    "no parts": (END, 422),
    "text": (b"hello", 422),
    "JSON": (b'{"file": "x"}', 422),
    "no file": (part(("alt", "x")) + END, 422),
    "a file that is text": (part(("file", "x")) + END, 422),
    "a file without a name": (part(("file", ("", png()))) + END, 422),
    "a file of dots": (part(("file", ("..", png()))) + END, 422),
    "a part without headers": (HEAD + b"\r\nx\r\n" + END, 422),
    "a part without a name": (HEAD + b"Content-Disposition: form-data\r\n\r\nx\r\n" + END, 422),
    "headers without an end": (HEAD + DISPOSITION + b"X" * 10_000, 400),
    "a header of 2 MB": (HEAD + b"X-Long: " + b"a" * 2_000_000 + b"\r\n" + DISPOSITION + b"\r\n\r\nx\r\n" + END, 400),
    "no end": (part(("file", ("a.png", png()[:40]))), 422),
    "base64 that is none": (HEAD + DISPOSITION + b"Content-Transfer-Encoding: base64\r\n\r\n!!!!\r\n" + END, 422),
    "too many fields": (b"".join(part((f"f{n}", "x")) for n in range(1251)) + END, 400),
    "a hundred and one files": (b"".join(part((f"f{n}", ("a.png", b"x"))) for n in range(101)) + END, 400),
    "a field of six megabytes": (part(("alt", b"x" * 6_000_000)) + END, 413),
}


@pytest.mark.parametrize("why", BODIES)
def test_bodies_that_are_refused(api: Api, media_root: Path, why: str) -> None:
    raw, status = BODIES[why]
    refused = api.request("POST", "/media", raw, content_type=KIND)
    assert refused.status_code == status, refused.content[:300]
    assert refused.json()["message"]
    if status == 422:
        assert set(refused.json()["errors"]) == {"file"}
    assert not Media.objects.exists()
    assert all_files(media_root) == set()


TYPES = {
    "application/json": 415,
    "text/plain": 415,
    "application/x-www-form-urlencoded": 415,
    "multipart/mixed; boundary=x": 415,
    "image/png": 415,
    "": 415,
    f"{KIND}; charset=utf-16": 415,
    f"{KIND}; charset=latin-1": 415,
    f"{KIND}; charset=base64": 415,
    "multipart/form-data": 400,
    "multipart/form-data; boundary=": 400,
    "multipart/form-data; boundary=" + "x" * 300: 400,
    "multipart/form-data; boundary=é": 400,
    "multipart/form-data; boundary=a\0b": 400,
}


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: repr(kind[:45]))
def test_media_types_that_are_refused(api: Api, kind: str) -> None:
    body = part(("file", ("a.png", png()))) + END
    refused = api.request("POST", "/media", body, content_type=kind)
    assert refused.status_code == TYPES[kind], refused.content
    assert refused.json()["message"]


@pytest.mark.parametrize("charset", ["utf-8", "UTF8", '"UTF-8"'])
def test_the_charset_may_be_utf_8(api: Api, charset: str) -> None:
    body = part(("file", ("a.png", png()))) + part(("alt", "Grüße")) + END
    answer = api.request("POST", "/media", body, content_type=f"{KIND}; charset={charset}")
    assert (answer.status_code, answer.json()["data"]["alt"]) == (201, "Grüße")


@pytest.mark.parametrize(("length", "status"), [("x", 400), ("-5", 400), (str(10**12), 413), ("9" * 40, 413), (str(2**28), 413)])
def test_lengths_that_are_refused_before_the_body_is_read(api: Api, length: str, status: int) -> None:
    class Unread(io.BytesIO):
        def read(self, *_: Any) -> bytes:
            raise AssertionError("The body was read.")

    refused = api.http.generic(
        "POST",
        "/api/v1/media",
        b"",
        CONTENT_TYPE=KIND,
        HTTP_AUTHORIZATION=f"Bearer {api.token}",
        CONTENT_LENGTH=length,
        **{"wsgi.input": Unread()},
    )
    assert refused.status_code == status
    assert refused.json()["message"]


def test_a_file_may_be_as_large_as_the_limit_and_no_larger(api: Api, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.API_MAX_UPLOAD_BYTES = 200_000
    monkeypatch.setattr(intake, "MAX_UPLOAD_BYTES", 200_000)
    whole = MP4 + b"\0" * (200_000 - len(MP4))
    assert sent(api, "a.mp4", whole)["size"] == 200_000
    for content in (whole + b"\0", whole + b"\0" * 70_000):
        refused = api.upload("/media", ("file", ("b.mp4", content)))
        assert refused.status_code == 413
        assert set(refused.json()) == {"message"}
    monkeypatch.setattr(multipart, "OVERHEAD_BYTES", 10**9)
    assert api.upload("/media", ("file", ("b.mp4", whole + b"\0" * 70_000))).status_code == 413
    assert Media.objects.count() == 1


def test_a_repeat_with_the_same_key_uploads_once(api: Api, media_root: Path) -> None:
    fields = (("file", ("a.png", png())), ("alt", "x"))
    first = api.upload("/media", *fields, idempotency_key="k")
    again = api.upload("/media", *reversed(fields), idempotency_key="k")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert (first.headers.get("Idempotency-Replayed"), again.headers["Idempotency-Replayed"]) == (None, "true")
    assert Media.objects.count() == 1
    assert len(all_files(media_root)) == 1


@pytest.mark.parametrize(
    "other",
    [
        (("file", ("a.png", png(41))), ("alt", "x")),
        (("file", ("b.png", png())), ("alt", "x")),
        (("file", ("a.png", png())), ("alt", "y")),
        (("file", ("a.png", png())),),
    ],
)
def test_a_key_is_not_for_another_body(api: Api, other: Any) -> None:
    assert api.upload("/media", ("file", ("a.png", png())), ("alt", "x"), idempotency_key="k").status_code == 201
    refused = api.upload("/media", *other, idempotency_key="k")
    assert (refused.status_code, set(refused.json()["errors"])) == (422, {"idempotency_key"})


def test_a_refusal_is_kept_and_not_worked_out_again(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    first = api.upload("/media", ("file", ("a.png", b"no picture")), idempotency_key="k")
    monkeypatch.setattr(intake, "receive", None)
    again = api.upload("/media", ("file", ("a.png", b"no picture")), idempotency_key="k")
    assert (first.status_code, again.status_code, again.content) == (422, 422, first.content)
    assert again.headers["Idempotency-Replayed"] == "true"


def test_a_failure_leaves_no_file_and_no_claim(api: Api, media_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api.validate = False

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("on purpose")

    with monkeypatch.context() as patched:
        patched.setattr("cms_api.media.api._record", fail)
        api.http.raise_request_exception = False
        assert api.upload("/media", ("file", ("a.png", png())), idempotency_key="k").status_code == 500
    assert all_files(media_root) == set()
    assert not Media.objects.exists()
    answer = api.upload("/media", ("file", ("a.png", png())), idempotency_key="k")
    assert (answer.status_code, "Idempotency-Replayed" in answer.headers) == (201, False)


def test_a_failing_write_takes_the_files_with_it(media_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.core.files.base import ContentFile

    def fail(*_: Any, **__: Any) -> None:
        assert len(all_files(media_root)) == 3
        raise RuntimeError("on purpose")

    monkeypatch.setattr("cms_api.media.services.records.invalidate", fail)
    with pytest.raises(RuntimeError):
        library.upload(file=ContentFile(png(600, 400), name="a.png"))
    assert all_files(media_root) == set()
