"""The comments below an item: approved ones only, as plain text, in few statements, on a cached page."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.comments.models import Comment
from cms_api.comments.services import approve_comments, delete_comments, reject_comments
from cms_api.comments.types import Status
from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item
from cms_api.content.services.types import save_type
from cms_api.http import page_cache
from tests.builders import make_item

from .conftest import commentable, make_comment, page_of

pytestmark = pytest.mark.django_db


def page(client: Client, item: ContentItem, query: str = "") -> str:
    answer = client.get(page_of(item) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def approved(item: ContentItem, number: int) -> None:
    """So many comments, a minute apart, called by their numbers."""
    begin = timezone.now() - timedelta(days=30)
    rows = [
        Comment(item=item, author_name=f"N{each}", email="a@example.com", body=f"Text {each}.", status=Status.APPROVED,
                created_at=begin + timedelta(minutes=each), decided_at=begin)
        for each in range(1, number + 1)
    ]  # fmt: skip
    Comment.objects.bulk_create(rows)


def shown(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"Text (\d+)\.", text)]


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    item = commentable()
    now = timezone.now()
    make_comment(item, status=Status.APPROVED, body="Second", created_at=now)
    make_comment(item, status=Status.APPROVED, body="First", created_at=now - timedelta(hours=1))
    make_comment(item, body="Waiting")
    make_comment(item, status=Status.SPAM, body="Bought")
    make_comment(status=Status.APPROVED, body="Elsewhere")
    text = page(client, item)
    assert '<h2 id="comments-heading">2 comments</h2>' in text
    assert text.index("First") < text.index("Second")
    assert not re.search("Waiting|Bought|Elsewhere|dana@example.com", text)


def test_an_item_without_comments_invites_one(client: Client) -> None:
    text = page(client, commentable())
    assert "No comments yet" in text
    assert "<ol" not in text


def test_a_type_without_comments_shows_none(client: Client) -> None:
    item = make_item()
    make_comment(item, status=Status.APPROVED, body="Earlier")
    text = page(client, item)
    assert "Earlier" not in text
    assert 'id="comments"' not in text


def test_text_stays_text(client: Client) -> None:
    item = commentable()
    body = "<script>alert(1)</script> https://spam.example {{ 7*7 }}\nnext line\n\nnew paragraph & more"
    make_comment(item, status=Status.APPROVED, author_name="<b>Dana</b>", body=body)
    text = page(client, item)
    assert "&lt;b&gt;Dana&lt;/b&gt;" in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; https://spam.example {{ 7*7 }}<br>next line</p>" in text
    assert "<p>new paragraph &amp; more</p>" in text
    assert 'href="https://spam.example' not in text


def test_the_page_is_kept_until_something_is_decided(client: Client) -> None:
    item = commentable()
    comment = make_comment(item, body="Hello there")

    def kept() -> bool:
        """Whether the page that was shown last is shown again as it is."""
        (before,) = page_cache._pages.values()
        page(client, item)
        return next(iter(page_cache._pages.values())) is before

    assert "Hello there" not in page(client, item)
    assert not client.cookies
    assert kept()
    make_comment(item, body="Another")
    reject_comments(comments=[make_comment(item)])
    assert kept()
    approve_comments(comments=[comment])
    assert "Hello there" in page(client, item)
    assert kept()
    comment.refresh_from_db()
    reject_comments(comments=[comment])
    assert "Hello there" not in page(client, item)
    comment.refresh_from_db()
    approve_comments(comments=[comment])
    assert "Hello there" in page(client, item)
    comment.refresh_from_db()
    delete_comments(comments=[comment])
    assert "Hello there" not in page(client, item)


@pytest.mark.both_databases
def test_only_the_page_of_the_item_is_invalidated(client: Client) -> None:
    item, other = commentable(), commentable()
    paths = [page_of(item), page_of(other), f"/{item.type.slug}"]
    for path in paths:
        client.get(path)
    before = dict(page_cache._pages)
    approve_comments(comments=[make_comment(item)])
    for path in paths:
        client.get(path)
    assert {key.split()[0] for key, found in page_cache._pages.items() if before[key] is not found} == {paths[0]}


@pytest.mark.both_databases
def test_closing_the_comments_of_a_type_ends_its_pages(client: Client) -> None:
    item = commentable()
    make_comment(item, status=Status.APPROVED, body="Hello there")
    assert "Hello there" in page(client, item)
    save_type(item_type=item.type, values={"comments_enabled": False})
    assert "Hello there" not in page(client, item)


@pytest.mark.both_databases
def test_the_newest_hundred_come_first_and_older_ones_on_further_pages(client: Client) -> None:
    item = commentable()
    approved(item, 230)
    first, second, third = (page(client, item, query) for query in ("", "?comments=2", "?comments=3"))
    assert (shown(first), shown(second), shown(third)) == (
        list(range(131, 231)),
        list(range(31, 131)),
        list(range(1, 31)),
    )
    assert all("230 comments" in text for text in (first, second, third))
    assert f'href="{page_of(item)}?comments=2#comments"' in first
    assert f'href="{page_of(item)}#comments"' in second
    assert f'href="{page_of(item)}?comments=3#comments"' in second
    assert f'href="{page_of(item)}?comments=2#comments"' in third
    assert "Newer comments" not in first
    assert "Older comments" not in third


@pytest.mark.parametrize(
    ("query", "is_last"), [("0", False), ("-1", False), ("x", False), ("%00", False), ("9" * 30, False), ("99", True)]
)
def test_numbers_that_are_none(client: Client, query: str, is_last: bool) -> None:
    item = commentable()
    approved(item, 101)
    assert shown(page(client, item, f"?comments={query}")) == ([1] if is_last else list(range(2, 102)))


@pytest.mark.both_databases
def test_as_many_statements_with_a_hundred_comments_as_with_none(client: Client) -> None:
    item = commentable()
    client.get(page_of(item))
    found = []
    for number in (0, 1, 150):
        approved(item, number)
        page_cache.clear()
        with CaptureQueriesContext(connection) as captured:
            page(client, item)
        found.append(len(captured))
    assert found[0] == found[1] == found[2], found


def test_comments_go_with_their_item() -> None:
    item = commentable()
    make_comment(item, status=Status.APPROVED)
    delete_item(item=item)
    assert not Comment.objects.exists()
