"""Private collections: their images, with every rendition, and files are for those whom the collection admits."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from wagtail.images import get_image_model
from wagtail.models import Collection, CollectionViewRestriction

from cms_api.media.models import Media, MediaImage
from cms_api.media.selectors import address
from tests import people
from tests.client import Api

from .files import png, sent
from .object_server import Bucket

pytestmark = pytest.mark.django_db


@pytest.fixture
def board() -> Collection:
    return Collection.get_first_root_node().add_child(name="Board")


def restrict(collection: Collection, kind: str = "login", **more: Any) -> CollectionViewRestriction:
    return CollectionViewRestriction.objects.create(collection=collection, restriction_type=kind, **more)


def image(api: Api, collection: Collection, name: str = "plan.png") -> MediaImage:
    made = MediaImage.objects.get(pk=sent(api, name, png(900, 600))["id"])
    made.collection = collection
    made.save()
    return made


def addresses(of: MediaImage) -> list[str]:
    """Of the original, the variants that are made at upload, and another rendition."""
    of.get_rendition("fill-20x20")
    paths = [of.file.name, *of.renditions.values_list("file", flat=True)]
    assert len(paths) > 2
    return [address(path) for path in paths]


def ask(client: Client, url: str, method: str = "get", **headers: str) -> Any:
    response = getattr(client, method)(url, headers=headers)
    if response.streaming:
        # Read to its end, which closes the file.
        b"".join(response.streaming_content)
    return response


def statuses(client: Client, urls: list[str]) -> set[int]:
    return {ask(client, url).status_code for url in urls}


@pytest.mark.both_databases
def test_it_works(api: Api, client: Client, board: Collection, sign_in: Callable[[Any], Client]) -> None:
    below = board.add_child(name="Minutes")
    urls = addresses(image(api, below))
    assert statuses(client, urls) == {200}
    restrict(board)
    for method in ("get", "head"):
        for url in (*urls, *(f"{url}?v=1a2b" for url in urls)):
            refused = ask(client, url, method)
            assert (refused.status_code, "/login/" in refused.url) == (302, True), url
            assert "private" in refused.headers["Cache-Control"]
    member = sign_in(people.charlie())
    for url in urls:
        shown = ask(member, url)
        assert (shown.status_code, shown.headers["Cache-Control"]) == (200, "private, no-cache")


def test_a_range_and_a_condition_are_no_way_around(api: Api, client: Client, board: Collection) -> None:
    url = addresses(image(api, board))[0]
    tag = ask(client, url).headers["ETag"]
    restrict(board)
    assert ask(client, url, range="bytes=0-9").status_code == 302
    assert ask(client, url, **{"if-none-match": tag}).status_code == 302


def test_a_group(api: Api, board: Collection, sign_in: Callable[[Any], Client]) -> None:
    urls = addresses(image(api, board))
    restrict(board, "groups").groups.add(Group.objects.create(name="Trustees"))
    charlie = people.charlie()
    assert statuses(sign_in(charlie), urls) == {302}
    charlie.groups.add(Group.objects.get(name="Trustees"))
    assert statuses(sign_in(charlie), urls) == {200}


def test_a_password(api: Api, client: Client, board: Collection) -> None:
    urls = addresses(image(api, board))
    asked = restrict(board, "password", password="swordfish")
    refused = client.get(urls[0])
    assert refused.status_code == 403
    assert reverse("wagtaildocs_authenticate_with_password", args=[asked.pk]) in refused.content.decode()
    form = {"password": "swordfish", "return_url": urls[0]}
    assert client.post(reverse("wagtaildocs_authenticate_with_password", args=[asked.pk]), form).url == urls[0]
    assert statuses(client, urls) == {200}
    assert statuses(Client(), urls) == {403}


def test_people_who_work_with_it_see_it(api: Api, board: Collection, sign_in: Callable[[Any], Client]) -> None:
    urls = addresses(image(api, board))
    restrict(board, "password", password="swordfish")
    assert statuses(sign_in(people.bob()), urls) == {200}


def test_in_a_storage(bucket: Bucket, api: Api, client: Client, board: Collection) -> None:
    urls = addresses(image(api, board))
    restrict(board)
    for url in urls:
        assert "/login/" in ask(client, url).url


def test_the_api_leaves_it_out(api: Api, board: Collection) -> None:
    private, public = image(api, board), image(api, Collection.get_first_root_node(), "open.png")
    before = api.get("/media")
    assert before.json()["meta"]["total"] == 2
    restriction = restrict(board)
    listed = api.request("GET", "/media", if_none_match=before.headers["ETag"])
    assert [row["id"] for row in listed.json()["data"]] == [public.pk]
    assert listed.json()["meta"]["total"] == 1
    for method in ("GET", "PATCH", "DELETE"):
        assert api.request(method, f"/media/{private.pk}", {}).status_code == 404
    assert Media.objects.count() == 2
    restriction.delete()
    assert api.get(f"/media/{private.pk}").status_code == 200


def test_the_api_follows_files_that_are_moved(api: Api, admin_client: Client, board: Collection) -> None:
    moved = image(api, Collection.get_first_root_node())
    restrict(board)
    tag = api.get("/media").headers["ETag"]
    model = get_image_model()._meta
    action = reverse("wagtail_bulk_action", args=[model.app_label, model.model_name, "add_to_collection"])
    admin_client.post(f"{action}?id={moved.pk}&next=/admin/images/", {"collection": board.pk})
    moved.refresh_from_db()
    assert moved.collection == board
    assert api.request("GET", "/media", if_none_match=tag).json()["data"] == []
