"""Whose budget a request without a token is charged to: the peer's, or who stands behind the proxies that are trusted."""

from typing import Any

import pytest
from django.test import RequestFactory

from cms_api.auth.selectors import client_ip
from tests.client import Api

PEER = "10.0.0.1"


def found(peer: str, forwarded: str | None = None) -> str:
    headers = {"HTTP_X_FORWARDED_FOR": forwarded} if forwarded is not None else {}
    return client_ip(RequestFactory().get("/", REMOTE_ADDR=peer, **headers))


ROWS: list[tuple[list[str], str, str | None, str]] = [
    ([], "203.0.113.9", None, "203.0.113.9"),
    ([], "203.0.113.9", "198.51.100.1", "203.0.113.9"),
    ([PEER], "203.0.113.9", "198.51.100.1", "203.0.113.9"),
    ([PEER], PEER, "198.51.100.1", "198.51.100.1"),
    ([PEER], PEER, "1.1.1.1, 198.51.100.1", "198.51.100.1"),
    ([PEER], PEER, "1.1.1.1,198.51.100.1 , 10.0.0.1", "198.51.100.1"),
    ([PEER], PEER, "10.0.0.1, 10.0.0.1", PEER),
    ([PEER], PEER, None, PEER),
    ([PEER], PEER, "", PEER),
    ([PEER], PEER, "unknown", PEER),
    ([PEER], PEER, "198.51.100.1, unknown", PEER),
    ([PEER], PEER, "198.51.100.1, ", PEER),
    ([PEER], PEER, "198.51.100.1, <script>", PEER),
    (["10.0.0.0/8"], "10.9.9.9", "198.51.100.1, 10.1.2.3", "198.51.100.1"),
    (["10.0.0.0/8", "192.0.2.1"], "192.0.2.1", "198.51.100.1, 10.1.2.3", "198.51.100.1"),
    (["10.0.0.1/8"], "10.9.9.9", "198.51.100.1", "198.51.100.1"),
    (["fd00::/8"], "fd00::1", "2001:db8::7", "2001:db8::7"),
    (["fd00::/8"], "fd00::1", "2001:db8::7, 198.51.100.1", "198.51.100.1"),
    ([PEER], "", "198.51.100.1", "unknown"),
]


@pytest.mark.parametrize(("trusted", "peer", "forwarded", "expected"), ROWS)
def test_it_works(settings: Any, trusted: list[str], peer: str, forwarded: str | None, expected: str) -> None:
    settings.TRUSTED_PROXIES = trusted
    assert found(peer, forwarded) == expected


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_forged_header_is_no_new_address(anonymous: Api, settings: Any) -> None:
    settings.API_ANON_RATE_PER_MINUTE = 3
    answers = [anonymous.request("GET", "/content-items", x_forwarded_for=f"198.51.100.{n}").status_code for n in range(5)]
    assert answers == [401, 401, 401, 429, 429]


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.django_db
def test_behind_a_trusted_proxy_each_has_a_budget(anonymous: Api, settings: Any) -> None:
    settings.API_ANON_RATE_PER_MINUTE, settings.TRUSTED_PROXIES = 1, ["127.0.0.1"]
    answers = [anonymous.request("GET", "/content-items", x_forwarded_for=f"198.51.100.{n % 2}").status_code for n in range(4)]
    assert answers == [401, 401, 429, 429]
