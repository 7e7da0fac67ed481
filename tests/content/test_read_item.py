"""GET /content-items/{idOrSlug}."""

import pytest

from cms_api.content.models import ContentItem, ContentType
from cms_api.flags.services import switch_feature
from tests.builders import blog_post, field, make_item, make_term, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    item = make_item(title="Hello")
    record = api.data(f"/content-items/{item.pk}")
    assert (record["id"], record["title"], record["status"]) == (item.pk, "Hello", "published")


@pytest.mark.parametrize("status", ["draft", "unpublished"])
def test_it_reads_what_is_not_public(api: Api, status: str) -> None:
    assert api.data(f"/content-items/{make_item(status=status).pk}")["status"] == status


def test_by_slug_and_type(api: Api) -> None:
    item = make_item(title="Hello")
    assert api.data("/content-items/hello", type="blog-post")["id"] == item.pk


def test_by_slug_without_a_type_it_is_not_found(api: Api) -> None:
    make_item(title="Hello")
    assert api.get("/content-items/hello").status_code == 404


def test_by_slug_of_another_type_it_is_not_found(api: Api) -> None:
    make_item(title="Hello")
    assert api.get("/content-items/hello", type=make_type().slug).status_code == 404


def test_the_same_slug_in_two_types(api: Api) -> None:
    one, other = make_item(title="Hello"), make_item(make_type(slug="other"), title="Hello")
    assert api.data("/content-items/hello", type="blog-post")["id"] == one.pk
    assert api.data("/content-items/hello", type="other")["id"] == other.pk


def test_a_title_of_digits_makes_a_slug_with_letters(api: Api) -> None:
    item = make_item(title="2024")
    assert item.slug == "blog-post-2024"
    assert api.data("/content-items/blog-post-2024", type="blog-post")["id"] == item.pk


def make_namesake(item: ContentItem, item_type: ContentType | None = None) -> ContentItem:
    """Create an item whose slug is the id of another: from the time when slugs could have digits alone."""
    namesake = make_item(item_type)
    ContentItem.objects.filter(pk=namesake.pk).update(slug=str(item.pk))
    return namesake


def test_an_id_goes_before_a_slug_that_looks_like_it(api: Api) -> None:
    item = make_item()
    make_namesake(item)
    assert api.data(f"/content-items/{item.pk}", type="blog-post")["id"] == item.pk
    assert api.data(f"/content-items/{item.pk}")["id"] == item.pk


def test_a_slug_that_is_an_id_of_another_type(api: Api) -> None:
    item = make_item()
    namesake = make_namesake(item, make_type(slug="other"))
    assert api.data(f"/content-items/{item.pk}", type="other")["id"] == namesake.pk


def test_an_id_with_the_wrong_type_is_not_found(api: Api) -> None:
    item = make_item()
    assert api.get(f"/content-items/{item.pk}", type=make_type().slug).status_code == 404
    assert api.get(f"/content-items/{item.pk}", type="nothing").status_code == 404


def test_an_item_of_a_type_that_is_off_is_not_found(api: Api) -> None:
    item_type = make_type(slug="fairs", feature="events")
    item = make_item(item_type, title="Hello")
    for path, query in ((f"/content-items/{item.pk}", {}), ("/content-items/hello", {"type": "fairs"})):
        switch_feature(name="events", on=False)
        hidden = api.get(path, **query)
        assert (hidden.status_code, hidden.content) == (404, b'{"message":"Not Found."}')
        switch_feature(name="events", on=True)
        assert api.data(path, **query)["id"] == item.pk


def test_fields_picks_keys(api: Api) -> None:
    item = make_item(title="Hello")
    assert api.data(f"/content-items/{item.pk}", fields="title,slug") == {"id": item.pk, "title": "Hello", "slug": "hello"}
    assert api.data(f"/content-items/{item.pk}", fields="fields")["fields"]["title"] == "Hello"
    assert api.data(f"/content-items/{item.pk}", fields=" url , id ") == {
        "id": item.pk,
        "url": "http://testserver/blog-post/hello",
    }
    assert api.get(f"/content-items/{item.pk}", fields="").status_code == 422


def test_fields_refuses_an_unknown_key(api: Api) -> None:
    refused = api.get(f"/content-items/{make_item().pk}", fields="title,data")
    assert (refused.status_code, refused.json()["errors"]) == (422, {"fields": ["The selected fields is invalid."]})


def test_an_item_that_is_out_of_date_is_shown_as_it_should_be(api: Api) -> None:
    item = make_item(data={"category": [make_term(blog_post()).pk]})
    before = api.data(f"/content-items/{item.pk}")
    ContentItem.objects.filter(pk=item.pk).update(cached_epoch=0, cached_json=b"")
    assert api.data(f"/content-items/{item.pk}") == before
    assert api.data("/content-items") == [before]


def test_a_site_at_another_address_shows_it(api: Api, settings: object) -> None:
    item = make_item(title="Hello")
    settings.BASE_URL = "https://example.org"  # type: ignore[attr-defined]
    assert api.data(f"/content-items/{item.pk}")["url"] == "https://example.org/blog-post/hello"


def test_text_that_looks_like_what_is_spliced_in_stays_text(api: Api) -> None:
    item_type = make_type(field("note", "textarea"))
    note = 'http://testserver \x01 "quoted" \\u0001 </script>'
    item = make_item(item_type, data={"note": note})
    assert api.data(f"/content-items/{item.pk}")["fields"]["note"] == note


def test_head_answers_the_headers_alone(api: Api) -> None:
    item = make_item()
    whole, head = api.get(f"/content-items/{item.pk}"), api.request("HEAD", f"/content-items/{item.pk}")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["ETag"] == whole.headers["ETag"]
    assert head.headers["Content-Length"] == str(len(whole.content))
