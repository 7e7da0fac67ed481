"""Writes at the same time, in threads: nothing is lost, nothing is counted twice, and nobody gets a 500."""

from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from cms_api.content.models import ContentItem, ContentType, Tally, Term
from cms_api.content.services.types import delete_term, save_term, save_type
from cms_api.core import versions
from cms_api.media.models import Media
from tests.builders import field, make_image, make_item, make_term, make_type
from tests.client import Api, together
from tests.figures import figure

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 8


@pytest.fixture
def things(api_on: None) -> ContentType:
    return make_type(
        *(field(f"f{number}", "text") for number in range(THREADS)),
        field("sku", "text", unique=True),
        field("genre", "taxonomy", multiple=True),
        field("other", "relation"),
        slug="things",
    )


def assert_in_order(api: Api) -> None:
    """Tallies are counts, and every record in the list is the one of a single read after it is made anew."""
    versions.forget()
    standings = ContentItem.objects.values_list("type", "status", "owner")
    counts = Counter((type_id, status, owner is not None) for type_id, status, owner in standings)
    rows = Tally.objects.values_list("type", "status", "owned", "total")
    assert {row[:3]: row[3] for row in rows if row[3]} == counts
    listed = {record["id"]: record for record in api.data("/content-items", status="all", per_page=100)}
    ContentItem.objects.update(cached_epoch=0)
    for record_id, record in listed.items():
        assert api.data(f"/content-items/{record_id}") == record


def test_it_works_with_changes_of_different_keys(api: Api, things: ContentType) -> None:
    item = make_item(things)
    answers = together(lambda n: Api(api.token).patch(f"/content-items/{item.pk}", {"data": {f"f{n}": str(n)}}), THREADS)
    assert [answer.status_code for answer in answers] == [200] * THREADS
    fields = api.data(f"/content-items/{item.pk}")["fields"]
    assert [fields[f"f{number}"] for number in range(THREADS)] == [str(number) for number in range(THREADS)]
    assert_in_order(api)


def test_of_many_that_delete_an_item_one_does(api: Api, things: ContentType) -> None:
    item = make_item(things)
    answers = together(lambda _: Api(api.token).delete(f"/content-items/{item.pk}"), THREADS)
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * (THREADS - 1)
    assert_in_order(api)


def test_changes_while_the_item_is_deleted(api: Api, things: ContentType) -> None:
    def act(number: int) -> int:
        client = Api(api.token)
        path = f"/content-items/{item.pk}"
        return int((client.delete(path) if number == 0 else client.patch(path, {"excerpt": str(number)})).status_code)

    for _ in range(3):
        item = make_item(things)
        statuses = together(act, 4)
        assert statuses[0] == 200
        assert set(statuses[1:]) <= {200, 404}
    assert_in_order(api)


def test_of_many_that_want_a_slug_one_gets_it(api: Api, things: ContentType) -> None:
    body = {"type": "things", "data": {"title": "One"}, "slug": "mine"}
    answers = together(lambda _: Api(api.token).post("/content-items", body), THREADS)
    assert sorted(answer.status_code for answer in answers) == [201] + [422] * (THREADS - 1)
    assert {key for answer in answers if answer.status_code == 422 for key in answer.json()["errors"]} == {"slug"}
    assert_in_order(api)


def test_of_many_that_want_a_unique_value_one_gets_it(api: Api, things: ContentType) -> None:
    body = {"type": "things", "data": {"title": "One", "sku": "A"}}
    answers = together(lambda _: Api(api.token).post("/content-items", body), THREADS)
    assert sorted(answer.status_code for answer in answers) == [201] + [422] * (THREADS - 1)
    assert {key for answer in answers if answer.status_code == 422 for key in answer.json()["errors"]} == {"data.sku"}
    assert_in_order(api)


def test_statuses_back_and_forth(api: Api, things: ContentType) -> None:
    items = [make_item(things) for _ in range(3)]
    statuses = ("draft", "published", "unpublished")

    def act(number: int) -> None:
        client = Api(api.token)
        for turn in range(4):
            item, status = items[(number + turn) % 3], statuses[(number * turn) % 3]
            assert client.patch(f"/content-items/{item.pk}", {"status": status}).status_code == 200

    together(act, THREADS)
    assert_in_order(api)


#: How often some races are repeated.
ROUNDS = figure(3, 5)


