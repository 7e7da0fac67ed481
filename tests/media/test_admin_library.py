"""The library in the admin: the usage of a file is shown before it is deleted; categories are stored and filter the list."""

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from cms_api.content.models import ContentItem
from cms_api.content.services.items import save_draft
from cms_api.flags.services import switch_feature
from cms_api.media.models import Category, Media, MediaFile
from cms_api.media.services.categories import save_category
from home.models import PageImage, Row
from home.services import set_page_image
from tests import people
from tests.builders import field, make_image, make_item, make_page, make_type
from tests.commerce.shop.builders import make_product

from .files import png

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

SignIn = Callable[[Any], Client]

HERO = {"type": "hero", "value": {"heading": "By the river"}}


def shown(client: Client, address: str) -> str:
    """The words of a page, each parted from the next by one space."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.status_code
    main = answer.content.decode().partition("<main")[2]
    return " ".join(unescape(strip_tags(main)).split())


def raw(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def bulk(kind: str, *ids: Any, **more: Any) -> str:
    address = reverse("wagtail_bulk_action", args=["media", kind, "delete"])
    return f"{address}?" + "&".join([*(f"id={each}" for each in ids), *(f"{name}={value}" for name, value in more.items())])


@pytest.fixture
def used() -> Any:
    """A picture in an item, in the draft of another, and on a page by an integration."""
    kind = make_type(field("pic", "image", label="Cover"), slug="things")
    picture = make_image()
    make_item(kind, title="Mill", data={"pic": picture.path}, featured_media_id=picture.pk)
    save_draft(item=make_item(kind, title="Weir"), values={"data": {"title": "Weir", "pic": picture.path}})
    make_page(HERO, title="About")
    set_page_image(row=Row.objects.get(kind="hero"), key="image", media_id=picture.pk)
    return picture


def test_it_works(admin_client: Client, used: Any) -> None:
    address = reverse("wagtailimages:delete", args=[used.pk])
    words = shown(admin_client, address)
    assert "This image is used 4 times, in 3 places" in words
    assert "Mill: Featured image, Cover Weir: Cover About: Set by an integration" in words
    assert "Deleting it also removes it from all of these places, including drafts." in words
    page = raw(admin_client, address)
    assert used.get_rendition("max-800x600").url in page
    for item in ContentItem.objects.all():
        assert f'href="{reverse("content_items:edit", args=[item.pk])}"' in page
    assert f'href="{reverse("wagtailadmin_pages:edit", args=[Row.objects.get(kind="hero").page_id])}"' in page
    assert "referenced" not in words
    answer = admin_client.post(address)
    assert answer.status_code == 302
    assert not Media.objects.exists()
    assert not PageImage.objects.exists()
    assert {item.featured_media_id for item in ContentItem.objects.all()} == {None}
    assert {item.data.get("pic") for item in ContentItem.objects.all()} == {None}
    draft = ContentItem.objects.get(data__title="Weir").latest_revision
    assert draft
    assert draft.content["data"]["pic"] is None


def test_what_is_not_used(admin_client: Client) -> None:
    picture = make_image()
    assert "This image is not used anywhere on the site." in shown(
        admin_client, reverse("wagtailimages:delete", args=[picture.pk])
    )
    assert "Used 0 times" in shown(admin_client, reverse("wagtailimages:edit", args=[picture.pk]))
    assert "Not used anywhere" in shown(admin_client, reverse("wagtailimages:image_usage", args=[picture.pk]))


def test_a_document(admin_client: Client) -> None:
    kind = make_type(field("doc", "file", label="Price list"), slug="things")
    document = MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")
    item = make_item(kind, title="Mill", data={"doc": document.path})
    address = reverse("wagtaildocs:delete", args=[document.pk])
    words = shown(admin_client, address)
    assert "This document is used 1 time, in 1 place" in words
    assert "Mill: Price list" in words
    assert "removes it from this place" in words
    assert "Used 1 time" in raw(admin_client, reverse("wagtaildocs:edit", args=[document.pk]))
    assert "Mill: Price list" in shown(admin_client, reverse("wagtaildocs:document_usage", args=[document.pk]))
    assert admin_client.post(address).status_code == 302
    item.refresh_from_db()
    assert item.data["doc"] is None


def test_many_at_once(admin_client: Client, used: Any) -> None:
    other = make_image("other.png")
    words = shown(admin_client, bulk("mediaimage", used.pk, other.pk))
    assert "4 uses of them are removed too, including drafts." in words
    assert "used 4 times: Mill: Featured image, Cover" in words
    assert "other.png, not used" in words
    assert admin_client.post(bulk("mediaimage", used.pk, other.pk)).status_code == 302
    assert not Media.objects.exists()
    assert {item.featured_media_id for item in ContentItem.objects.all()} == {None}
    document = MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")
    assert "delete this document? This cannot be undone. Prices, not used" in shown(admin_client, bulk("mediafile", document.pk))
    assert admin_client.post(bulk("mediafile", document.pk)).status_code == 302
    assert not Media.objects.exists()


@pytest.mark.both_databases
def test_the_count_beside_the_form(admin_client: Client, used: Any) -> None:
    assert "Used 4 times" in shown(admin_client, reverse("wagtailimages:edit", args=[used.pk]))
    words = shown(admin_client, reverse("wagtailimages:image_usage", args=[used.pk]))
    assert "Used 4 times, in 3 places" in words
    assert "About: Set by an integration" in words


@pytest.mark.both_databases
def test_uses_by_a_feature_that_is_off_have_no_link(admin_client: Client) -> None:
    """Deleting the file would remove it there as well, so the use itself is shown."""
    picture = make_image()
    kind = make_type(field("pic", "image"), slug="things", feature="shop")
    switch_feature(name="shop", on=True)
    item, product = make_item(kind, title="Mill", data={"pic": picture.path}), make_product("Bowl")
    product.pictures.create(media=Media.objects.get(pk=picture.pk), position=0)
    links = [reverse("content_items:edit", args=[item.pk]), reverse("products:edit", args=[product.pk])]
    usage = reverse("wagtailimages:image_usage", args=[picture.pk])
    assert [f'href="{link}"' in raw(admin_client, usage) for link in links] == [True, True]
    switch_feature(name="shop", on=False)
    assert [f'href="{link}"' in raw(admin_client, usage) for link in links] == [False, False]
    assert "Mill: Pic" in shown(admin_client, usage)
    assert "Bowl: Picture" in shown(admin_client, usage)


def test_the_use_by_an_owned_item_leads_to_its_owner(admin_client: Client) -> None:
    picture = make_image()
    owner = make_item(title="Market")
    owned = make_item(owner.type, title="Market at night", featured_media_id=picture.pk)
    ContentItem.objects.filter(pk=owned.pk).update(owner=owner)
    page = raw(admin_client, reverse("wagtailimages:image_usage", args=[picture.pk]))
    assert f'<a href="{reverse("content_items:edit", args=[owner.pk])}">Market at night</a>' in page


def test_who_may(sign_in: SignIn, used: Any) -> None:
    pages = [reverse(f"wagtailimages:{name}", args=[used.pk]) for name in ("delete", "image_usage", "edit")]
    own = [reverse("media_categories:index"), reverse("media_categories:add")]
    for person in (people.bob(), people.mallory_manager()):
        client = sign_in(person)
        assert {page: client.get(page).status_code for page in (*pages, *own)} == dict.fromkeys((*pages, *own), 200)
        assert reverse("media_categories:index") in raw(client, reverse("wagtailadmin_home"))
    client = sign_in(people.charlie())
    for page in (*pages, *own):
        assert client.get(page).status_code in {302, 403}
        assert client.post(page).status_code in {302, 403}
    assert client.post(bulk("mediaimage", used.pk)).status_code in {302, 403}
    assert Media.objects.exists()
    assert not Category.objects.exists()


def test_categories_are_kept(admin_client: Client) -> None:
    add = reverse("media_categories:add")
    assert admin_client.post(add, {"name": "Old Places", "slug": ""}).status_code == 302
    category = Category.objects.get()
    assert (category.name, category.slug) == ("Old Places", "old-places")
    edit = reverse("media_categories:edit", args=[category.pk])
    assert admin_client.post(edit, {"name": "Places", "slug": "old-places"}).status_code == 302
    category.refresh_from_db()
    assert (category.name, category.slug) == ("Places", "old-places")
    picture = make_image()
    picture.category = category
    picture.save()
    assert "Places Edit Delete old-places 1" in shown(admin_client, reverse("media_categories:index"))
    delete = reverse("media_categories:delete", args=[category.pk])
    assert "One file will have no category." in shown(admin_client, delete)
    assert admin_client.post(delete).status_code == 302
    assert not Category.objects.exists()
    picture.refresh_from_db()
    assert picture.category is None


@pytest.mark.parametrize(
    ("sent", "name", "sentence"),
    [
        ({"name": "People", "slug": "places"}, "slug", "The slug has already been taken."),
        ({"name": "People", "slug": "No good"}, "slug", "The slug may contain only lower-case letters"),
        ({"name": "", "slug": "a"}, "name", "This field is required."),
    ],
)
def test_what_the_service_refuses_stands_at_the_field(
    admin_client: Client, sent: dict[str, str], name: str, sentence: str
) -> None:
    save_category(name="Places")
    other = save_category(name="Other")
    for page in (reverse("media_categories:add"), reverse("media_categories:edit", args=[other.pk])):
        answer = admin_client.post(page, sent)
        assert answer.status_code == 200
        assert any(sentence in each for each in answer.context["form"].errors[name])
    assert Category.objects.count() == 2


def test_a_category_is_chosen(admin_client: Client) -> None:
    category = save_category(name="Places")
    picture, document = make_image(), MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")
    for page in (
        *(reverse("wagtailimages:add"), reverse("wagtaildocs:add")),
        *(reverse("wagtailimages:edit", args=[picture.pk]), reverse("wagtaildocs:edit", args=[document.pk])),
    ):
        assert 'name="category"' in raw(admin_client, page), page
    values = {"title": "Prices", "collection": document.collection_id, "category": category.pk}
    assert admin_client.post(reverse("wagtaildocs:edit", args=[document.pk]), values).status_code == 302
    document.refresh_from_db()
    assert document.category == category
    upload = {"title": "x", "files[]": SimpleUploadedFile("x.png", png())}
    answer = admin_client.post(reverse("wagtailimages:add_multiple"), upload, headers={"X-Requested-With": "XMLHttpRequest"})
    assert "-category" in answer.json()["form"]


@pytest.mark.parametrize("listing", ["wagtailimages", "wagtaildocs"])
def test_listings_are_narrowed(admin_client: Client, listing: str) -> None:
    category = save_category(name="Places")

    def make(name: str) -> Any:
        if listing == "wagtailimages":
            return make_image(f"{name}.png")
        return MediaFile.objects.create(title=f"{name}.png", file=f"media/2026/03/{name}.pdf")

    placed, other = make("boats"), make("boots")
    placed.category = category
    placed.save()
    for page in (reverse(f"{listing}:index"), reverse(f"{listing}:index_results")):
        for query, expected in (
            ("", {placed, other}),
            (f"category={category.pk}", {placed}),
            ("category=none", {other}),
            (f"category={category.pk}&q=boats", {placed}),
            (f"category={category.pk}&q=boots", set()),
            ("layout=list", {placed, other}),
            (f"layout=list&category={category.pk}", {placed}),
        ):
            answer = admin_client.get(f"{page}?{query}")
            assert answer.status_code == 200
            assert set(answer.context["object_list"]) == expected, query
            assert "Usage" not in answer.content.decode(), query


def test_all_means_what_was_listed(admin_client: Client) -> None:
    category = save_category(name="Places")
    placed, other = make_image("boats.png"), make_image("boots.png")
    placed.category = category
    placed.save()
    address = bulk("mediaimage", "all", category=category.pk)
    words = shown(admin_client, address)
    assert "boats.png" in words
    assert "boots.png" not in words
    assert admin_client.post(address).status_code == 302
    assert [record.pk for record in Media.objects.all()] == [other.pk]
