"""The pages' places for pictures over the API, and what visitors see after a change."""

import re
from typing import Any

import pytest
from django.test import Client
from wagtail.models import Page, PageViewRestriction

from cms_api.media.models import MediaFile
from home.models import HomePage, LandingPage, PageImage, RecordTemplate, Row, StandardPage
from home.services import create_home_page
from tests.builders import blog_post, make_image, make_item, make_page, make_shared_row, make_token
from tests.client import Api, together

pytestmark = pytest.mark.django_db


def hero(heading: str = "By the river", **values: Any) -> dict[str, Any]:
    return {"type": "hero", "value": {"heading": heading, **values}}


def shared(row: Any) -> dict[str, Any]:
    return {"type": "shared", "value": {"row": row.pk}}


TEXT = {"type": "text", "value": {"heading": "", "text": "<p>Words.</p>"}}


@pytest.fixture
def page() -> Any:
    return make_page(hero(), title="About")


def places(api: Api, page: str = "about") -> list[dict[str, Any]]:
    answer = api.get(f"/pages/images?page={page}")
    assert answer.status_code == 200, answer.content
    return list(answer.json()["data"])


def put(api: Api, place: dict[str, Any], media_id: int | None, page: str = "about", **more: Any) -> Any:
    body = {"page": page, "row_slug": place["row_slug"], "key": place["key"], "media_id": media_id, **more}
    return api.patch("/pages/images", body)


def html(client: Client, path: str = "/about/") -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def shows(client: Client, image: Any, path: str = "/about/") -> bool:
    """Whether a visitor sees one of the renditions of a picture."""
    seen = html(client, path)
    return any(rendition.file.name in seen for rendition in image.renditions.all())


def large_image() -> Any:
    return make_image(width=900, height=600)


def test_it_works(api: Api, client: Client, page: Any) -> None:
    image = large_image()
    (place,) = places(api)
    assert re.fullmatch(r"hero-[0-9a-z]{6}", place["row_slug"])
    assert (place["key"], place["media_id"], place["shared"], place["alt_key"]) == ("image", None, False, "image_alt")
    assert place["recommended"] == {"width": 1920, "aspect": "16:9", "openai_size": "1536x1024"}
    assert place["url"] == "http://testserver/site/slots/hero.svg"
    assert client.get(place["url"]).headers["Content-Type"] == "image/svg+xml"
    assert "site/slots/hero.svg" in html(client)
    written = put(api, place, image.pk, alt="A heron")
    assert written.status_code == 200, written.content
    data = written.json()["data"]
    assert set(data) == {"page", "row_slug", "key", "media_id", "url", "alt", "shared", "alt_written"}
    assert (data["page"], data["media_id"], data["alt"], data["alt_written"]) == ("about", image.pk, "A heron", True)
    assert shows(client, image)
    assert 'alt="A heron"' in html(client)
    assert "site/slots/hero.svg" not in html(client)
    assert (places(api)[0]["media_id"], places(api)[0]["alt"]) == (image.pk, "A heron")


def test_pages_are_listed_as_the_contract_says(api: Api, page: Any) -> None:
    landing = make_page(hero(), TEXT, hero("Two"), title="Landing", kind=LandingPage)
    make_page(title="Posts", kind=RecordTemplate, record_type=blog_post(), slug="posts")
    found = {record["slug"]: record for record in api.get("/pages").json()["data"]}
    assert set(found) == {"home", "about", "landing", "posts"}
    assert found["landing"] == {
        "id": landing.pk,
        "slug": "landing",
        "title": "Landing",
        "url": "http://testserver/landing/",
        "parameterized": False,
        "template": "landing",
        "image_slots": 2,
    }
    assert (found["home"]["url"], found["home"]["template"]) == ("http://testserver/", "home")
    assert (found["posts"]["parameterized"], found["posts"]["image_slots"]) == (True, 0)
    assert found["posts"]["url"] == "http://testserver/blog-post"


@pytest.mark.both_databases
def test_pages_come_in_parts_and_sorted(api: Api) -> None:
    for title in "CAB":
        make_page(title=title)
    assert [page["title"] for page in api.get("/pages?sort=title").json()["data"]] == ["A", "B", "C", "Home"]
    assert [page["title"] for page in api.get("/pages").json()["data"]] == ["B", "A", "C", "Home"]
    first = api.get("/pages?per_page=3&cursor=").json()
    assert len(first["data"]) == 3
    following = api.get(first["links"]["next"].partition("/api/v1")[2]).json()["data"]
    assert [page["title"] for page in following] == ["Home"]
    assert list(api.get("/pages?fields=slug").json()["data"][0]) == ["id", "slug"]


