"""Passwords of private pages and collections: wrong ones run out, and a visitor elsewhere still gets in with the right one."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from django.test import Client, RequestFactory
from wagtail.models import BaseViewRestriction, Collection, CollectionViewRestriction, Page, PageViewRestriction

from tests import people
from tests.builders import make_page
from tests.refusals import is_refused_for

pytestmark = pytest.mark.django_db


def page_path() -> str:
    page = Page.objects.filter(depth=2).get()
    restriction = PageViewRestriction.objects.create(page=page, restriction_type="password", password="open sesame")
    return f"/_util/authenticate_with_password/{restriction.pk}/{page.pk}/"


def collection_path() -> str:
    collection = Collection.get_first_root_node()
    restriction = CollectionViewRestriction.objects.create(
        collection=collection, restriction_type="password", password="open sesame"
    )
    return f"/documents/authenticate_with_password/{restriction.pk}/"


@pytest.mark.parametrize("make", [page_path, collection_path])
@pytest.mark.both_databases
def test_wrong_passwords_run_out(make: Any) -> None:
    path = make()

    def enter(password: str, address: str = "192.0.2.1") -> Any:
        return Client(REMOTE_ADDR=address).post(path, {"password": password, "return_url": "/"})

    assert enter("open sesame").status_code == 302
    assert [enter(f"guess {number}").status_code for number in range(12)] == [200] * 10 + [429] * 2
    refused = enter("open sesame")
    assert is_refused_for(refused, 3600)
    assert b"Too many requests" in refused.content
    assert Client().get(path).status_code == 200
    assert enter("open sesame", "203.0.113.9").status_code == 302


@pytest.mark.parametrize(("path", "kept"), [("pages/{}/privacy/", PageViewRestriction), ("collections/{}/privacy/", None)])
@pytest.mark.both_databases
def test_a_new_password_ends_what_the_former_one_has_opened(path: str, kept: Any, sign_in: Callable[[Any], Client]) -> None:
    """An owner changes a password that has got about."""
    record = make_page() if kept else Collection.get_first_root_node().add_child(name="Board")
    model = kept or CollectionViewRestriction
    form, admin = f"/admin/{path.format(record.pk)}", sign_in(people.alice())

    def protect(password: str) -> BaseViewRestriction:
        assert admin.post(form, {"restriction_type": "password", "password": password}).status_code == 200
        return cast(BaseViewRestriction, model.objects.get())

    visitor = RequestFactory().get("/")
    visitor.session = Client().session
    protect("open sesame").mark_as_passed(visitor)
    assert protect("open sesame").accept_request(visitor)
    changed = protect("close sesame")
    assert not changed.accept_request(visitor)
    changed.mark_as_passed(visitor)
    assert model.objects.get().accept_request(visitor)


@pytest.mark.both_databases
def test_an_unknown_restriction_is_not_found() -> None:
    assert Client().post("/documents/authenticate_with_password/999/", {"password": "x"}).status_code == 404


@pytest.mark.both_databases
def test_another_spelling_of_the_url_is_guarded_too() -> None:
    path = collection_path()
    other = path.replace("password/", "password/0")
    assert [Client().post(other, {"password": f"guess {number}"}).status_code for number in range(12)] == [200] * 10 + [429] * 2
    assert Client().post(path, {"password": "open sesame"}).status_code == 429
