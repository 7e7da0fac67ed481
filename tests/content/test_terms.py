"""GET /content-types/{slug}/terms, and what happens to items when their terms change."""

from typing import Any

import pytest

from cms_api.content.models import ContentItem, ItemTerm, Term
from cms_api.content.services.items import delete_item, publish_revision, save_draft
from cms_api.content.services.types import delete_term, refresh_items, save_term
from cms_api.core.errors import Invalid
from tests.builders import blog_post, field, make_item, make_term, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db


def shown(api: Api, item: ContentItem) -> list[str]:
    """The names of an item's categories, which list and read agree on."""
    record = api.data(f"/content-items/{item.pk}")
    assert record in api.data("/content-items")
    return [term["name"] for term in record["terms"]["category"]]


def rename(term: Term, name: str, **changes: Any) -> Term:
    return save_term(item_type=term.type, taxonomy=term.taxonomy, name=name, term=term, **changes)


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    posts = blog_post()
    news, green = make_term(posts, name="News"), make_term(posts, "tags", "Green")
    assert api.get("/content-types/blog-post/terms").json() == {
        "data": {
            "category": [{"id": news.pk, "name": "News", "slug": "news"}],
            "tags": [{"id": green.pk, "name": "Green", "slug": "green"}],
        }
    }


@pytest.mark.both_databases
def test_they_come_in_their_order(api: Api) -> None:
    posts = blog_post()
    for name, position in (("B", 1), ("C", 0), ("A", 1)):
        make_term(posts, name=name, position=position)
    assert [term["name"] for term in api.data("/content-types/blog-post/terms")["category"]] == ["C", "A", "B"]


def test_a_type_without_taxonomies_has_none(api: Api) -> None:
    assert api.data(f"/content-types/{make_type().slug}/terms") == {}


def test_the_vocabularies_of_types_are_their_own(api: Api) -> None:
    other = make_type(field("category", "taxonomy"), slug="other")
    make_term(other, name="Elsewhere")
    blog_post()
    assert api.data("/content-types/blog-post/terms")["category"] == []
    assert [term["name"] for term in api.data("/content-types/other/terms")["category"]] == ["Elsewhere"]


def test_fields_picks_vocabularies(api: Api) -> None:
    blog_post()
    assert api.data("/content-types/blog-post/terms", fields="tags") == {"tags": []}
    assert api.get("/content-types/blog-post/terms", fields="nothing").status_code == 422


@pytest.mark.both_databases
def test_an_unknown_type(api: Api) -> None:
    assert api.get("/content-types/nothing/terms").content == b'{"message":"Not Found."}'


@pytest.mark.both_databases
def test_items_show_a_new_name_at_once(api: Api) -> None:
    term = make_term(blog_post(), name="News")
    item = make_item(data={"category": ["news"]})
    tag = api.get("/content-items").headers["ETag"]
    rename(term, "Novelties")
    assert shown(api, item) == ["Novelties"]
    assert api.request("GET", "/content-items", if_none_match=tag).status_code == 200
    assert refresh_items() == 1
    assert shown(api, item) == ["Novelties"]
    assert ItemTerm.objects.filter(item=item, term=term).exists()


@pytest.mark.both_databases
def test_items_are_found_by_a_new_slug_at_once(api: Api) -> None:
    term = make_term(blog_post(), name="News")
    make_item(data={"category": ["news"]})
    rename(term, "Novelties", slug="novelties")
    assert len(api.data("/content-items", **{"term.category": "novelties"})) == 1
    assert api.data("/content-items", **{"term.category": "news"}) == []


@pytest.mark.both_databases
def test_a_deleted_term_is_taken_from_its_items(api: Api) -> None:
    posts = blog_post()
    news, sport = make_term(posts, name="News"), make_term(posts, name="Sport")
    item = make_item(data={"category": ["news", "sport"]})
    other = make_item(data={"category": ["sport"]})
    tag = api.get("/content-items").headers["ETag"]
    delete_term(term=news)
    assert (shown(api, item), shown(api, other)) == (["Sport"], ["Sport"])
    assert api.request("GET", "/content-items", if_none_match=tag).status_code == 200
    assert ContentItem.objects.get(pk=item.pk).data["category"] == [sport.pk]
    assert api.data("/content-items", **{"term.category": "news"}) == []
    assert len(api.data("/content-items", **{"term.category": "sport"})) == 2
    assert refresh_items() >= 1
    assert shown(api, item) == ["Sport"]
    assert api.patch(f"/content-items/{item.pk}", {"excerpt": "x"}).status_code == 200
    assert [term["name"] for term in api.data("/content-types/blog-post/terms")["category"]] == ["Sport"]