def test_what_visitors_may_not_see_is_not_listed(api: Api, page: Any) -> None:
    draft = make_page(hero(), title="Draft", live=False)
    PageViewRestriction.objects.create(page=page, restriction_type="login")
    assert [found["slug"] for found in api.get("/pages").json()["data"]] == ["home"]
    for hidden in ("about", draft.slug):
        assert api.get(f"/pages/images?page={hidden}").status_code == 404


def test_what_is_wrong_with_a_request_is_said_of_its_key(api: Api, page: Any) -> None:
    image, document = make_image(), MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")
    (place,) = places(api)
    make_page(title="Posts", kind=RecordTemplate, record_type=blog_post(), slug="posts")
    make_page(TEXT, title="Words")
    words = Row.objects.get(kind="text")
    good = {"page": "about", "row_slug": place["row_slug"], "key": "image", "media_id": image.pk}
    for changes, key in (
        ({"page": "nowhere"}, "page"),
        ({"page": "posts"}, "page"),
        ({"page": "home"}, "row_slug"),
        ({"row_slug": "hero-000000"}, "row_slug"),
        ({"key": "portrait"}, "key"),
        ({"page": "words", "row_slug": words.slug}, "key"),
        ({"media_id": 10**9}, "media_id"),
        ({"media_id": document.pk}, "media_id"),
        ({"media_id": "1"}, "media_id"),
        ({"media_id": 2**70}, "media_id"),
        ({"alt": "x" * 256}, "alt"),
        ({"alt": 1}, "alt"),
    ):
        answer = api.patch("/pages/images", {**good, **changes})
        assert answer.status_code == 422, changes
        assert key in answer.json()["errors"], changes
    for missing in good:
        answer = api.put("/pages/images", {key: value for key, value in good.items() if key != missing})
        assert list(answer.json()["errors"]) == [missing]
    assert not PageImage.objects.exists()
    assert list(api.get("/pages/images").json()["errors"]) == ["page"]
    assert api.get("/pages/images?page=nowhere").status_code == 404


def test_null_gives_the_place_back_to_the_rows_own_picture(api: Api, client: Client) -> None:
    own, other = large_image(), large_image()
    make_page(hero(image=own.pk, image_alt="Our own"), title="About")
    (place,) = places(api)
    assert (place["media_id"], place["alt"]) == (None, "Our own")
    assert own.file.url in place["url"]
    assert put(api, place, other.pk).json()["data"]["alt"] == ""
    assert shows(client, other)
    data = put(api, place, None).json()["data"]
    assert (data["media_id"], data["alt"], data["alt_written"]) == (None, "Our own", False)
    assert own.file.url in data["url"]
    assert shows(client, own)
    assert 'alt="Our own"' in html(client)


def test_a_text_belongs_to_its_picture(api: Api, page: Any) -> None:
    one, two = make_image("one.png"), make_image("two.png")
    (place,) = places(api)
    body = {"page": "about", "row_slug": place["row_slug"], "key": place["key"], "media_id": one.pk, "alt": "One"}
    assert api.put("/pages/images", body).status_code == 200
    assert put(api, place, one.pk).json()["data"]["alt"] == "One"
    assert put(api, place, two.pk).json()["data"]["alt"] == ""
    assert put(api, place, two.pk, alt="Two").json()["data"]["alt"] == "Two"
    assert put(api, place, two.pk, alt="").json()["data"]["alt"] == ""


def test_a_row_without_a_place_for_the_text_says_so(api: Api, client: Client) -> None:
    make_page({"type": "quote", "value": {"quote": "Yes."}}, title="About")
    (place,) = places(api)
    assert "alt_key" not in place
    assert put(api, place, make_image().pk, alt="Me").json()["data"]["alt_written"] is False


def test_a_shared_row_changes_on_every_page(api: Api, client: Client) -> None:
    row = make_shared_row(hero())
    for title in ("One", "Two"):
        make_page(TEXT, shared(row), title=title)
    for path in ("/one/", "/two/"):
        assert "site/slots/hero.svg" in html(client, path)
    (place,) = places(api, "one")
    assert place["shared"] is True
    image = large_image()
    assert put(api, place, image.pk, page="two").json()["data"]["shared"] is True
    for path in ("/one/", "/two/"):
        assert shows(client, image, path)


def test_a_shared_row_of_one_page_is_not_shared(api: Api) -> None:
    row = make_shared_row(hero())
    make_page(shared(row), shared(row), title="About")
    make_page(shared(row), title="Draft", live=False)
    assert [place["shared"] for place in places(api)] == [False]


