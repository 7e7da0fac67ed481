"""Data derived from items with each write equals a fresh derivation, whatever was written before."""

import random
from collections import Counter
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.db import connection
from django.utils import timezone
from wagtail.models import Revision
from wagtail.search.models import IndexEntry

from cms_api.content.models import ContentItem, ContentType, ItemLink, ItemTerm, ItemUnique, Tally, Term
from cms_api.content.resources.records import whole_record
from cms_api.content.services.bulk import create_items
from cms_api.content.services.items import create_item, publish_due_items, publish_revision, save_draft, unpublish_item
from cms_api.content.services.types import delete_term, refresh_items, save_term, save_type
from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.media.models import MediaImage
from cms_api.media.selectors import image_paths
from tests.builders import field, make_image, make_term, make_type
from tests.client import Api
from tests.figures import figure

pytestmark = pytest.mark.django_db


def make_things(slug: str) -> ContentType:
    return make_type(
        field("body", "richtext_tiptap"),
        field("sku", "text", unique=True),
        field("genre", "taxonomy", multiple=True),
        field("one", "relation"),
        field("many", "relation", multiple=True),
        field("when", "datetime"),
        slug=slug,
    )


class Operations:
    """Writes of every kind, chosen by a seeded generator."""

    def __init__(self, api: Api, seed: int) -> None:
        self.api, self.random = api, random.Random(seed)
        self.types = [make_things("things"), make_things("others")]
        for item_type in self.types:
            for name in ("Jazz", "Rock", "Folk"):
                make_term(item_type, "genre", name)
        self.pictures = [make_image(f"{name}.png").pk for name in "ab"]

    def fresh_type(self) -> ContentType:
        return ContentType.objects.get(pk=self.random.choice(self.types).pk)

    def some_item(self) -> ContentItem | None:
        ids = list(ContentItem.objects.order_by("pk").values_list("pk", flat=True))
        return ContentItem.objects.select_related("type").get(pk=self.random.choice(ids)) if ids else None

    def values(self, item_type: ContentType) -> dict[str, Any]:
        choose = self.random.choice
        terms = list(Term.objects.filter(type=item_type).order_by("pk").values_list("slug", flat=True))
        ids = list(ContentItem.objects.order_by("pk").values_list("pk", flat=True))
        data = {
            "title": choose(["Ann", "Bob", "Çid"]),
            "body": choose(["<p>One</p>", None, "<b>Two"]),
            "sku": choose([None, None, "A", "B", "C"]),
            "genre": self.random.sample(terms, self.random.randint(0, len(terms))),
            "one": choose([None, *ids[:5]]),
            "many": self.random.sample(ids, min(len(ids), 2)),
            "when": choose([None, {"start": "2026-03-01T10:00"}, {"start": "2026-03-01", "all_day": True}]),
        }
        status = choose(["draft", "published", "unpublished", "scheduled"])
        sent: dict[str, Any] = {"data": data, "status": status, "featured_media_id": choose([None, *self.pictures])}
        if status == "scheduled":
            sent["published_at"] = (timezone.now() + timedelta(hours=1)).isoformat()
        return sent

    def create(self) -> None:
        item_type = self.fresh_type()
        answer = self.api.post("/content-items", {"type": item_type.slug, **self.values(item_type)})
        assert answer.status_code in {201, 422}

    def update(self) -> None:
        if item := self.some_item():
            sent = self.values(item.type)
            kept = self.random.sample(sorted(sent["data"]), 2)
            sent["data"] = {key: sent["data"][key] for key in kept}
            answer = self.api.patch(f"/content-items/{item.pk}", sent)
            assert answer.status_code in {200, 422}

    def delete(self) -> None:
        if item := self.some_item():
            assert self.api.delete(f"/content-items/{item.pk}").status_code == 200

    def import_many(self) -> None:
        rows = [{"data": {"title": "Many", "genre": []}, "status": "published"}, {"data": {"title": "Many"}, "status": "draft"}]
        create_items(item_type=self.fresh_type(), rows=rows)

    def draft_and_publish(self) -> None:
        if item := self.some_item():
            _, revision = save_draft(item=item, values={"data": {"title": "Drafted"}})
            if self.random.random() < 0.5:
                publish_revision(item=item, revision=revision)

    def unpublish(self) -> None:
        if item := self.some_item():
            unpublish_item(item=item)

    def come_due(self) -> None:
        ContentItem.objects.filter(status="scheduled").update(published_at=timezone.now() - timedelta(seconds=1))
        publish_due_items()

    def rename_term(self) -> None:
        if term := Term.objects.order_by("?").select_related("type").first():
            save_term(item_type=term.type, taxonomy=term.taxonomy, name=term.name + "!", slug=term.slug, term=term)

    def drop_term(self) -> None:
        if Term.objects.count() > 3 and (term := Term.objects.order_by("pk").first()):
            delete_term(term=term)

    def change_type(self) -> None:
        item_type = self.fresh_type()
        save_type(item_type=item_type, values={"has_detail": not item_type.has_detail})

    def change_timezone(self) -> None:
        set_setting(key="site.timezone", value=self.random.choice(["Asia/Tokyo", "America/New_York"]))

    def refresh(self) -> None:
        refresh_items()

    #: How often each kind is chosen.
    WEIGHTS = {
        **{"create": 12, "update": 12, "delete": 4, "import_many": 1, "draft_and_publish": 3, "unpublish": 2, "come_due": 1},
        **{"rename_term": 2, "drop_term": 1, "change_type": 1, "change_timezone": 1, "refresh": 1},
    }

    def do_one(self) -> None:
        versions.forget()
        (name,) = self.random.choices(list(self.WEIGHTS), list(self.WEIGHTS.values()))
        getattr(self, name)()


