"""Every list takes the same small number of statements with 1, 3 and 6 rows."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.bulk import create_items
from cms_api.core import registry
from cms_api.core.vocabulary import ABILITIES
from cms_api.flags.services import switch_feature
from cms_api.forms.models import Form, Submission
from cms_api.media.models import Media, MediaImage, Rendition
from cms_api.media.selectors import find_category
from cms_api.media.services.categories import save_category
from cms_api.media.types import VARIANTS
from cms_api.webhooks.models import Endpoint
from home.models import PageImage, Row, StandardPage
from tests.builders import field, make_form, make_image, make_item, make_page, make_shared_row, make_term, make_token, make_type
from tests.client import Api

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def api(api_on: None) -> Api:
    """A client with every ability, whose answers are not compared with the document, which takes longer than to make them."""
    return Api(make_token(*ABILITIES), validate=False)


#: Statements of the token and its budget, which every request has.
OVERHEAD = ("tokens_apitoken", "tokens_budget")


def statements(api: Api, path: str) -> list[str]:
    """The statements of a read without those of the token, in a process whose caches are filled."""
    api.get(path)
    return next_statements(api, path)


def next_statements(api: Api, path: str) -> list[str]:
    """The statements of a read. None of them writes: a read may be answered twice."""
    with CaptureQueriesContext(connection) as captured:
        assert api.get(path).status_code == 200
    found = [query["sql"] for query in captured.captured_queries if not any(table in query["sql"] for table in OVERHEAD)]
    assert not [sql for sql in found if sql.startswith(("INSERT", "UPDATE", "DELETE"))], path
    return found


def items(number: int) -> None:
    """Items with pictures, terms and links, of one type."""
    things = make_type(field("genre", "taxonomy", multiple=True), field("other", "relation"))
    make_term(things, "genre", "Jazz")
    target = make_item().pk
    picture = make_image().pk
    row = {"data": {"title": "One", "genre": ["jazz"], "other": target}, "status": "published", "featured_media_id": picture}
    create_items(item_type=things, rows=[row] * number)


def types(number: int) -> None:
    for _ in range(number):
        make_type(field("genre", "taxonomy"))


def pages(number: int) -> None:
    shared = make_shared_row({"type": "hero", "value": {"heading": "Shared"}})
    for _ in range(number):
        make_page({"type": "hero", "value": {"heading": "One"}}, {"type": "shared", "value": {"row": shared.pk}})


def places(number: int) -> None:
    """More rows on a page, its own and a shared one, with images set by the editor and by the API."""
    image = make_image()
    shared = make_shared_row({"type": "hero", "value": {"heading": "Shared", "image": image.pk}})
    page = StandardPage.objects.filter(slug="places").first() or make_page(title="Places")
    heroes = [("hero", {"heading": "One", "image": image}) for _ in range(number)]
    page.rows.extend([*heroes, ("shared", {"row": shared})])
    page.save()
    rows = Row.objects.filter(page=page, kind="hero").exclude(images__key="image")
    PageImage.objects.bulk_create([PageImage(row=row, key="image", media=image) for row in rows])


def media(number: int) -> None:
    """Pictures with variants, in a category."""
    category = find_category("places") or save_category(name="Places")
    first = Media.objects.count()
    for index in range(number):
        path = f"media/2026/03/{first + index}.jpg"
        image = MediaImage.objects.create(title="One", file=path, width=900, height=600, category=category)
        spec = VARIANTS[0].spec
        Rendition.objects.bulk_create([Rendition(image=image, filter_spec=spec, file=path, width=480, height=320)])


def forms(number: int) -> None:
    for _ in range(number):
        make_form()


def submissions(number: int) -> None:
    """More submissions of one form, whose id is in the list's path."""
    form, _ = Form.objects.get_or_create(pk=41, defaults={"slug": "asked", "name": "Asked"})
    rows = [Submission(form=form, data={"name": "Dana"}, source="api", created_at=timezone.now()) for _ in range(number)]
    Submission.objects.bulk_create(rows)


def webhooks(number: int) -> None:
    switch_feature(name="webhooks", on=True)
    Endpoint.objects.bulk_create([Endpoint(url="https://example.com/", events=["*"]) for _ in range(number)])


