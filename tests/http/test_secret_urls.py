"""Secrets in addresses are declared in URL patterns, and hidden wherever a path is stored."""

import pytest
from django.core import signing
from django.http import HttpResponse
from django.urls import get_resolver, path, resolve

from cms_api.core import registry
from cms_api.flags.services import switch_feature
from cms_api.http.secret_urls import SecretRoutes, hide_tokens, is_secret, keep_secret, routes_of
from cms_api.http.signed_links import SignedLink

pytestmark = pytest.mark.django_db

TOKEN = signing.Signer(salt="x").sign("0123456789abcdef0123456789abcdef")


def view() -> None:
    """Never called."""


ROUTES = SecretRoutes(
    routes_of([path("orders/<secret:token>/files/<id:file>", view), path("orders/<secret:token>", view), path("orders", view)])
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("/orders", "/orders"),
        ("/orders/", "/orders/"),
        ("/about", "/about"),
        ("/orders/abc", "/orders/<token>"),
        ("/orders/abc/", "/orders/<token>"),
        ("/ORDERS/abc", "/orders/<token>"),
        ("//orders//abc", "/orders/<token>"),
        ("/%6Frders/abc", "/orders/<token>"),
        ("/%256Frders%2Fabc", "/orders/<token>"),
        ("/orders/abc/files/7", "/orders/<token>/files/<file>"),
        ("/orders/abc/more/of/it", "/orders/<token>"),
        (f"/elsewhere/{TOKEN}/", "/elsewhere/<token>/"),
        (f"/elsewhere/{TOKEN.replace(':', '%3A')}", "/elsewhere/<token>"),
        ("/time/10:30", "/time/10:30"),
    ],
)
def test_it_works(given: str, expected: str) -> None:
    assert ROUTES.hide(given) == expected


def test_text_loses_what_is_signed() -> None:
    assert hide_tokens(f"my order https://example.com/x/{TOKEN} is late") == "my order https://example.com/x/<token> is late"


@pytest.mark.parametrize("part", ["a:", ":", "a", "a:" + "b" * 26 + ":", "/a:"])
def test_a_long_text_is_read_in_linear_time(part: str) -> None:
    """From each of its characters, it would take minutes."""
    long = part * 500_000
    assert hide_tokens(long) == long
    assert hide_tokens(f"{long} {TOKEN}") == f"{long} <token>"


def test_every_link_of_the_product_is_declared_secret() -> None:
    assert get_resolver().url_patterns
    for feature in registry.features():
        switch_feature(name=feature, on=True)
    for module in registry.modules():
        for route in (module.pages and registry.load(module.pages)) or []:
            parts = getattr(route.pattern, "converters", {})
            if {"token", "key"} & set(parts):
                assert "<secret:" in str(route.pattern), route
    secrets = SecretRoutes(routes_of(get_resolver().url_patterns))
    for purpose, link in SignedLink.registered.items():
        token = signing.Signer(salt=purpose).sign("0" * 32)
        found = get_resolver().reverse(link.view, token)
        assert is_secret(resolve(f"/{found}")), purpose
        assert token not in secrets.hide(f"/{found}")


@pytest.mark.parametrize(("body", "policy"), [("csrfmiddlewaretoken", "same-origin"), ("<p>Paid.</p>", "no-referrer")])
def test_no_referrer_leaves_unless_a_form_needs_its_origin(body: str, policy: str) -> None:
    headers = keep_secret(HttpResponse(body)).headers
    assert headers["Referrer-Policy"] == policy
    assert (headers["Cache-Control"], headers["X-Robots-Tag"]) == ("no-store, private", "noindex, nofollow")


@pytest.mark.parametrize(
    "text", ["ann@evil.example", "ann\N{COMBINING GRAPHEME JOINER}@evil.example", "ww%E2%81%A0w.evil", "x:/\u3164/y"]
)
def test_addresses_in_a_text(text: str) -> None:
    assert SecretRoutes().has_address(text)
    assert not SecretRoutes().has_address("Ann Smith, 5 @ 3")
