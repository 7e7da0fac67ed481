"""A group that was just switched off answers as an unknown route in everything: status, body, headers and what it costs."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.auth.services import budgets
from cms_api.core import registry
from cms_api.core.module import Module
from cms_api.core.vocabulary import ABILITIES
from cms_api.flags.services import switch_feature
from cms_api.gateway import dispatch
from tests.builders import make_token
from tests.features import switch_all_on

from .operations import operations

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_budgets")]

UNKNOWN = "/no-such-group/no-such-record"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")

GROUPS = [module for module in registry.modules() if module.api.routes and module.feature and module.feature != "api"]


@pytest.fixture(autouse=True)
def _all_on(api_on: None) -> None:
    switch_all_on()


@pytest.fixture
def charged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many charges have been made."""
    count = [0]
    spend = budgets.spend

    def counted_spend(*args: Any, **kwargs: Any) -> Any:
        count[0] += 1
        return spend(*args, **kwargs)

    monkeypatch.setattr(dispatch, "spend", counted_spend)
    return count


def sent(method: str, path: str, authorization: str) -> tuple[int, bytes, dict[str, str]]:
    headers = {"HTTP_AUTHORIZATION": authorization} if authorization else {}
    answer = Client().generic(method, "/api/v1" + path, **headers)
    return answer.status_code, answer.content, {name: text for name, text in answer.items() if name != "X-Request-Id"}


def statements(method: str, path: str, authorization: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        sent(method, path, authorization)
    return [query["sql"] for query in captured.captured_queries]


def remaining(token: str) -> int:
    return int(sent("GET", "", token)[2]["X-RateLimit-Remaining"])


@pytest.mark.parametrize("module", GROUPS, ids=lambda module: module.name)
def test_it_works(module: Module, charged: list[int], subtests: pytest.Subtests) -> None:
    token = f"Bearer {make_token(*ABILITIES)}"
    for used in (used for used in operations((module,)) if used.method == "GET"):
        for kind, authorization in (("none", ""), ("bad", "Bearer swt_no"), ("valid", token)):
            with subtests.test(f"{used.path} {kind}"):
                switch_feature(name=used.feature, on=True)
                assert sent("GET", used.path, authorization)[0] != 405
                switch_feature(name=used.feature, on=False)
                charged[0] = 0
                hidden = sent("GET", used.path, authorization)
                assert charged == [0]
                assert hidden == sent("GET", UNKNOWN, authorization)
                assert hidden[0] == 404
                assert not any(name.startswith("X-RateLimit") or name == "Retry-After" for name in hidden[2])


@pytest.mark.parametrize("module", GROUPS, ids=lambda module: module.name)
def test_every_method_and_spelling(module: Module, charged: list[int]) -> None:
    authorization = f"Bearer {make_token(*ABILITIES)}"
    switch_feature(name=module.feature, on=False)
    paths = {used.path for used in operations((module,)) if used.feature == module.feature}
    for method in METHODS:
        expected = sent(method, UNKNOWN, authorization)
        for number, path in enumerate(sorted(paths)):
            # The next method has the other spelling.
            spelled = path + "/" * ((number + METHODS.index(method)) % 2)
            assert sent(method, spelled, authorization) == expected, (method, spelled)
    assert charged == [0]


@pytest.mark.parametrize("module", GROUPS, ids=lambda module: module.name)
def test_the_database_is_asked_the_same(module: Module) -> None:
    """Not a statement more tells the two apart by their time."""
    switch_feature(name=module.feature, on=False)
    paths = {used.path for used in operations((module,)) if used.feature == module.feature}
    for authorization in ("", "Bearer swt_no", f"Bearer {make_token(*ABILITIES)}"):
        for method in ("GET", "POST"):
            # The first request of a process reads what it keeps.
            sent(method, UNKNOWN, authorization)
            expected = statements(method, UNKNOWN, authorization)
            for path in paths:
                assert statements(method, path, authorization) == expected, (method, path)


def test_the_budget_of_a_token_is_as_before() -> None:
    token = f"Bearer {make_token(*ABILITIES)}"
    used = next(used for used in operations(tuple(GROUPS)) if used.method == "GET")
    before = remaining(token)
    switch_feature(name=used.feature, on=False)
    assert sent("GET", used.path, token)[0] == 404
    assert remaining(token) == before - 1


def test_a_spent_budget_hides_nothing(settings: Any) -> None:
    settings.API_RATE_PER_MINUTE = 1
    token = f"Bearer {make_token(*ABILITIES)}"
    used = next(used for used in operations(tuple(GROUPS)) if used.method == "GET")
    assert sent("GET", used.path, token)[0] != 429
    assert sent("GET", used.path, token)[0] == 429
    switch_feature(name=used.feature, on=False)
    assert sent("GET", used.path, token) == sent("GET", UNKNOWN, token)
