"""Copies of items, by which large sets are filled."""

from typing import Any

import pytest

from benchmarks import ours
from benchmarks.dataset import IMAGES, article, published_at
from cms_api.content.models import ContentItem, ContentType
from tests.builders import make_image
from tests.client import Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled() -> int:
    """Seven originals and three copies of them; the id of the first."""
    first = ours.seed_ours(7, [make_image().pk] * IMAGES)
    ours.add_copies(ContentType.objects.get(slug="article"), first + 5, range(15, 17))
    return first


@pytest.mark.both_databases
def test_a_copy_is_answered_like_an_item_of_its_own(filled: int, api: Api) -> None:
    original: dict[str, Any] = api.get(f"/content-items/{filled + 5}").json()["data"]
    copy: dict[str, Any] = api.get(f"/content-items/{filled + 7}").json()["data"]
    assert copy["slug"] == "article-15"
    assert copy["title"] == copy["fields"]["title"] == original["title"].replace(" 5", " 15")
    assert copy["published_at"] == published_at(15).isoformat()
    for key in ("excerpt", "status", "terms", "featured_media_id"):
        assert copy[key] == original[key]
    assert copy["fields"]["body"] == article(5).body


@pytest.mark.both_databases
def test_copies_are_listed_counted_and_found(filled: int, api: Api) -> None:
    listed = api.get("/content-items?type=article&per_page=2").json()
    assert [item["slug"] for item in listed["data"]] == ["article-16", "article-15"]
    assert listed["meta"]["total"] == 9
    assert [item["slug"] for item in api.get("/content-items?type=article&search=16").json()["data"]] == ["article-16"]


@pytest.mark.both_databases
def test_the_admin_sees_copies_as_published(filled: int) -> None:
    copy = ContentItem.objects.get(slug="article-16")
    assert copy.live
    assert copy.latest_revision_id == copy.live_revision_id == copy.revisions.get().pk
