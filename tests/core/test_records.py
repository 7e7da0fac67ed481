"""Plain records: locked or new, stored, and deleted, each with an entry in the log."""

import pytest
from wagtail.models import ModelLogEntry

from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.core.records import delete_record, lock_or_build, set_values, store_record
from cms_api.media.models import Category
from commerce.restaurant.models import MenuCategory
from tests.commerce.restaurant.builders import make_dish
from tests.people import alice

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=False)]


def store(name: str, category: Category | None = None, **options: object) -> Category:
    found = lock_or_build(Category, category, name="Untitled")
    set_values(found, {"slug": name.lower(), "other": "ignored"}, ("name", "slug"))
    return store_record(found, user=alice(), **options)  # type: ignore[arg-type]


def actions() -> list[tuple[str, str]]:
    return list(ModelLogEntry.objects.order_by("pk").values_list("action", "user__username"))


def test_it_works() -> None:
    before = versions.version("tests")
    made = store("Places", version="tests")
    assert (made.name, made.slug) == ("Untitled", "places")
    assert versions.version("tests") != before
    changed = store("People", made, columns=["name"])
    assert changed.pk == made.pk
    # Only the name has been written.
    assert Category.objects.get().slug == "places"
    delete_record(record=made, user=alice())
    assert not Category.objects.exists()
    user = alice().username
    assert actions() == [("wagtail.create", user), ("wagtail.edit", user), ("wagtail.delete", user)]


def test_one_that_exists_is_refused() -> None:
    store("Places")
    with pytest.raises(Invalid) as refused:
        store("Places", refusal={"slug": "Choose another."})
    assert refused.value.errors == {"slug": ["Choose another."]}
    assert Category.objects.count() == 1


def test_one_that_is_gone_is_not_found() -> None:
    gone = store("Places")
    Category.objects.all().delete()
    with pytest.raises(NotFound):
        store("People", gone)
    with pytest.raises(NotFound):
        delete_record(record=gone)


def test_one_in_use_is_not_deleted() -> None:
    category = make_dish().category
    before = len(actions())
    with pytest.raises(Invalid) as refused:
        delete_record(record=category, in_use={"category": "Move its dishes first."}, version="tests")
    assert refused.value.errors == {"category": ["Move its dishes first."]}
    assert (MenuCategory.objects.count(), len(actions())) == (1, before)
