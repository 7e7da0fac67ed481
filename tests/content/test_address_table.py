"""One address for one thing: pages, content types and modules, also those that are off."""

import pytest

from cms_api.content.models import ContentType
from cms_api.content.services.types import save_type
from cms_api.core.errors import Invalid
from tests.builders import make_page, make_type

pytestmark = pytest.mark.django_db


def refusal_of_type(slug: str) -> str:
    with pytest.raises(Invalid) as refused:
        save_type(slug=slug, values={"name": "Stories", "fields": [{"key": "title", "label": "Title", "type": "text"}]})
    (message,) = refused.value.errors["slug"]
    return str(message)


@pytest.mark.both_databases
def test_a_type_does_not_take_the_address_of_a_page() -> None:
    page = make_page(title="Find us", slug="find-us")
    page.unpublish()
    assert refusal_of_type("find-us") == "The page “Find us” has the address /find-us. Choose another one."
    assert not ContentType.objects.filter(slug="find-us").exists()


@pytest.mark.parametrize(
    ("slug", "owner"),
    [
        ("donate", "The module “Donations”"),
        ("support", "The module “Ticket system”"),
        ("real-estate", "The module “Real estate”"),
        ("accounts", "The module “Site accounts”"),
        ("search", "The site itself"),
        ("static", "The site itself"),
    ],
)
def test_a_type_does_not_take_the_address_of_a_module_that_is_off(slug: str, owner: str) -> None:
    assert refusal_of_type(slug) == f"{owner} has the address /{slug}. Choose another one."


def test_every_module_with_pages_is_in_the_table() -> None:
    for part in ("booking", "directory", "invoices", "membership", "menu", "reviews", "shop", "subscribe", "tracking"):
        assert refusal_of_type(part).startswith("The module “")


@pytest.mark.both_databases
def test_a_page_at_the_top_does_not_take_the_address_of_a_type_or_module() -> None:
    make_type(slug="stories", feature="shop")
    top = [make_page(title=slug, slug=slug) for slug in ("stories", "support", "find-us")]
    assert [page.slug for page in top] == ["stories-2", "support-2", "find-us"]
    assert top[2].add_child(instance=type(top[2])(title="Shop", slug="shop")).slug == "shop"


def test_a_page_keeps_the_address_that_it_had_before() -> None:
    page = make_page(title="Support", slug="help")
    type(page).objects.filter(pk=page.pk).update(slug="support")
    page.refresh_from_db()
    page.save()
    assert page.slug == "support"
