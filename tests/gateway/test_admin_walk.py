"""No address of the admin fails for anything that it is sent, whoever sends it."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.http import HttpRequest, HttpResponse
from django.test import Client
from wagtail.models import Page, UploadedFile, Workflow

from cms_api.core import registry
from cms_api.flags.services import switch_feature
from tests import people
from tests.builders import make_endpoint, make_item, make_token
from tests.commerce.imports.files import import_all, table

from .walk import VALUES, Address, Walker, addresses, walk

pytestmark = pytest.mark.django_db

PEOPLE = pytest.mark.parametrize("person", ["alice", "bob"])


@pytest.fixture
def one_of_each(db: None) -> None:
    """The demo's records, and one of each kind that it lacks."""
    for name in registry.features():
        switch_feature(name=name, on=True)
    for module in registry.modules():
        if module.demo:
            registry.load(module.demo)(1, lambda count: None)
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
def walker(sign_in: Callable[[Any], Client], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Walker:
    # A traceback for each refusal would take longer than the refusal.
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)
    person = getattr(people, request.getfixturevalue("person"))()
    return Walker(sign_in(person), monkeypatch)


@PEOPLE
def test_it_works(one_of_each: None, walker: Walker, person: str) -> None:
    found = addresses()
    walk(walker, found)
    assert walker.failures == []
    if person == "alice":
        # The walk would prove little if it came to records that do not exist.
        missing = [address.route for address in found if walker.statuses[address.path()] == 404]
        assert len(found) > 400
        assert len(missing) < len(found) / 8, missing


@PEOPLE
@pytest.mark.walk
def test_every_value_in_every_place(one_of_each: None, walker: Walker, person: str) -> None:
    walk(walker, addresses(), thoroughly=True)
    assert walker.failures == []


@pytest.mark.parametrize("person", ["alice"])
def test_a_planted_failure_is_found(walker: Walker, person: str) -> None:
    """The positive control: a view that fails for some values of a name that only the view knows."""

    def planted(request: HttpRequest) -> HttpResponse:
        if not request.GET.get("planted_name", "1").isalnum():
            raise RuntimeError("planted")
        return HttpResponse()

    address = Address("admin/account/", planted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wagtail.admin.views.account.AccountView.get", lambda self, request: planted(request))
        walk(walker, [address] * len(VALUES))
    assert walker.failures
    assert all("planted_name" in failure.request and "planted" in failure.reason for failure in walker.failures)
