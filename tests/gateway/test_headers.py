"""The security headers of every kind of response: pages, cached or not, errors, files, the admin and the API."""

import base64
import hashlib
import re
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.test import Client

from cms_api.core import versions
from cms_api.flags.services import switch_feature
from cms_api.gateway import headers
from cms_api.gateway.headers import SecurityHeadersMiddleware
from cms_api.media.models import MediaFile
from cms_api.media.services.storage import LocalStorage, StorageUnavailable
from cms_api.media.views import INERT
from home.services import create_home_page
from tests.builders import blog_post, make_image, make_item, make_token, name_file
from tests.client import Api

pytestmark = pytest.mark.django_db

POLICY, FRAMES, REFERRER = "Content-Security-Policy", "X-Frame-Options", "Referrer-Policy"
NAMES = (POLICY, FRAMES, REFERRER, "Permissions-Policy", "X-Content-Type-Options")
NO_REFERRER, SAME_ORIGIN, ORIGIN_ONLY = "no-referrer", "same-origin", "strict-origin-when-cross-origin"


@pytest.fixture
def site(client: Client) -> Client:
    """A visitor of a site with a home page and an item; failures are answered as on a public host."""
    create_home_page()
    make_item(blog_post(), data={"title": "Hello"}, slug="hello")
    client.raise_request_exception = False
    return client


def directives(response: Any) -> dict[str, str]:
    """The policy of a response: its directives and their sources."""
    found = (each.strip().partition(" ") for each in response.headers[POLICY].split(";"))
    return {name: sources for name, _, sources in found}


def assert_page(response: Any, referrer: str = ORIGIN_ONLY) -> None:
    """The headers are those of a page that runs no script but the site's own, and that only the site may frame."""
    policy = directives(response)
    assert policy["script-src"] == "'self'"
    assert "unsafe" not in policy["style-src"]
    assert (policy["default-src"], policy["form-action"], policy["frame-ancestors"]) == ("'self'", "'self'", "'self'")
    assert (policy["object-src"], policy["base-uri"]) == ("'none'", "'none'")
    assert response.headers[FRAMES] == "SAMEORIGIN"
    assert response.headers[REFERRER] == referrer
    assert_common(response)


def assert_json(response: Any) -> None:
    assert directives(response) == {"default-src": "'none'", "frame-ancestors": "'none'"}
    assert (response.headers[FRAMES], response.headers[REFERRER]) == ("DENY", NO_REFERRER)
    assert_common(response)


def assert_admin(response: Any) -> None:
    policy = directives(response)
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'self'"
    assert (response.headers[FRAMES], response.headers[REFERRER]) == ("SAMEORIGIN", SAME_ORIGIN)
    assert_common(response)


def assert_common(response: Any) -> None:
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "camera=()" in response.headers["Permissions-Policy"]


@pytest.mark.parametrize("path", ["/", "/blog-post", "/blog-post/hello", "/robots.txt", "/sitemap.xml", "/look.css"])
def test_pages(site: Client, path: str) -> None:
    first = site.get(path)
    assert first.status_code == 200
    assert_page(first)


