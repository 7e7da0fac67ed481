"""No address of the admin fails for anything that it is sent, whoever sends it."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, client
from wagtail.admin.menu import admin_menu
from wagtail.models import Page, UploadedFile, Workflow

from cms_api.core import registry
from tests import people
from tests.builders import make_endpoint, make_item, make_token
from tests.commerce.imports.files import import_all, table
from tests.features import switch_all_on
from tests.figures import IN_FULL

from .walk import ALL, Address, Names, Walker, addresses, walk

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def one_of_each(db: None) -> None:
    """The demo's records, and one of each kind that it lacks."""
    switch_all_on()
    for module in registry.modules():
        if module.records.demo:
            registry.load(module.records.demo)(1, lambda count: None)
    make_token("content:read")
    # Nothing listens there.
    make_endpoint("*").__class__.objects.update(url="https://127.0.0.1:9/")
    make_item()
    import_all(table("bad", "a@example.com"))
    page = Page.objects.filter(depth=3).order_by("pk")[0].specific
    alice = people.alice()
    page.save_revision(user=alice)
    workflow = Workflow.objects.get()
    workflow.start(page, alice)
    UploadedFile.objects.create(uploaded_by_user=alice, file=ContentFile(b"x", name="x.png"))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without tracebacks of refusals, the same menu on every page, and contexts of templates, which take longer than a view."""
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)
    monkeypatch.setattr(admin_menu, "render_component", lambda request: [])
    monkeypatch.setattr(client, "store_rendered_templates", lambda store, **named: None)


@pytest.fixture
def walker(quick: None, sign_in: Callable[[Any], Client], monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Walker]:
    names = Names(monkeypatch)
    return lambda person: Walker(sign_in(person), names)


def test_it_works(one_of_each: None, walker: Callable[[Any], Walker]) -> None:
    """Every address is opened on both databases. An everyday run sends hostile values to every thirtieth of them on each."""
    found = addresses()
    alice, bob = walkers = [walker(people.alice()), walker(people.bob())]
    walk(walkers, found, part=ALL if IN_FULL else slice(15 * (connection.vendor == "postgresql"), None, 30))
    assert alice.failures + bob.failures == []
    # The walk would prove little if it came to records that do not exist, or if Bob were refused everywhere.
    missing = [address.route for address in found if alice.statuses[address.path()] == 404]
    assert len(found) > 400
    assert len(missing) < len(found) / 8, missing
    admitted = [address for address in found if bob.statuses[address.path()] == 200]
    assert len(admitted) > len(found) / 8
    # Hostile values were sent by Bob, too.
    assert bob.count > len(found) + len(admitted) / (1 if IN_FULL else 30)


@pytest.mark.parametrize("person", [people.alice, people.mallory_manager, people.bob])
@pytest.mark.walk
def test_every_value_at_every_address(one_of_each: None, walker: Callable[[Any], Walker], person: Callable[[], Any]) -> None:
    """The number of requests is printed, which `make walk` shows."""
    walking, found = walker(person()), addresses()
    walk([walking], found, thoroughly=True)
    print(f"{walking.count} requests to {len(found)} addresses as {person.__name__}")
    assert walking.failures == []


def test_a_planted_failure_is_found(walker: Callable[[Any], Walker]) -> None:
    """The positive control: a view that fails for some values of a name that only the view knows."""

    def planted(request: HttpRequest) -> HttpResponse:
        if not request.GET.get("planted_name", "1").isalnum():
            raise RuntimeError("planted")
        return HttpResponse()

    address = Address("admin/account/", planted)
    walking = walker(people.alice())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wagtail.admin.views.account.AccountView.get", lambda self, request: planted(request))
        walk([walking], [address] * 3)
    assert walking.failures
    assert all("planted_name" in failure.request and "planted" in failure.reason for failure in walking.failures)
