"""Features: what is on, what they pull in, and `manage.py feature`."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.core.module import Module
from cms_api.core.vocabulary import FEATURES
from cms_api.flags import selectors
from cms_api.flags.models import Setting
from cms_api.flags.services import switch_feature
from tests.builders import make_token
from tests.client import Api
from tests.forks import in_a_fork

pytestmark = pytest.mark.django_db


@pytest.fixture
def chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loyalty needs members, and members need CRM."""
    needs = {"crm": (), "members": ("crm",), "loyalty": ("members",), "shop": ("crm",)}
    modules = {name: Module(name, name, "", feature=name, requires=requires) for name, requires in needs.items()}
    monkeypatch.setattr(registry, "features", lambda: modules)


def run(*command: str) -> str:
    out = StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


def are_on() -> set[str]:
    return {name for name, on in selectors.features().items() if on}


@pytest.mark.both_databases
def test_it_works() -> None:
    assert are_on() == set()
    assert switch_feature(name="api", on=True) == ["api"]
    assert are_on() == {"api"}
    assert switch_feature(name="api", on=False) == ["api"]
    assert are_on() == set()


def test_what_has_no_switch_is_always_on() -> None:
    assert selectors.is_on("")


@pytest.mark.usefixtures("chain")
def test_a_feature_pulls_in_what_it_requires() -> None:
    assert set(switch_feature(name="loyalty", on=True)) == {"loyalty", "members", "crm"}
    assert are_on() == {"loyalty", "members", "crm"}


@pytest.mark.usefixtures("chain")
def test_a_feature_takes_with_it_what_requires_it() -> None:
    for name in ("loyalty", "shop", "api"):
        switch_feature(name=name, on=True)
    assert set(switch_feature(name="crm", on=False)) == {"crm", "members", "loyalty", "shop"}
    assert are_on() == {"api"}


@pytest.mark.usefixtures("chain")
@pytest.mark.both_databases
def test_what_requires_a_feature_is_as_it_was_when_that_is_on_again() -> None:
    for name in ("loyalty", "shop"):
        switch_feature(name=name, on=True)
    switch_feature(name="shop", on=False)
    assert switch_feature(name="members", on=False) == ["members", "loyalty"]
    assert are_on() == {"crm"}
    assert switch_feature(name="members", on=True) == ["members", "loyalty"]
    switch_feature(name="crm", on=False)
    assert set(switch_feature(name="loyalty", on=True)) == {"loyalty", "members", "crm"}
    assert are_on() == {"crm", "members", "loyalty"}


@pytest.mark.usefixtures("chain")
def test_a_feature_that_others_require_no_more_stays() -> None:
    switch_feature(name="loyalty", on=True)
    switch_feature(name="loyalty", on=False)
    assert are_on() == {"members", "crm"}


@pytest.mark.parametrize("name", ["nothing", "", "API", "features.api.enabled"])
@pytest.mark.both_databases
def test_an_unknown_feature_is_refused(name: str) -> None:
    with pytest.raises(Invalid):
        switch_feature(name=name, on=True)
    assert not Setting.objects.exists()


def test_only_true_is_on() -> None:
    for value in (1, "true", [True]):
        Setting.objects.update_or_create(key="features.shop.enabled", defaults={"value": value})
        switch_feature(name="crm", on=False)
        assert not selectors.is_on("shop")


def test_the_command_switches() -> None:
    assert run("feature", "on", "api", "crm") == "api: on\ncrm: on\n"
    assert are_on() == {"api", "crm"}
    assert run("feature", "on", "api") == "api: on\n"
    assert run("feature", "off", "crm") == "crm: off\n"
    assert are_on() == {"api"}


def test_the_command_knows_all() -> None:
    run("feature", "on", "all")
    assert are_on() == set(FEATURES)
    run("feature", "off", "all")
    assert are_on() == set()


def test_the_command_lists() -> None:
    run("feature", "on", "api")
    lines = {line.split()[0]: line.split()[1] for line in run("feature", "list").splitlines()}
    assert lines == {name: "on" if name == "api" else "off" for name in FEATURES}


@pytest.mark.usefixtures("chain")
def test_the_command_says_what_it_pulled_in() -> None:
    assert set(run("feature", "on", "loyalty").split("\n")) == {"loyalty: on", "members: on", "crm: on", ""}


@pytest.mark.parametrize("arguments", [["on"], ["off"], ["on", "nothing"], ["on", "api", "nothing"], ["toggle", "api"], []])
def test_the_command_refuses_what_makes_no_sense(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        run("feature", *arguments)
    assert are_on() == set()


def manage(*command: str) -> None:
    """Run a command in another process, on the same database."""

    def work() -> str:
        try:
            return run(*command)
        finally:
            connections.close_all()

    connections.close_all()
    in_a_fork(work)


@pytest.mark.django_db(transaction=True)
def test_another_process_is_heard_with_the_next_request() -> None:
    """While this one holds copies of the features, the settings and the token."""
    switch_feature(name="api", on=True)
    api = Api(make_token("content:read", name="one"))
    assert api.get("/content-items").status_code == 200
    manage("feature", "off", "api")
    assert api.get("/content-items").status_code == 404
    switch_feature(name="api", on=True)
    assert api.get("/content-items").status_code == 200
    manage("revoke_token", "one")
    assert api.get("/content-items").status_code == 401