def test_a_cached_page_and_its_304(site: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    first = site.get("/blog-post/hello")
    monkeypatch.setattr("cms_api.content.views.pages.render", None)
    cached = site.get("/blog-post/hello")
    assert cached.status_code == 200
    assert_page(cached)
    current = site.get("/blog-post/hello", headers={"If-None-Match": first.headers["ETag"]})
    assert current.status_code == 304
    assert_page(current)
    assert {name: cached.headers[name] for name in NAMES} == {name: first.headers[name] for name in NAMES}


def test_redirects_and_refusals(site: Client) -> None:
    assert_page(site.get("/admin"))
    assert_page(site.get("/nothing/here"))
    strict = Client(enforce_csrf_checks=True)
    switch_feature(name="marketing", on=True)
    refused = strict.post("/subscribe", {"email": "a@example.com"})
    assert refused.status_code == 403
    assert_page(refused)


@pytest.mark.parametrize("path", ["/", "/api/v1/content-items"])
def test_a_host_that_is_not_the_sites(path: str) -> None:
    refused = Client(HTTP_HOST="elsewhere.example").get(path)
    assert refused.status_code == 400
    (assert_json if path.startswith("/api/") else assert_page)(refused)


def test_a_redirect_to_https(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    redirect = Client().get("/blog-post")
    assert redirect.status_code == 301
    assert_page(redirect)


def test_a_failing_view(site: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cms_api.content.views.pages.render", None)
    failed = site.get("/blog-post/hello")
    assert failed.status_code == 500
    assert_page(failed)


def test_a_failure_outside_of_every_view(site: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise DatabaseError

    monkeypatch.setattr(versions, "snapshot", fail)
    failed = site.get("/blog-post/hello")
    assert failed.status_code == 500
    assert_page(failed)


def test_a_storage_that_does_not_respond(site: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: LocalStorage, name: str) -> None:
        raise StorageUnavailable

    monkeypatch.setattr(LocalStorage, "find", fail)
    name_file("2026/03/x.png")
    failed = site.get("/media/2026/03/x.png")
    assert failed.status_code == 503
    assert_page(failed)


def test_files(site: Client) -> None:
    document = MediaFile.objects.create(title="Page", file=ContentFile(b"<script>", name="page.txt"))
    paths = ("/media/" + make_image().file.name, "/static/site/site.css", "/media/" + document.file.name)
    for path in paths:
        response = site.get(path)
        assert b"".join(response.streaming_content)  # type: ignore[attr-defined]
        assert response.status_code == 200
        if path == paths[-1]:
            assert response.headers[POLICY] == INERT
            assert_common(response)
        else:
            assert_page(response)


def test_account_pages_send_no_referrer_to_other_sites(site: Client, accounts_on: None) -> None:
    for path in ("/accounts/login/", "/accounts/password/reset/"):
        page = site.get(path)
        assert page.status_code == 200
        assert_page(page, SAME_ORIGIN)
    # Without a form, nothing needs the origin.
    assert_page(site.get("/accounts/confirm-email/no-such-key/"), NO_REFERRER)


def test_the_admin(site: Client, admin_client: Client) -> None:
    for path in ("/admin/login/", "/admin/password_reset/", "/admin/nothing/"):
        assert_admin(site.get(path))
    for path in ("/admin/", "/admin/pages/", "/admin/features/", "/admin/nothing/", "/admin/api-documentation/"):
        assert_admin(admin_client.get(path))


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_checks(client: Client, path: str) -> None:
    assert_json(client.get(path))


def test_the_api(site: Client, api_on: None) -> None:
    api = Api(make_token("content:read"))
    found = api.get("/content-items")
    assert found.status_code == 200
    assert_json(found)
    current = api.request("GET", "/content-items", if_none_match=found.headers["ETag"])
    assert current.status_code == 304
    assert_json(current)
    assert_json(api.get("/content-items/987654321"))
    assert_json(Api().get("/content-items"))
    assert_json(api.delete("/content-items"))
    assert_json(site.get("/api"))
    assert_json(site.get("/api/nothing"))


def test_a_failing_endpoint(site: Client, api_on: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cms_api.content.api.selectors.find_row", None)
    api = Api(make_token("content:read"))
    api.http.raise_request_exception = False
    failed = api.get("/content-items/1")
    assert failed.status_code == 500
    assert_json(failed)


def test_a_page_whose_url_begins_like_the_api_is_a_page(site: Client) -> None:
    assert_page(site.get("/apiary"))
    assert_page(site.get("/administration"))


def answered(path: str, status: int = 200, **own: str) -> HttpResponse:
    """The response to a path, of a view that sets these headers itself."""
    request = HttpRequest()
    request.path_info = path
    return SecurityHeadersMiddleware(lambda _: HttpResponse(status=status, headers=own))(request)


def test_a_view_may_have_headers_of_its_own() -> None:
    response = answered("/", **{POLICY: "sandbox", REFERRER: "no-referrer"})
    assert (response.headers[POLICY], response.headers[REFERRER]) == ("sandbox", "no-referrer")
    assert response.headers[FRAMES] == "SAMEORIGIN"


def test_debug_pages_may_run_their_inline_scripts(settings: Any) -> None:
    settings.DEBUG = True
    assert POLICY not in answered("/", 500).headers
    assert POLICY in answered("/").headers


def test_the_style_of_the_error_pages_is_the_one_that_the_policy_allows() -> None:
    for page in ("400", "500", "503"):
        (style,) = re.findall(r"<style>(.*?)</style>", render_to_string(f"{page}.html"), re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert f"'sha256-{digest}'" == headers.ERROR_PAGE_STYLE, page
