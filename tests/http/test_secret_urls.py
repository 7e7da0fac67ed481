"""Secrets in addresses are declared in URL patterns, and hidden wherever a path is stored."""

from typing import Any
from urllib.parse import quote

import pytest
from allauth.account.models import EmailAddress, EmailConfirmation
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import signing
from django.http import HttpResponse
from django.urls import get_resolver, path, resolve

from cms_api.core import registry
from cms_api.http.secret_urls import SecretRoutes, all_routes, hide_tokens, is_secret, keep_secret, routes_of
from cms_api.http.signed_links import SignedLink
from tests.commerce.booking.builders import make_staff
from tests.features import switch_all_on

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


@pytest.mark.parametrize("part", ["a:", ":", "a", "a:" + "b" * 26 + ":", "/a:", "a-", "Aa-"])
def test_a_long_text_is_read_in_linear_time(part: str) -> None:
    """From each of its characters, it would take minutes."""
    long = part * (300_000 // len(part))
    assert hide_tokens(long) == SecretRoutes().hide(long) == SecretRoutes().hide_in(long) == long
    assert hide_tokens(f"{long} {TOKEN}") == f"{long} <token>"


def test_every_link_of_the_product_is_declared_secret() -> None:
    assert get_resolver().url_patterns
    switch_all_on()
    for module in registry.modules():
        for route in (module.pages.urls and registry.load(module.pages.urls)) or []:
            parts = getattr(route.pattern, "converters", {})
            if {"token", "key"} & set(parts):
                assert "<secret:" in str(route.pattern), route
    secrets = SecretRoutes(routes_of(get_resolver().url_patterns))
    for purpose, link in SignedLink.registered.items():
        token = signing.Signer(salt=purpose).sign("0" * 32)
        found = get_resolver().reverse(link.view, token)
        assert is_secret(resolve(f"/{found}")), purpose
        assert token not in secrets.hide(f"/{found}")


def test_every_secret_is_recognized_without_its_route(admin_user: Any) -> None:
    """Where a feature is off, its routes are none. A secret in a new route has to be among these samples."""
    key = PasswordResetTokenGenerator().make_token(admin_user)
    confirmation = EmailConfirmation.create(EmailAddress.objects.create(user=admin_user, email="mia@example.com"))
    feed_key, signed = make_staff().feed_key, signing.dumps(["dana@example.com"] * 9, salt="x", compress=True)
    samples = {
        "/accounts/confirm-email/": (confirmation.key, confirmation.key),
        "/accounts/password/reset/key/": (f"1k-{key}", key.partition("-")[2]),
        "/admin/password_reset/confirm/": (f"MQ/{key}", key.partition("-")[2]),
        "/booking/staff/": (f"{feed_key}.ics", feed_key),
        "/donations/changes/": (signed, signed),
        "/subscribe/confirm/": (signed, signed),
    }
    for purpose, link in SignedLink.registered.items():
        token = signing.Signer(salt=purpose).sign("0" * 32)
        samples["/" + get_resolver().reverse(link.view, token).partition(token)[0]] = (token, token)
    routes = [route for route in routes_of(get_resolver().url_patterns) if "<secret:" in route]
    assert {route.partition("<")[0] for route in routes} == set(samples)
    for start, (rest, secret) in samples.items():
        assert secret not in SecretRoutes().hide(start + rest), start
        assert secret not in SecretRoutes().hide(f"{start}{rest}/more"), start


#: 43 characters of URL-safe base64, which may have hyphens and underscores anywhere.
@pytest.mark.parametrize("break_at", [0, 1, 11, 31, 32, 33, 36, 42])
@pytest.mark.parametrize("mark", ["-", "_"])
def test_a_key_is_hidden_whole_wherever_its_hyphen_is(break_at: int, mark: str) -> None:
    key = "aB3" * 14 + "c"
    key = key[:break_at] + mark + key[break_at + 1 :]
    assert SecretRoutes().hide(f"/booking/staff/{key}.ics") == "/booking/staff/<token>.ics"


@pytest.mark.parametrize(
    "path",
    [
        "/tracking/the-mural",
        "/invoices/annual-report-of-the-association-for-2026",
        "/tracking/donaudampfschifffahrtsgesellschaftskapitaen",
        "/news/2026-11-28-a-long-title-with-many-words-in-it",
        "/media/6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    ],
)
def test_a_slug_is_no_secret(path: str) -> None:
    assert SecretRoutes().hide(path) == path


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


RESET = "3f-cx1abc-0123456789abcdef0123456789abcdef"
LINK = f"http://testserver/accounts/password/reset/key/{RESET}/"


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"{before}{LINK}{after}"
            for before, after in ["“”", "«»", "<>", "**", "||", "__", "()", ("Link:", "."), ("リンク", "")]
        ),
        f"one,{LINK},two",
        f"\u200b{LINK}",
        LINK.removeprefix("http:"),
        LINK.replace("http://testserver", "www.example.org"),
        LINK.replace("http://testserver", ""),
        RESET,
        *(LINK[:place] + "\n> " + LINK[place:] for place in range(1, LINK.index(RESET) + len("3f-cx1abc-"))),
        f"https://safe.example/?url={quote(LINK, safe='')}&data=1",
        f"http://testserver/admin/password_reset/confirm/MQ/{RESET[3:]}/",
    ],
)
def test_no_secret_is_left_in_a_text(text: str) -> None:
    assert "0123456789abcdef" not in all_routes().hide_in(f"Hello, {text} Bye")


def test_other_addresses_in_a_text_are_left() -> None:
    text = "See https://help.example/mugs/broken?id=7#top, 24/7, and/or /shop/cart. ISBN 978-3-16-148410-0."
    assert all_routes().hide_in(text) == text
