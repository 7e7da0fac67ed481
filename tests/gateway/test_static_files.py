"""Static files that are collected while a process runs."""

from pathlib import Path
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils.module_loading import import_string

# The end of a response closes database connections.
pytestmark = pytest.mark.django_db


@pytest.fixture
def serve(settings: Any, tmp_path: Path) -> Any:
    """The middleware of the settings, as it is after the start of a process in production; a call returns the response."""
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "site.0a1b.css").write_text("old")
    (tmp_path / "secret.txt").write_text("secret")
    settings.STATIC_ROOT = tmp_path / "static"
    settings.WHITENOISE_AUTOREFRESH = settings.WHITENOISE_USE_FINDERS = False
    (path,) = [each for each in settings.MIDDLEWARE if "StaticFiles" in each or "WhiteNoise" in each]

    def next_one(request: HttpRequest) -> HttpResponse:
        return HttpResponse(status=404)

    middleware = import_string(path)(next_one)

    def respond(url: str) -> tuple[int, bytes]:
        response = middleware(RequestFactory().get(url))
        try:
            return response.status_code, b"".join(response)
        finally:
            response.close()

    return respond


def test_files_of_the_next_release_are_served(serve: Any, tmp_path: Path) -> None:
    assert serve("/static/site.2c3d.css")[0] == 404
    (tmp_path / "static" / "site.2c3d.css").write_text("new")
    assert serve("/static/site.2c3d.css") == (200, b"new")
    assert serve("/static/site.0a1b.css") == (200, b"old")


@pytest.mark.parametrize(
    "url", ["/static/../secret.txt", "/static/%2e%2e/secret.txt", "/static//secret.txt", "/static/", "/static/a\0b"]
)
def test_nothing_else_is(serve: Any, url: str) -> None:
    assert serve(url)[0] == 404
