"""GET /content-items with random words and filters, compared with a plain queryset."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db.models import F

from cms_api.content.models import ContentItem, Tally
from cms_api.content.selectors import filters
from cms_api.http import searching
from tests.builders import field, make_item, make_term, make_type
from tests.client import Api
from tests.figures import figure

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

WORDS = ("red", "redwood", "blue", "green", "re", "b")
QUERIES: dict[str, tuple[Any, ...]] = {
    "search": (*WORDS, "red blue", "re green", "grey"),
    "type": (None, None, "paint", "wood"),
    "status": (None, None, "draft", "all"),
    "include_owned": (None, 1),
    "term.category": (None, None, "old"),
    "from": (None, None, "2026-03-01", "2026-06-10"),
    "to": (None, None, "2026-06-12"),
    "sort": ("title", "-title", "-published_at", "updated_at"),
    "per_page": (1, 3, 50),
}


@pytest.mark.parametrize("most", [None, 0, 3, 10**9])
def test_random_searches_find_what_a_plain_queryset_does(api: Api, monkeypatch: pytest.MonkeyPatch, most: int | None) -> None:
    """On pages and after cursors, in order and with their totals; however many records are looked up or found by their dates."""
    # Other tests compare answers with the document.
    api.validate = False
    if most is not None:
        for module in (searching, filters):
            monkeypatch.setattr(module, "max_sorted", lambda among, stop: most)
    chance = Random(f"searches {most}")
    owner = make_colours(chance)
    for _ in range(figure(12, 60)):
        query = {name: value for name, values in QUERIES.items() if (value := chance.choice(values)) is not None}
        expected = plain_ids(query)
        pages: list[int] = []
        for page in range(1, -(-len(expected) // query["per_page"]) + 1)[:4]:
            answer = api.get("/content-items", page=page, **query).json()
            assert answer["meta"]["total"] == len(expected), query
            pages += [record["id"] for record in answer["data"]]
        assert pages == expected[: len(pages)], query
        cursor, seen = "", []
        for _ in range(4):
            answer = api.get("/content-items", cursor=cursor, **query).json()
            seen += [record["id"] for record in answer["data"]]
            if (cursor := answer["meta"]["next_cursor"]) is None:
                break
        assert seen == (expected if cursor is None else expected[: len(seen)]), query
        if chance.random() < 0.1:
            api.patch(f"/content-items/{owner.pk}", {"data": {"title": chance.choice(WORDS)}})


def make_colours(chance: Random) -> ContentItem:
    """Make items of two types and statuses with random words, dates and terms, two of which the first one owns; return that."""
    made = []
    for slug in ("paint", "wood"):
        kind = make_type(field("when", "datetime", facet=True), field("category", "taxonomy"), slug=slug)
        terms = [make_term(kind, name=name).pk for name in ("Old", "New")]
        for number in range(14):
            begin = datetime(2026, chance.randint(1, 12), chance.randint(1, 28), tzinfo=UTC)
            when = {"start": begin.isoformat(), "end": (begin + timedelta(days=chance.choice((1, 40)))).isoformat()}
            data = {"when": when, "category": chance.choice(terms)} if number % 3 else {}
            title = " ".join(chance.sample(WORDS[:4], chance.randint(1, 3)))
            status = chance.choice(("published", "published", "draft"))
            made.append(make_item(kind, title=title, slug=f"n{number}", status=status, data=data))
    for item in made[1:3]:
        ContentItem.objects.filter(pk=item.pk).update(owner=made[0])
        Tally.objects.filter(type=item.type_id, status=item.status, owned=False).update(total=F("total") - 1)
        Tally.objects.get_or_create(type_id=item.type_id, status=item.status, owned=True)
        Tally.objects.filter(type=item.type_id, status=item.status, owned=True).update(total=F("total") + 1)
    return made[0]


def plain_ids(query: dict[str, Any]) -> list[int]:
    rows = ContentItem.objects.all() if query.get("include_owned") else ContentItem.objects.filter(owner=None)
    if query.get("status") != "all":
        rows = rows.filter(status=query.get("status", "published"))
    if "type" in query:
        rows = rows.filter(type__slug=query["type"])
    if "term.category" in query:
        rows = rows.filter(item_terms__term__slug=query["term.category"])
    if "from" in query:
        rows = rows.filter(ends_at__gte=datetime.fromisoformat(query["from"]).replace(tzinfo=UTC))
    if "to" in query:
        rows = rows.filter(starts_at__lt=datetime.fromisoformat(query["to"]).replace(tzinfo=UTC) + timedelta(days=1))
    sign, name = ("-" if query["sort"].startswith("-") else ""), query["sort"].removeprefix("-")
    rows = rows.order_by(sign + name.replace("published_at", "listed_at"), f"{sign}id")
    wanted = query["search"].split()
    return [row.pk for row in rows if all(any(each.startswith(word) for each in row.title.lower().split()) for word in wanted)]
