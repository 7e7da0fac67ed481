"""HTTPS and the Host header: the API is held to the same rules as pages."""

from typing import Any

import pytest
from django.test import Client

from tests.client import Api

pytestmark = pytest.mark.django_db

PATHS = ["/", "/admin/login/", "/api/v1", "/api/v1/content-items", "/api/v1/openapi.json"]


@pytest.fixture
def https(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$"]


@pytest.mark.usefixtures("https")
@pytest.mark.parametrize("path", PATHS)
def test_plain_http_is_redirected(path: str, api: Api) -> None:
    response = Client().get(path, headers={"Authorization": f"Bearer {api.token}"})
    assert (response.status_code, response["Location"]) == (301, f"https://testserver{path}")
    assert response.content == b""


@pytest.mark.usefixtures("https")
def test_a_write_over_plain_http_does_nothing(api: Api) -> None:
    body = {"type": "service", "data": {"title": "Sent in the clear"}}
    headers = {"Authorization": f"Bearer {api.token}"}
    assert Client().post("/api/v1/content-items", body, content_type="application/json", headers=headers).status_code == 301
    found = Client().get("/api/v1/content-items?search=clear&status=all", headers=headers, secure=True)
    assert found.json()["meta"]["total"] == 0


@pytest.mark.usefixtures("https")
@pytest.mark.parametrize("path", PATHS)
def test_browsers_are_told_to_use_https(path: str) -> None:
    assert Client().get(path, secure=True)["Strict-Transport-Security"] == "max-age=31536000"


@pytest.mark.usefixtures("https")
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_checks_ask_a_host_directly(path: str) -> None:
    assert Client().get(path, headers={"Host": "10.0.0.7:8000"}).status_code == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", "testserver@evil.example", "a b", "", "x" * 300])
def test_a_foreign_host(path: str, host: str, api: Api) -> None:
    response = Client().get(path, headers={"Host": host, "Authorization": f"Bearer {api.token}"})
    assert response.status_code == 400
    if path.startswith("/api"):
        assert response.json() == {"message": "The Host header is not allowed."}
    assert "evil" not in response.content.decode()


def test_a_host_that_is_too_long_is_refused_whatever_hosts_are_allowed(settings: Any, api: Api) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    for path in PATHS:
        headers = {"Host": f"{'x' * 260}.example", "Authorization": f"Bearer {api.token}"}
        assert Client().get(path, headers=headers).status_code == 400
    headers = {"Host": "any.example", "Authorization": f"Bearer {api.token}"}
    assert Client().get("/api/v1/content-items", headers=headers).status_code == 200
