"""Numbers are ids: a slug that is chosen or derived has a character that is no digit, whatever record it names."""

from collections.abc import Callable
from typing import Any

import pytest

from cms_api.content.services.types import save_term
from cms_api.core.errors import Invalid
from cms_api.forms.services.forms import save_form
from cms_api.media.services.categories import save_category
from commerce.common.services.slugs import check_slug, derive_slug
from tests.builders import blog_post, field, make_item, make_type
from tests.client import Api

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FORM = {"name": "2027", "fields": [field("name", "text")]}


def _save_term(slug: str) -> Any:
    return save_term(item_type=blog_post(), taxonomy="category", name="2027", slug=slug).slug


def _save_form(slug: str) -> Any:
    return save_form(slug=slug, values=FORM).slug


def _save_category(slug: str) -> Any:
    return save_category(name="2027", slug=slug).slug


def _save_item(slug: str) -> Any:
    return make_item(title="2027", slug=slug).slug


def _save_record(slug: str) -> Any:
    return check_slug(slug) if slug else derive_slug("2027", "product")


@pytest.mark.parametrize(
    ("save", "derived"),
    [
        (_save_item, "blog-post-2027"),
        (_save_term, "category-2027"),
        (_save_form, "form-2027"),
        (_save_category, "category-2027"),
        (_save_record, "product-2027"),
    ],
)
def test_it_works(save: Callable[[str], Any], derived: str) -> None:
    assert save("") == derived
    with pytest.raises(Invalid) as refused:
        save("12")
    assert refused.value.errors == {"slug": ["The slug must contain a character that is not a digit."]}


def test_a_content_type() -> None:
    with pytest.raises(Invalid) as refused:
        make_type(slug="2027")
    assert set(refused.value.errors) == {"slug"}


def test_over_the_api(api: Api) -> None:
    body = {"type": blog_post().slug, "data": {"title": "Hello"}, "slug": "12"}
    assert set(api.post("/content-items", body).json()["errors"]) == {"slug"}
    item = make_item()
    assert set(api.patch(f"/content-items/{item.pk}", {"slug": "12"}).json()["errors"]) == {"slug"}