def test_links_to_an_item_that_is_being_deleted(api: Api, things: ContentType) -> None:
    def act(number: int) -> int:
        client = Api(api.token)
        if number == 0:
            return int(client.delete(f"/content-items/{target.pk}").status_code)
        body = {"type": "things", "data": {"title": "One", "other": target.pk}}
        return int(client.post("/content-items", body).status_code)

    for _ in range(ROUNDS):
        target = make_item(things)
        statuses = together(act, 4)
        assert statuses[0] == 200
        assert set(statuses[1:]) <= {201, 422}
    gone = {item.pk for item in ContentItem.objects.all()}
    assert all(item.data["other"] in {None, *gone} for item in ContentItem.objects.filter(title="One"))
    assert_in_order(api)


def test_items_of_a_term_that_is_being_deleted(api: Api, things: ContentType) -> None:
    def act(number: int) -> int:
        if number == 0:
            delete_term(term=Term.objects.get(pk=term.pk))
            return 200
        body = {"type": "things", "data": {"title": "One", "genre": [term.pk]}}
        return int(Api(api.token).post("/content-items", body).status_code)

    for _ in range(ROUNDS):
        term = make_term(things, "genre", "Jazz")
        assert set(together(act, 4)[1:]) <= {201, 422}
    assert_in_order(api)
    known = set(Term.objects.values_list("pk", flat=True))
    assert all(set(item.data["genre"]) <= known for item in ContentItem.objects.filter(title="One"))


def test_items_written_while_their_term_is_renamed(api: Api, things: ContentType) -> None:
    """No item may go on showing the old name."""
    term = make_term(things, "genre", "Jazz")

    def act(turn: int, number: int) -> Any:
        if number == 0:
            return save_term(
                item_type=things, taxonomy="genre", name=f"Jazz {turn}", slug="jazz", term=Term.objects.get(pk=term.pk)
            )
        body = {"type": "things", "data": {"title": "One", "genre": ["jazz"]}}
        return Api(api.token).post("/content-items", body)

    for turn in range(ROUNDS):
        together(partial(act, turn), 4)
    shown = [record["terms"]["genre"][0]["name"] for record in api.data("/content-items", status="all", per_page=100)]
    assert shown == [f"Jazz {ROUNDS - 1}"] * 3 * ROUNDS
    assert_in_order(api)


def test_items_written_while_their_type_is_changed(api: Api, things: ContentType) -> None:
    def act(turn: int, number: int) -> Any:
        if number == 0:
            has_detail = bool(turn % 2)
            return save_type(item_type=ContentType.objects.get(pk=things.pk), values={"has_detail": has_detail})
        return Api(api.token, validate=False).post("/content-items", {"type": "things", "data": {"title": "One"}})

    for turn in range(ROUNDS):
        together(partial(act, turn), 4)
    records = api.data("/content-items", status="all", per_page=100)
    assert ["url" in record for record in records] == [bool((ROUNDS - 1) % 2)] * 3 * ROUNDS
    assert_in_order(api)


def test_items_written_while_a_field_gets_another_kind(api: Api, things: ContentType) -> None:
    def act(turn: int, number: int) -> Any:
        if number == 0:
            fields = [things.fields[0], field("f0", "text" if turn % 2 else "integer")]
            return save_type(item_type=ContentType.objects.get(pk=things.pk), values={"fields": fields})
        value = "text" if number % 2 else 7
        answer = Api(api.token).post("/content-items", {"type": "things", "data": {"title": "One", "f0": value}})
        assert answer.status_code in {201, 422}
        return answer

    for turn in range(ROUNDS):
        together(partial(act, turn), 4)
    kinds = {type(record["fields"]["f0"]) for record in api.data("/content-items", status="all", per_page=100)}
    assert kinds <= {int, type(None)}


def test_a_picture_is_used_while_it_is_deleted(api: Api, things: ContentType) -> None:
    def act(number: int) -> int:
        if number == 0:
            with transaction.atomic():
                Media.objects.select_for_update().get(pk=picture.pk)
                picture.delete()
            return 200
        body = {"type": "things", "data": {"title": "One"}, "featured_media_id": picture.pk}
        return int(Api(api.token).post("/content-items", body).status_code)

    for _ in range(ROUNDS):
        picture = make_image()
        assert set(together(act, 3)[1:]) <= {201, 422}
