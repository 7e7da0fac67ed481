"""The categories of each module that has them: stored by one service, shown by one viewset."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.test import Client
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.core.locks import lock_row
from cms_api.core.not_found import NotFound
from cms_api.flags.services import switch_feature
from commerce.directory.models import Category
from commerce.directory.services import categories as of_listings
from commerce.shop.models import ProductCategory
from commerce.shop.services import categories as of_products
from tests.commerce.directory.builders import make_listing
from tests.commerce.shop.builders import make_product
from tests.waiting import another_session

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Kind:
    """The categories of a module: their services, a record in one, and their addresses."""

    model: Any
    save: Callable[..., Any]
    delete: Callable[..., None]
    put: Callable[[Any], Any]
    page: str
    records: str


KINDS = {
    "shop": Kind(
        ProductCategory,
        of_products.save_category,
        of_products.delete_category,
        lambda category: make_product(category=category),
        "/shop/categories/crafts",
        "/admin/products/",
    ),
    "directory": Kind(
        Category,
        of_listings.save_category,
        of_listings.delete_category,
        lambda category: make_listing(categories=[category.pk]),
        "/directory/category/crafts",
        "/admin/listings/",
    ),
}


@pytest.fixture(params=KINDS)
def kind(request: Any, db: None) -> Kind:
    switch_feature(name=request.param, on=True)
    return KINDS[request.param]


@pytest.mark.both_databases
def test_it_works(kind: Kind) -> None:
    crafts = kind.save(values={"name": " Crafts "})
    record = kind.put(crafts)
    kind.save(category=crafts, values={"description": "By hand.\nHere.", "position": 2})
    stored = kind.model.objects.get()
    assert (stored.name, stored.slug, stored.description, stored.position) == ("Crafts", "crafts", "By hand.\nHere.", 2)
    assert stored.updated_at > stored.created_at
    kind.delete(category=crafts)
    record.refresh_from_db()
    assert not kind.model.objects.exists()
    logged = ModelLogEntry.objects.filter(object_id=crafts.pk, label="Crafts").order_by("pk")
    assert [each.action for each in logged] == ["wagtail.create", "wagtail.edit", "wagtail.delete"]


def test_a_change_keeps_what_was_changed_meanwhile(kind: Kind) -> None:
    crafts = kind.save(values={"name": "Crafts"})
    shown = kind.model.objects.get()
    kind.save(category=crafts, values={"description": "By hand."})
    kind.save(category=shown, values={"name": "Pottery"})
    stored = kind.model.objects.get()
    assert (stored.name, stored.slug, stored.description) == ("Pottery", "crafts", "By hand.")


@pytest.mark.both_databases
def test_a_deleted_one_is_not_found(kind: Kind) -> None:
    crafts = kind.save(values={"name": "Crafts"})
    kind.model.objects.all().delete()
    for change in (lambda: kind.save(category=crafts, values={"name": "Pottery"}), lambda: kind.delete(category=crafts)):
        with pytest.raises(NotFound):
            change()
    assert not kind.model.objects.exists()


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": None}, "name"),
        ({"slug": "7"}, "slug"),
        ({"slug": "food"}, "slug"),
        ({"position": -1}, "position"),
        ({"position": True}, "position"),
        ({"description": "x" * 1001}, "description"),
        ({"description": "\0"}, "description"),
    ],
)
def test_values_that_are_refused(kind: Kind, values: dict[str, Any], path: str) -> None:
    crafts = kind.save(values={"name": "Crafts"})
    kind.save(values={"name": "Food"})
    for category in (None, crafts):
        with pytest.raises(Invalid) as refusal:
            kind.save(category=category, values={"name": "Crafts", **values})
        assert list(refusal.value.errors) == [path]


@pytest.mark.both_databases
def test_the_list_leads_to_the_records_and_the_page(kind: Kind, admin_client: Client) -> None:
    first, crafts = (kind.save(values={"name": name, "position": place}) for place, name in enumerate(("Zoos", "Crafts")))
    kind.put(crafts)
    page = admin_client.get(f"{kind.records}categories/").content.decode()
    assert page.index("Zoos") < page.index("Crafts")
    for category, count in ((first, 0), (crafts, 1)):
        assert f'<a href="{kind.records}?category={category.pk}">{count}</a>' in page
    assert f'href="{kind.page}"' in page
    assert Client().get(kind.page).status_code == 200


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time.")
@pytest.mark.parametrize(
    ("lock", "to_delete", "waits"), [("KEY SHARE", False, False), ("KEY SHARE", True, True), ("UPDATE", False, True)]
)
def test_records_wait_only_for_a_deletion(kind: Kind, lock: str, to_delete: bool, waits: bool) -> None:
    """A reference to a category takes the lock KEY SHARE; changes wait for each other."""
    crafts = kind.save(values={"name": "Crafts"})
    taken = f"SELECT id FROM {kind.model._meta.db_table} WHERE id = %s FOR {lock} NOWAIT"
    with another_session() as other, transaction.atomic():
        lock_row(kind.model.objects.filter(pk=crafts.pk), to_delete=to_delete)
        if waits:
            with pytest.raises(psycopg.errors.LockNotAvailable):
                other.execute(taken, [crafts.pk])
            other.rollback()
        else:
            assert other.execute(taken, [crafts.pk]).rowcount == 1