def lists_of_modules() -> dict[str, tuple[Callable[[int], None], int]]:
    """Lists that a module's tests declare as `LISTS` in their `lists.py`."""
    tests = Path(__file__).parents[1]
    files = (path.relative_to(tests.parent).with_suffix("") for path in sorted(tests.rglob("lists.py")))
    return {path: made for file in files for path, made in import_module(".".join(file.parts)).LISTS.items()}


#: Every list of the product: how to make rows for it, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, and the items; the total is known to the process until the next write.
    "/content-items?per_page=100": (items, 2),
    # The versions, and the items.
    "/content-items?per_page=100&cursor=": (items, 2),
    "/content-items?per_page=100&search=one": (items, 2),
    "/content-items?per_page=100&term.genre=jazz": (items, 2),
    # The versions, the total (which changes with the time), and the items.
    "/content-items?per_page=100&when=past": (items, 3),
    # The versions, and the tallies; types are held by the process.
    "/content-types": (types, 2),
    # The versions, restricted pages, the total, the pages, their rows, and those of shared rows.
    "/pages?per_page=100": (pages, 6),
    # The versions, restricted pages (twice), the page and what is its type's, its rows, those of shared rows, pictures that
    # were set, uses of shared rows, texts and addresses of pictures.
    "/pages/images?page=places": (places, 11),
    # The versions, the rows, and their variants; the total is known to the process until the next write.
    "/media?per_page=100": (media, 3),
    "/media?per_page=100&category=places&search=jpg&kind=image": (media, 3),
    "/media?per_page=100&cursor=": (media, 3),
    # The versions, the total, and the rows.
    "/webhooks?per_page=100": (webhooks, 3),
    "/forms?per_page=100": (forms, 3),
    # The versions, the form, the total, and the rows.
    "/forms/41/submissions?per_page=100": (submissions, 4),
    "/forms/41/submissions?per_page=100&include_spam=1&since=2020-01-01": (submissions, 4),
    **lists_of_modules(),
}


@pytest.mark.parametrize("make", {make: make for make, _ in LISTS.values()})
def test_it_works(api: Api, make: Callable[[int], None], subtests: pytest.Subtests) -> None:
    """Also the first request after a write takes a constant number, which may be higher."""
    paths = [path for path, (made, _) in LISTS.items() if made == make]
    first: dict[str, list[list[str]]] = {path: [] for path in paths}
    later: dict[str, list[list[str]]] = {path: [] for path in paths}
    for path in paths:
        api.get(path)
    for number in (1, 2, 3):
        make(number)
        for path in paths:
            first[path].append(next_statements(api, path))
            later[path].append(next_statements(api, path))
    for path in paths:
        with subtests.test(path):
            assert len(first[path][1]) == len(first[path][2]), first[path]
            assert len(later[path][0]) == len(later[path][1]) == len(later[path][2]), later[path]
            assert len(later[path][2]) <= LISTS[path][1], later[path][2]


def test_stale_items_are_serialized_in_a_constant_number(api: Api) -> None:
    """Statements for the versions, the items, the complete stale items, and their pictures."""
    found = []
    for number in (1, 2, 3):
        items(number)
        ContentItem.objects.update(cached_epoch=0)
        found.append(len(statements(api, "/content-items?per_page=100")))
    assert found == [4, 4, 4]


def test_a_single_read_takes_two(api: Api) -> None:
    """The versions, and the item; outside a transaction they are read together."""
    item = make_item()
    assert len(statements(api, f"/content-items/{item.pk}")) == 2


def test_a_304_takes_one(api: Api) -> None:
    """The versions."""
    make_item()
    tag = api.get("/content-items").headers["ETag"]
    with CaptureQueriesContext(connection) as captured:
        assert api.request("GET", "/content-items", if_none_match=tag).status_code == 304
    assert len([query for query in captured.captured_queries if not any(table in query["sql"] for table in OVERHEAD)]) == 1


def test_every_list_of_the_product_is_covered() -> None:
    declared: set[str] = set()
    for _, route in registry.routes():
        get: Any = getattr(registry.load(route.view), "get", None)
        if get and get.operation.kind in {"list", "rows"}:
            declared.add("/" + route.path)
    assert declared == {path.partition("?")[0].replace("/forms/41/", "/forms/<id:form>/") for path in LISTS}
