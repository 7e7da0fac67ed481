"""Comments in the admin: found, decided one by one and many at once, by those who may."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.comments.demo import load
from cms_api.comments.models import Comment
from cms_api.comments.types import Status
from cms_api.content.models import ContentItem
from cms_api.flags.services import switch_feature
from tests import people
from tests.builders import make_item, make_type

from .conftest import commentable, make_comment

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

LIST = "/admin/comments/"
BULK = "/admin/bulk/comments/comment/{}/"


def shown(client: Client, query: str = "") -> list[str]:
    """Which of the texts stand in the list, in their order."""
    page = client.get(LIST + query).content.decode()
    found = {text: page.find(text) for text in ("Oldest", "Newest", "Decided", "Bought")}
    return sorted((text for text, place in found.items() if place >= 0), key=lambda text: found[text])


def status_of(comment: Comment) -> str:
    comment.refresh_from_db()
    return comment.status


def some() -> dict[str, Comment]:
    now = timezone.now()
    item = commentable(title="Bakery tours")
    return {
        "Decided": make_comment(item, body="Decided", status=Status.APPROVED, created_at=now),
        "Newest": make_comment(item, body="Newest", created_at=now - timedelta(days=1)),
        "Oldest": make_comment(body="Oldest", author_name="Ömer", created_at=now - timedelta(days=9)),
        "Bought": make_comment(
            item, body="Bought", status=Status.SPAM, email="rank@spam.example", created_at=now - timedelta(days=2)
        ),
    }


def test_it_works(admin_client: Client) -> None:
    comment = make_comment(commentable(title="Tours & <b>talks</b>"), body="Dogs <b>too</b>?\nPlease.", email="dana@example.com")
    page = admin_client.get(f"{LIST}inspect/{comment.pk}/").content.decode()
    assert "Dogs &lt;b&gt;too&lt;/b&gt;?<br>Please." in page
    assert "Tours &amp; &lt;b&gt;talks&lt;/b&gt;" in page
    assert "dana@example.com" in page
    assert admin_client.post(f"{LIST}approve/{comment.pk}/").headers["Location"] == f"{LIST}inspect/{comment.pk}/"
    assert status_of(comment) == Status.APPROVED
    assert "Approved" in admin_client.get(f"{LIST}history/{comment.pk}/").content.decode()
    answer = admin_client.post(f"{LIST}mark-as-spam/{comment.pk}/", {"next": f"{LIST}?status=pending"})
    assert answer.headers["Location"] == f"{LIST}?status=pending"
    assert status_of(comment) == Status.SPAM
    assert comment.decided_by.email == "alice@example.com"
    assert "Marked as spam manually." in admin_client.get(f"{LIST}inspect/{comment.pk}/").content.decode()
    assert "Are you sure" in admin_client.get(f"{LIST}delete/{comment.pk}/").content.decode()
    assert admin_client.post(f"{LIST}delete/{comment.pk}/").status_code == 302
    assert not Comment.objects.exists()


def test_those_that_wait_come_first(admin_client: Client) -> None:
    some()
    assert shown(admin_client) == ["Newest", "Oldest", "Decided", "Bought"]
    assert admin_client.get(LIST).content.decode().count(">Approve<span") == 2
    rows_alone = admin_client.get(f"{LIST}results/?status=pending").content.decode()
    assert rows_alone.count(f'name="next" value="{LIST}?status=pending"') == 4


@pytest.mark.both_databases
def test_filters_and_search(admin_client: Client) -> None:
    found = some()
    slug = found["Oldest"].item.type.slug
    assert shown(admin_client, "?status=pending") == ["Newest", "Oldest"]
    assert shown(admin_client, "?status=spam") == ["Bought"]
    assert shown(admin_client, f"?type={slug}") == ["Oldest"]
    assert shown(admin_client, "?q=baker") == ["Newest", "Decided", "Bought"]
    assert shown(admin_client, "?q=%C3%96mer") == ["Oldest"]
    assert shown(admin_client, "?q=spam.example&status=spam") == ["Bought"]
    assert shown(admin_client, "?ordering=created_at")[0] == "Oldest"
    for odd in ("?status=x", "?type=x", "?q=%00", "?q=%27%22%25", "?p=x", "?ordering=x", f"?q={'x' * 5000}"):
        assert admin_client.get(LIST + odd).status_code in {200, 302, 404}, odd


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    found = []
    for number in (1, 20):
        for _ in range(number):
            make_comment()
        admin_client.get(LIST)
        with CaptureQueriesContext(connection) as captured:
            assert admin_client.get(LIST).status_code == 200
        found.append(len(captured))
    assert found[0] == found[1], found


@pytest.mark.parametrize(("action", "status"), [("approve", Status.APPROVED), ("mark_as_spam", Status.SPAM), ("delete", None)])
def test_many_at_once(admin_client: Client, action: str, status: Status | None) -> None:
    item = commentable()
    chosen = [make_comment(item, body=f"Chosen {number}") for number in range(3)]
    kept = make_comment(item, body="Left alone")
    query = "&".join(f"id={comment.pk}" for comment in chosen)
    asked = admin_client.get(f"{BULK.format(action)}?{query}&next={LIST}").content.decode()
    assert "3 comments are selected" in asked
    assert "Left alone" not in asked
    assert admin_client.post(f"{BULK.format(action)}?{query}&next={LIST}").headers["Location"] == LIST
    assert set(Comment.objects.filter(body__startswith="Chosen").values_list("status", flat=True)) == (
        {status} if status else set()
    )
    assert status_of(kept) == Status.PENDING


def test_all_are_those_that_were_listed(admin_client: Client) -> None:
    found = some()
    assert admin_client.post(f"{BULK.format('approve')}?id=all&status=pending&q=baker&next={LIST}").status_code == 302
    assert [status_of(comment) for comment in found.values()] == ["approved", "approved", "pending", "spam"]
    for odd in ("id=x", "id=99999999999999999999", "id=-1", "", "id=%00"):
        assert admin_client.post(f"{BULK.format('delete')}?{odd}").status_code in {302, 404}
    assert Comment.objects.count() == 4


@pytest.mark.parametrize("person", [people.bob, people.mallory_manager])
def test_editors_and_managers_decide(sign_in: Callable[[Any], Client], person: Callable[[], Any]) -> None:
    client, comment = sign_in(person()), make_comment()
    home = client.get("/admin/").content.decode()
    assert LIST in home
    assert "Comments awaiting moderation" in home
    assert client.get(LIST).status_code == 200
    assert client.post(f"{LIST}approve/{comment.pk}/").status_code == 302
    assert status_of(comment) == Status.APPROVED
    assert "awaiting moderation" not in client.get("/admin/").content.decode()


def test_strangers_see_nothing(client: Client, sign_in: Callable[[Any], Client]) -> None:
    comment = make_comment(body="Secret")
    for stranger in (client, sign_in(people.charlie())):
        for path in (LIST, f"{LIST}inspect/{comment.pk}/", f"{BULK.format('delete')}?id={comment.pk}"):
            answer = stranger.get(path)
            assert answer.status_code in {302, 403}
            assert b"Secret" not in answer.content
        stranger.post(f"{LIST}approve/{comment.pk}/")
        stranger.post(f"{BULK.format('delete')}?id={comment.pk}")
    assert status_of(comment) == Status.PENDING


def test_a_get_decides_nothing(admin_client: Client) -> None:
    comment = make_comment()
    for name in ("approve", "mark-as-spam"):
        assert admin_client.get(f"{LIST}{name}/{comment.pk}/").status_code == 302
    assert status_of(comment) == Status.PENDING


def test_comments_of_a_type_that_is_switched_off_are_out_of_sight(admin_client: Client) -> None:
    switch_feature(name="webhooks", on=True)
    comment = make_comment(make_item(make_type(comments_enabled=True, feature="webhooks")), body="Newest")
    assert shown(admin_client) == ["Newest"]
    switch_feature(name="webhooks", on=False)
    assert shown(admin_client) == []
    assert admin_client.get(f"{LIST}inspect/{comment.pk}/").status_code == 404
    assert admin_client.post(f"{LIST}approve/{comment.pk}/").status_code == 404
    assert "awaiting moderation" not in admin_client.get("/admin/").content.decode()


def test_no_trace_while_no_type_takes_comments(admin_client: Client) -> None:
    make_item()
    assert LIST not in admin_client.get("/admin/").content.decode()


def test_the_demo() -> None:
    make_item(title="A year in numbers", slug="a-year-in-numbers")
    make_item(title="Another")
    for _ in range(2):
        load(1, lambda count: None)
    found = ContentItem.objects.get(slug="a-year-in-numbers")
    assert found.type.comments_enabled
    assert found.comments.filter(status=Status.APPROVED).count() == 3
    assert Comment.objects.count() == 6