@pytest.mark.both_databases
def test_a_draft_is_published_without_what_was_deleted_since(api: Api) -> None:
    posts = make_type(
        field("category", "taxonomy", multiple=True), field("one", "relation"), field("many", "relation", multiple=True)
    )
    news, sport = make_term(posts, name="News"), make_term(posts, name="Sport")
    gone, stays = make_item(posts), make_item(posts)
    refers = {"category": [news.pk, sport.pk], "one": gone.pk, "many": [gone.pk, stays.pk]}
    item, draft = save_draft(item=make_item(posts), values={"data": refers})
    delete_term(term=news)
    delete_item(item=gone)
    publish_revision(item=item, revision=draft)
    assert shown(api, item) == ["Sport"]
    assert (
        api.data(f"/content-items/{item.pk}")["fields"] | {"one": None, "many": [stays.pk]}
        == api.data(f"/content-items/{item.pk}")["fields"]
    )


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Новости", "novosti"), ("音楽", "yinle"), ("新聞 2027", "xinwen-2027"), ("2027", "category-2027"), ("Ärger", "arger")],
)
def test_names_in_any_script_have_a_slug(name: str, slug: str) -> None:
    posts = blog_post()
    assert make_term(posts, name=name).slug == slug
    assert make_term(posts, name=f"{slug}").slug == (f"{slug}-2" if slug != name else slug)


@pytest.mark.both_databases
def test_a_term_of_a_single_taxonomy_can_be_deleted(api: Api) -> None:
    item_type = make_type(field("category", "taxonomy"))
    term = make_term(item_type)
    item = make_item(item_type, data={"category": "news"})
    delete_term(term=term)
    assert shown(api, item) == []


@pytest.mark.both_databases
def test_a_parent_that_is_deleted_leaves_its_children() -> None:
    item_type = make_type(field("genre", "taxonomy", hierarchical=True))
    parent = make_term(item_type, "genre", "Music")
    child = make_term(item_type, "genre", "Jazz", parent=parent)
    delete_term(term=parent)
    child.refresh_from_db()
    assert child.parent is None


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"name": " "}, "name"),
    ({"name": "!!!"}, "slug"),
    ({"name": "News"}, "slug"),
    ({"name": "Other", "slug": "news"}, "slug"),
    ({"name": "Other", "slug": "Not A Slug"}, "slug"),
    ({"name": "Other", "taxonomy": "nothing"}, "taxonomy"),
    ({"name": "Other", "taxonomy": "title"}, "taxonomy"),
    ({"name": "Other", "position": -1}, "position"),
    ({"name": "Other", "position": 10**30}, "position"),
]


@pytest.mark.parametrize(("changes", "path"), REFUSED)
def test_a_term_that_makes_no_sense_is_refused(changes: dict[str, Any], path: str) -> None:
    posts = blog_post()
    make_term(posts, name="News")
    with pytest.raises(Invalid) as refused:
        save_term(item_type=posts, **{"taxonomy": "category", **changes})
    assert path in refused.value.errors
    assert Term.objects.count() == 1


def test_a_term_cannot_hang_below_itself_or_where_there_is_no_below() -> None:
    item_type = make_type(field("genre", "taxonomy", hierarchical=True), field("mood", "taxonomy"))
    music = make_term(item_type, "genre", "Music")
    jazz = make_term(item_type, "genre", "Jazz", parent=music)
    mood = make_term(item_type, "mood", "Happy")
    for term, parent in ((music, music), (music, jazz), (mood, music)):
        with pytest.raises(Invalid) as refused:
            rename(term, term.name, parent=parent)
        assert "parent" in refused.value.errors


def test_a_parent_must_be_of_the_same_vocabulary() -> None:
    item_type = make_type(field("genre", "taxonomy", hierarchical=True), field("mood", "taxonomy", hierarchical=True))
    foreign = make_term(make_type(field("genre", "taxonomy", hierarchical=True)), "genre", "Elsewhere")
    for parent in (make_term(item_type, "mood", "Happy"), foreign):
        with pytest.raises(Invalid) as refused:
            make_term(item_type, "genre", "Jazz", parent=parent)
        assert "parent" in refused.value.errors


def test_a_name_longer_than_its_column_is_refused() -> None:
    for changes in ({"name": "a" * 101}, {"name": "Fine", "slug": "a" * 101}):
        with pytest.raises(Invalid):
            save_term(item_type=blog_post(), taxonomy="category", **changes)
