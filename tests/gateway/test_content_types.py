"""Content-Type headers that cannot be parsed, or name a charset that is none: no request fails because of one."""

import io
from typing import Any

import pytest
from django.core.exceptions import SuspiciousOperation
from django.core.handlers.wsgi import WSGIRequest

from cms_api.gateway.wsgi import Application
from tests.client import Api

pytestmark = pytest.mark.django_db

BAD = [
    *(f"{kind}; charset={charset}" for kind in ("application/json", "text/plain") for charset in ("base64", "idna", "undefined")),
    "multipart/form-data; charset=base64; boundary=x",
    "application/x-www-form-urlencoded; charset=latin-1",
    "application/json; charset=\0",
    "application/json; charset*=nothing''abc",
    "application/json; other*=idna''abc",
    "application/json; other*=\0''abc",
]
TEXT = "h\u00e9llo"


def answer(application: Application, method: str, path: str, kind: str, token: str = "", body: bytes = b"") -> tuple[int, bytes]:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": "search=h%C3%A9llo",
        "CONTENT_TYPE": kind,
        "CONTENT_LENGTH": str(len(body)),
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "HTTP_AUTHORIZATION": f"Bearer {token}",
        "wsgi.input": io.BytesIO(body),
        "wsgi.url_scheme": "http",
    }
    started: list[str] = []
    whole = b"".join(application(environ, lambda status, headers: started.append(status)))
    return int(started[0][:3]), whole


@pytest.mark.parametrize("kind", BAD, ids=ascii)
def test_such_a_header_is_no_error(application: Application, api: Api, kind: str) -> None:
    status, body = answer(application, "GET", "/api/v1/content-items", kind, api.token)
    assert (status, TEXT.encode() in body or b"h%C3%A9llo" in body) == (200, True)
    assert answer(application, "POST", "/api/v1/content-items", kind, api.token, b'{"type": "x"}')[0] == 415
    assert answer(application, "GET", "/nothing/", kind)[0] == 404
    assert answer(application, "POST", "/accounts/login/", kind, body=b"a=1")[0] < 500


@pytest.mark.parametrize("kind", BAD, ids=ascii)
def test_djangos_own_requests_would_fail(kind: str) -> None:
    """The control: each of them fails, or garbles the query."""
    environ = {"REQUEST_METHOD": "GET", "QUERY_STRING": "a=h%C3%A9", "CONTENT_TYPE": kind, "wsgi.input": io.BytesIO()}
    try:
        request = WSGIRequest(environ)
    except (LookupError, ValueError, SuspiciousOperation):
        return
    assert request.GET["a"] != "h\u00e9"