def assert_consistent(api: Api) -> None:
    versions.forget()
    assert_tallies_are_counts()
    items = list(ContentItem.objects.order_by("pk"))
    types = {item_type.pk: item_type for item_type in ContentType.objects.all()}
    paths = image_paths(item.featured_media_id for item in items if item.featured_media_id)
    listed = {record["id"]: record for record in api.data("/content-items", status="all", per_page=100)}
    assert len(listed) == len(items)
    for item in items:
        item.type = types[item.type_id]
        assert listed[item.pk] == whole_record(item, featured_path=paths.get(item.featured_media_id or 0))
        assert_rows_are_the_datas(item)


def assert_tallies_are_counts() -> None:
    standings = ContentItem.objects.values_list("type", "status", "owner")
    counts = Counter((type_id, status, owner is not None) for type_id, status, owner in standings)
    tallies = {row[:3]: row[3] for row in Tally.objects.values_list("type", "status", "owned", "total") if row[3]}
    assert tallies == counts


def assert_rows_are_the_datas(item: ContentItem) -> None:
    rows = ItemTerm.objects.filter(item=item).order_by("position").values_list("term", "status", "listed_at")
    assert list(rows) == [(term_id, item.status, item.listed_at) for term_id in item.data.get("genre") or ()]
    targets = {item.data.get("one"), *(item.data.get("many") or ())} - {None}
    assert set(ItemLink.objects.filter(source=item).values_list("target", flat=True)) == targets
    assert ItemUnique.objects.filter(item=item).exists() == bool(item.data.get("sku"))
    assert IndexEntry.objects.filter(object_id=str(item.pk), content_type__model="contentitem").count() == 1


@pytest.mark.parametrize("seed", range(figure(2, 4)))
def test_it_works_after_any_writes(api: Api, seed: int) -> None:
    operations = Operations(api, seed)
    for _ in range(4):
        for _ in range(15):
            operations.do_one()
        assert_consistent(api)
    refresh_items()
    assert_consistent(api)
    totals = {
        status: api.get("/content-items", status=status).json()["meta"]["total"] for status in ("draft", "published", "all")
    }
    counts = ContentItem.objects.filter(status="draft").count(), ContentItem.objects.filter(status="published").count()
    assert (totals["draft"], totals["published"], totals["all"]) == (*counts, ContentItem.objects.count())


@pytest.mark.both_databases
def test_an_import_equals_single_writes(api: Api) -> None:
    one, other = make_things("things"), make_things("others")
    for item_type in (one, other):
        make_term(item_type, "genre", "Jazz")
    now = timezone.now()
    rows: list[dict[str, Any]] = [
        {"data": {"title": "Same", "genre": ["jazz"], "sku": "A", "when": {"start": "2026-03-01T10:00"}}, "status": "published"},
        {"data": {"title": "Same", "body": "<p>Text"}, "status": "draft", "excerpt": "Short", "published_at": now},
        {"data": {"title": "Other"}, "slug": "mine", "featured_media_id": make_image().pk},
    ]
    create_items(item_type=one, rows=rows)
    for row in rows:
        create_item(item_type=other, values=row)
    assert_consistent(api)
    unlike = {"id", "type", "url", "created_at", "updated_at", "published_at", "terms"}

    def records(slug: str) -> list[bytes]:
        found = api.data("/content-items", type=slug, status="all", sort="created_at")
        return sorted(orjson.dumps({key: value for key, value in record.items() if key not in unlike}) for record in found)

    assert records("things") == records("others")
    assert Revision.objects.count() == 2 * len(rows)


def test_a_refused_import_makes_nothing(api: Api) -> None:
    item_type = make_things("things")
    with pytest.raises(Invalid):
        create_items(item_type=item_type, rows=[{"data": {"title": "Fine"}}, {"data": {}}])
    assert not ContentItem.objects.exists()
    assert_tallies_are_counts()


@pytest.mark.both_databases
def test_a_picture_that_is_deleted_is_no_longer_shown(api: Api) -> None:
    item_type, picture = make_things("things"), make_image()
    made = api.post("/content-items", {"type": item_type.slug, "data": {"title": "One"}, "featured_media_id": picture.pk}).json()[
        "data"
    ]
    assert made["featured_image"]
    MediaImage.objects.get(pk=picture.pk).delete()
    record = api.data(f"/content-items/{made['id']}")
    assert (record["featured_media_id"], record["featured_image"]) == (None, None)


@pytest.mark.both_databases
@pytest.mark.skipif(connection.vendor != "postgresql", reason="Is about PostgreSQL's rows.")
def test_json_is_stored_uncompressed_and_beside_its_row_if_it_is_short() -> None:
    item_type = make_things("things")
    texts = [f"<p>{'Long. ' * words}</p>" for words in (400, 400, 400, 5000)]
    create_items(item_type=item_type, rows=[{"data": {"title": "One", "body": text}} for text in texts])
    with connection.cursor() as cursor:
        extra_bytes = "pg_column_size(cached_json) - octet_length(cached_json)"
        cursor.execute(f"SELECT (ctid::text::point)[0], {extra_bytes} FROM content_contentitem ORDER BY id")
        pages, extra = zip(*cursor.fetchall(), strict=True)
    # A value beside its row has a length of four bytes; what is stored elsewhere has none.
    assert extra == (4, 4, 4, 0)
    assert len(set(pages)) == 2
