"""Guards of every declared route and method: 404 where the feature is off, then 405, 401 and 403, each byte for byte.

Each operation is asked with one or a few kinds of token in turn: what they are does not depend on the operation.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import cycle
from typing import Any

import pytest
from django.test import Client

from cms_api.core.module import PUBLIC, Module
from cms_api.core.vocabulary import ABILITIES
from cms_api.flags.services import switch_feature
from tests.builders import make_token
from tests.client import Api
from tests.features import switch_all_on

from .operations import Used, guarded, named, operations, refused_tokens, tokens_of_all_kinds

pytestmark = pytest.mark.django_db

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")
BUDGET_HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining")


@pytest.fixture
def all_on(api_on: None) -> None:
    switch_all_on()


def answer(method: str, path: str, authorization: str = "", body: bytes = b"", *, address: str = "127.0.0.1") -> Any:
    sent = {"HTTP_AUTHORIZATION": authorization} if authorization else {}
    client = Client(REMOTE_ADDR=address)
    return client.generic(method, "/api/v1" + path, body, content_type="application/json", **sent)


def as_sent(response: Any) -> tuple[int, bytes, dict[str, str]]:
    """Everything of an answer but its id, which is another one each time."""
    return response.status_code, response.content, {k: v for k, v in response.headers.items() if k != "X-Request-Id"}


def unknown_routes() -> Callable[[str, str], tuple[int, bytes, dict[str, str]]]:
    """A function that returns the answer of a route that does not exist, and asks for each only once."""
    return cache(lambda method, authorization: as_sent(answer(method, "/no/such/route", authorization)))


def in_turn(used: list[Used], tokens: dict[str, str]) -> Iterator[tuple[Used, str, str]]:
    """Each operation with the next kind of token, and the token. Every kind comes several times."""
    assert len(used) > 3 * len(tokens)
    for each, (kind, authorization) in zip(used, cycle(tokens.items()), strict=False):
        yield each, kind, authorization


def body_of(method: str, body: bytes) -> bytes:
    return b"" if method == "HEAD" else body


def is_not_found(response: Any, method: str) -> bool:
    return response.status_code == 404 and response.content == body_of(method, b'{"message":"Not Found."}')


def test_it_works_with_the_ability(all_on: None, subtests: pytest.Subtests) -> None:
    for used in guarded():
        with subtests.test(named(used)):
            allowed = answer(used.method, used.path, f"Bearer {make_token(used.ability)}")
            assert allowed.status_code not in {401, 403, 405, 429, 500}
            assert all(allowed.headers[name] for name in BUDGET_HEADERS)


def test_everything_is_404_while_the_api_is_off(db: None, subtests: pytest.Subtests) -> None:
    of_unknown_route = unknown_routes()
    for used, kind, authorization in in_turn(operations(), tokens_of_all_kinds()):
        with subtests.test(named(used)):
            hidden = answer(used.method, used.path, authorization)
            assert is_not_found(hidden, used.method), kind
            assert as_sent(hidden) == of_unknown_route(used.method, authorization), kind


@pytest.mark.parametrize("method", METHODS)
def test_a_group_that_is_off_is_an_unknown_route(method: str, planted: Module, api_on: None) -> None:
    for kind, authorization in tokens_of_all_kinds().items():
        for used in operations((planted,)):
            hidden = answer(method, used.path, authorization, b"{not json")
            assert is_not_found(hidden, method), (kind, used)
            assert as_sent(hidden) == as_sent(answer(method, "/no/such/route", authorization)), (kind, used)


def test_switching_a_group_on_takes_effect_with_the_next_request(planted: Module, api_on: None) -> None:
    switch_feature(name="crm", on=True)
    assert all(answer(used.method, used.path).status_code == 401 for used in operations((planted,)))
    switch_feature(name="crm", on=False)
    assert all(answer(used.method, used.path).status_code == 404 for used in operations((planted,)))


def test_an_installed_group_that_is_off_is_an_unknown_route(api_on: None, subtests: pytest.Subtests) -> None:
    of_unknown_route = unknown_routes()
    for used, kind, authorization in in_turn([used for used in operations() if used.feature], tokens_of_all_kinds()):
        with subtests.test(named(used)):
            hidden = answer(used.method, used.path, authorization)
            assert as_sent(hidden) == of_unknown_route(used.method, authorization), kind


def test_undeclared_methods_are_405_with_or_without_a_token(all_on: None, subtests: pytest.Subtests) -> None:
    known: dict[str, list[str]] = {}
    for used in operations():
        known.setdefault(used.path, []).append(used.method)
    authorizations = cycle(("", f"Bearer {make_token(*ABILITIES)}"))
    for path, methods in known.items():
        for method in sorted(set(METHODS) - set(methods)):
            with subtests.test(f"{method} {path}"):
                refused = answer(method, path, next(authorizations), b"{not json")
                assert (refused.status_code, refused.content) == (405, body_of(method, b'{"message":"Method Not Allowed"}'))
                assert refused.headers["Allow"] == ", ".join(methods)
                assert not any(name in refused.headers for name in BUDGET_HEADERS)


def test_an_invalid_token_is_401(all_on: None, subtests: pytest.Subtests) -> None:
    for used, kind, authorization in in_turn(guarded(), refused_tokens()):
        with subtests.test(named(used)):
            refused = answer(used.method, used.path, authorization, b"{not json")
            assert refused.status_code == 401, kind
            assert refused.content == body_of(used.method, b'{"message":"Unauthenticated."}'), kind
            assert refused.headers["WWW-Authenticate"] == "Bearer", kind
            assert all(refused.headers[name] for name in BUDGET_HEADERS), kind


def test_public_operations_ignore_tokens(all_on: None, subtests: pytest.Subtests) -> None:
    tokens = tokens_of_all_kinds()
    for used in (used for used in operations() if used.ability == PUBLIC):
        with subtests.test(named(used)):
            for kind, authorization in tokens.items():
                allowed = answer(used.method, used.path, authorization)
                assert allowed.status_code == 200, kind
                assert all(allowed.headers[name] for name in BUDGET_HEADERS), kind


def test_a_missing_ability_is_403(all_on: None, subtests: pytest.Subtests) -> None:
    for used in guarded():
        with subtests.test(named(used)):
            message = f"This token is missing the required ability: {used.ability}."
            body = b'{"message":"%b","required_ability":"%b"}' % (message.encode(), used.ability.encode())
            allowed = answer(used.method, used.path, f"Bearer {make_token(used.ability)}", b"{not json")
            assert allowed.status_code not in {401, 403, 405}
            # All other abilities together are not enough, so none of them is.
            others = f"Bearer {make_token(*(set(ABILITIES) - {used.ability}))}"
            found = answer(used.method, used.path, others, b"{not json")
            assert (found.status_code, found.content) == (403, body_of(used.method, body))
            assert found.headers["WWW-Authenticate"] == f'Bearer error="insufficient_scope", scope="{used.ability}"'
            assert all(found.headers[name] for name in BUDGET_HEADERS)


@pytest.mark.both_databases
def test_an_unknown_record_is_404_before_the_body_is_read(all_on: None, subtests: pytest.Subtests) -> None:
    token = f"Bearer {make_token(*ABILITIES)}"
    for used in (used for used in guarded() if used.names_a_record):
        for path in (used.path, *used.misspelled()):
            with subtests.test(f"{used.method} {path}"):
                found = answer(used.method, path, token, b"{not json")
                assert is_not_found(found, used.method)


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.both_databases
def test_a_refused_token_counts_against_the_limit_of_the_address(all_on: None, settings: Any, subtests: pytest.Subtests) -> None:
    settings.API_ANON_RATE_PER_MINUTE = 1
    for number, used in enumerate(guarded()):
        with subtests.test(named(used)):
            address = f"10.0.0.{number}"
            assert answer(used.method, used.path, address=address).status_code == 401
            spent = answer(used.method, used.path, address=address)
            assert (spent.status_code, spent.content) == (429, body_of(used.method, b'{"message":"Too Many Attempts."}'))
            assert int(spent.headers["Retry-After"]) >= 1
            # Neither depends on the operation.
            if number % 10 == 0:
                assert answer("TRACE", used.path, address=address).status_code == 405
                allowed = answer(used.method, used.path, f"Bearer {make_token(used.ability)}", address=address)
                assert allowed.status_code not in {401, 403, 429}


@pytest.mark.usefixtures("own_budgets")
def test_a_missing_ability_counts_against_the_limit_of_the_token(all_on: None, settings: Any, subtests: pytest.Subtests) -> None:
    settings.API_RATE_PER_MINUTE = 1
    for used in guarded():
        with subtests.test(named(used)):
            other = next(ability for ability in ABILITIES if ability != used.ability)
            token = f"Bearer {make_token(other)}"
            assert answer(used.method, used.path, token).status_code == 403
            spent = answer(used.method, used.path, token)
            assert spent.status_code == 429
            assert (spent.headers["X-RateLimit-Limit"], spent.headers["X-RateLimit-Remaining"]) == ("1", "0")


def test_a_trailing_slash_is_the_same_address(all_on: None, subtests: pytest.Subtests) -> None:
    token = f"Bearer {make_token(*ABILITIES)}"
    for used in {used.path: used for used in operations()}.values():
        with subtests.test(named(used)):
            assert answer(used.method, used.path + "/", token).status_code == answer(used.method, used.path, token).status_code
            assert answer(used.method, used.path + "//", token).status_code == 404


def test_every_answer_has_an_id_and_stays_out_of_shared_caches(api: Api) -> None:
    for path in ("/content-items", "/no-such-route"):
        found = api.get(path)
        assert found.headers["X-Request-Id"]
        assert "private" in found.headers["Cache-Control"]
        assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert api.request("GET", "/content-items", x_request_id="mine-7").headers["X-Request-Id"] == "mine-7"
    assert api.request("GET", "/content-items", x_request_id="not mine\t").headers["X-Request-Id"] != "not mine\t"
