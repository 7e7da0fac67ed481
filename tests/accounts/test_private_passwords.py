"""Passwords of private pages and collections: wrong ones run out, and a visitor elsewhere still gets in with the right one."""

from typing import Any

import pytest
from django.test import Client
from wagtail.models import Collection, CollectionViewRestriction, Page, PageViewRestriction

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


def test_an_unknown_restriction_is_not_found() -> None:
    assert Client().post("/documents/authenticate_with_password/999/", {"password": "x"}).status_code == 404


def test_another_spelling_of_the_url_is_guarded_too() -> None:
    path = collection_path()
    other = path.replace("password/", "password/0")
    assert [Client().post(other, {"password": f"guess {number}"}).status_code for number in range(12)] == [200] * 10 + [429] * 2
    assert Client().post(path, {"password": "open sesame"}).status_code == 429
