"""The demo content of the public site."""

from typing import Any

import pytest
from django.db.models import Count
from django.test import Client
from wagtail.documents import get_document_model
from wagtail.images import get_image_model
from wagtail.models import Page, Revision

from cms_api.content.demo import load as load_content
from cms_api.content.models import ContentItem, ContentType, Term
from cms_api.content.selectors import find_type
from cms_api.fields import FIELD_TYPES
from cms_api.flags.selectors import features
from home.demo import load as load_home
from home.models import HomePage, Row
from home.services import create_home_page
from tests.client import Api

pytestmark = pytest.mark.django_db


class Progress(list[int]):
    """Records the progress that is reported."""

    __call__ = list.append


@pytest.fixture
def progress() -> Progress:
    return Progress()


def state() -> list[Any]:
    models: list[Any] = [ContentType, Term, ContentItem, get_image_model(), get_document_model(), Page, Row, Revision]
    items = ContentItem.objects.order_by("pk").values_list("slug", "updated_at", "data", "published_at")
    return [*(model.objects.count() for model in models), *items]


def test_it_works(client: Client, api: Api, progress: Progress) -> None:
    """Loaded once, and once more, which changes nothing."""
    switched = features()
    create_home_page()
    load_content(1, progress)
    load_home(1, progress)
    by_status = dict(ContentItem.objects.values_list("status").annotate(Count("pk")))
    assert set(by_status) == {"draft", "published", "scheduled", "unpublished"}
    assert min(by_status.values()) >= 3
    html = client.get("/").content.decode()
    assert "An old mill by the river" in html
    published = ContentItem.objects.filter(status="published").select_related("type")
    for item in {item.type_id: item for item in published}.values():
        assert client.get(f"/{item.type.slug}/{item.slug}").status_code == 200
    assert progress == []
    assert_that_pages_have_own_shared_and_parameterized_places(api)
    assert_that_the_showcase_has_every_field_type_filled_in()
    before = state()
    load_content(1, progress)
    load_home(1, progress)
    assert state() == before
    assert features() == switched


def assert_that_the_showcase_has_every_field_type_filled_in() -> None:
    showcase = find_type("showcase")
    assert showcase
    assert {field.type for field in showcase.schema} == set(FIELD_TYPES)
    assert [field.key for field in showcase.schema if field.required] == ["title"]
    hall = ContentItem.objects.get(slug="turbine-hall")
    assert [key for key, value in hall.data.items() if value in (None, "", [], {})] == []


def test_an_introduction_that_somebody_wrote_stays(progress: Progress) -> None:
    create_home_page()
    HomePage.objects.update(introduction="<p>Ours.</p>")
    load_home(1, progress)
    assert HomePage.objects.get().introduction == "<p>Ours.</p>"


def assert_that_pages_have_own_shared_and_parameterized_places(api: Api) -> None:
    pages = {page["slug"]: page for page in api.get("/pages").json()["data"]}
    assert {page["template"] for page in pages.values()} == {"home", "standard", "landing", "record"}
    assert pages["blog-post-template"]["parameterized"]
    places = api.get("/pages/images?page=about").json()["data"]
    assert len(places) == pages["about"]["image_slots"]
    assert {place["shared"] for place in places} == {True, False}


def test_scale_adds_posts_and_says_how_many(progress: Progress) -> None:
    load_content(2, progress)
    assert (sum(progress), len(progress)) == (200, 2)
    load_content(2, progress)
    assert sum(progress) == 200
    assert ContentItem.objects.filter(slug__startswith="notebook-").count() == 200