def test_slugs_stay_with_their_rows(api: Api, page: Any) -> None:
    (before,) = places(api)
    page.rows.insert(0, ("hero", {"heading": "New"}))
    page.save_revision().publish()
    page = Page.objects.get(pk=page.pk).specific
    assert [place["row_slug"] for place in places(api)][1] == before["row_slug"]
    old = page.rows.pop(1)
    page.save_revision().publish()
    assert before["row_slug"] not in [place["row_slug"] for place in places(api)]
    page = Page.objects.get(pk=page.pk).specific
    page.rows.append((old.block_type, old.value, old.id))
    page.save_revision().publish()
    assert places(api)[1]["row_slug"] == before["row_slug"]


def test_a_copy_has_rows_of_its_own(api: Api, page: Any, client: Client) -> None:
    (original,) = places(api)
    page.copy(update_attrs={"title": "Copy", "slug": "copy"})
    (copied,) = places(api, "copy")
    assert copied["row_slug"] != original["row_slug"]
    image = large_image()
    put(api, copied, image.pk, page="copy")
    assert shows(client, image, "/copy/")
    assert not shows(client, image)


def test_a_copy_of_a_branch_has_slugs_of_its_own(page: Any) -> None:
    page.add_child(instance=StandardPage(title="Team", slug="team"))
    page.copy(recursive=True, update_attrs={"title": "Copy", "slug": "copy"})
    slugs = list(Page.objects.filter(depth__gt=1).values_list("slug", flat=True))
    assert len(set(slugs)) == len(slugs)
    assert "team-2" in slugs


def test_parts_keep_their_pictures_when_they_are_reordered(api: Api, client: Client) -> None:
    cards = {"type": "cards", "value": {"heading": "", "cards": [{"title": "First"}, {"title": "Second"}]}}
    made = make_page(cards, title="About")
    first, second = places(api)
    assert (first["label"], second["label"]) == ("Card 1", "Card 2")
    put(api, second, make_image().pk)
    page = StandardPage.objects.get(pk=made.pk)
    stream = list(page.rows.raw_data)
    stream[0]["value"]["cards"].reverse()
    page.rows = page.rows.stream_block.to_python(stream)
    page.save()
    now = {place["label"]: place for place in places(api)}
    assert now["Card 1"]["key"] == second["key"]
    assert now["Card 1"]["media_id"] is not None
    assert now["Card 2"]["media_id"] is None


@pytest.mark.both_databases
def test_the_later_word_counts(api: Api, client: Client) -> None:
    """An editor who chooses another picture than before sees it, whatever an integration had set."""
    page = make_page(hero(), title="About")
    (place,) = places(api)
    put(api, place, large_image().pk)
    chosen = large_image()
    page.rows[0].value["image"] = chosen
    page.save_revision().publish()
    assert shows(client, chosen)
    assert places(api)[0]["media_id"] is None


def test_a_draft_changes_nothing_that_is_public(api: Api, client: Client, page: Any) -> None:
    (before,) = places(api)
    page.rows.append(("hero", {"heading": "Not yet"}))
    page.save_revision()
    assert places(api) == [before]
    assert "Not yet" not in html(client)


def test_reading_is_not_writing(page: Any, api: Api) -> None:
    reader = Api(make_token("content:read"))
    assert reader.get("/pages").status_code == 200
    assert reader.patch("/pages/images", {}).status_code == 403


@pytest.mark.django_db(transaction=True)
def test_many_at_once_leave_one_picture(api: Api) -> None:
    make_page(hero(), title="About")
    (place,) = places(api)
    images = [make_image(f"{number}.png").pk for number in range(8)]
    answers = together(lambda number: put(api, place, images[number]).status_code, 8)
    assert set(answers) == {200}
    assert PageImage.objects.count() == 1
    assert places(api)[0]["media_id"] in images


def test_the_record_stands_among_the_rows_of_its_template(client: Client) -> None:
    item = make_item(title="A post")
    create_home_page()
    assert "Above" not in html(client, f"/blog-post/{item.slug}")
    rows = [hero("Above"), {"type": "record", "value": {}}, hero("Below")]
    make_page(*rows, title="Posts", kind=RecordTemplate, record_type=blog_post(), slug="posts")
    shown = html(client, f"/blog-post/{item.slug}")
    assert shown.index("Above") < shown.index("A post</h1>") < shown.index("Below")
    assert client.get("/posts/").headers["Location"] == "/blog-post"


def test_the_home_page_is_called_home(api: Api, client: Client) -> None:
    home = create_home_page()
    home.rows.append(("hero", {"heading": "Front"}))
    home.save_revision().publish()
    HomePage.objects.update(slug="start")
    (place,) = places(api, "home")
    image = large_image()
    put(api, place, image.pk, page="home")
    assert shows(client, image, "/")
