"""/comments/<item>: accepted comments, refused ones, and spam, which is quarantined silently."""

import html
import re
import time
from datetime import UTC, datetime
from typing import Any
from unittest import mock

import pytest
from django.test import Client

from cms_api.auth.services.visitors import Limits, Visit
from cms_api.comments import services
from cms_api.comments.models import Comment
from cms_api.comments.services import LIMITS, submit_comment
from cms_api.comments.types import Status
from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, update_item
from cms_api.content.services.types import save_type
from cms_api.core.not_found import NotFound
from cms_api.flags.services import switch_feature
from cms_api.http import page_cache
from tests.builders import make_item, make_type
from tests.refusals import is_refused_for
from tests.visitor import hidden

from .conftest import GOOD, commentable, mails, page_of, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_budgets", "business")]

LINKS = "http://a.example https://b.example www.c.example <a href=x> "


@pytest.mark.both_databases
def test_it_works(client: Client, business: str) -> None:
    item = commentable(title="A year in numbers")
    answer = write(client, item)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{page_of(item)}?commented=1#commented")
    assert "Your comment will appear once it's approved." in client.get(answer.headers["Location"]).content.decode()
    comment = Comment.objects.get()
    assert (comment.item_id, comment.author_name, comment.email, comment.body) == (item.pk, *GOOD.values())
    assert (comment.status, comment.reason, comment.decided_at, comment.waits) == (Status.PENDING, "", None, 1)
    (mail,) = mails()
    assert (mail.recipient, mail.reply_to, mail.subject) == (business, "dana@example.com", "New comment on A year in numbers")
    assert f"/admin/comments/inspect/{comment.pk}/" in mail.text
    assert "Is the mill open?" in mail.text
    assert "Is the mill open?" not in client.get(page_of(item)).content.decode()


def test_the_page_leads_there_and_back(client: Client) -> None:
    item = commentable(title="Bread & <b>roses</b>")
    assert f'href="/comments/{item.pk}" rel="nofollow"' in client.get(page_of(item)).content.decode()
    page = client.get(f"/comments/{item.pk}").content.decode()
    assert "Bread &amp; &lt;b&gt;roses&lt;/b&gt;" in page
    assert f'href="{page_of(item)}#comments"' in page
    assert '<meta name="robots" content="noindex, follow">' in page
    assert re.search(r'id="comment-email"[^>]* autocomplete="email" required aria-describedby="comment-email-help"', page)
    assert client.get(f"/comments/{item.pk}/")["Location"] == f"/comments/{item.pk}"


def test_mistakes_are_told_beside_their_fields_and_in_a_summary(client: Client) -> None:
    item = commentable()
    answer = write(client, item, name=" ", email="nobody", comment="")
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "<title>Error: " in page
    assert "Please fix 3 fields" in page
    for key, sentence in {
        "name": "Enter your name.",
        "email": "Enter a valid email address.",
        "comment": "Enter your comment.",
    }.items():
        assert f'<a href="#comment-{key}">{sentence}</a>' in page
        assert f'<p class="form__error" id="comment-{key}-error">{sentence}</p>' in page
    assert 'value="nobody"' in page
    assert not Comment.objects.exists()


@pytest.mark.both_databases
def test_what_was_written_is_kept_and_may_be_mended_at_once(client: Client) -> None:
    item = commentable()
    path = f"/comments/{item.pk}"
    first = hidden(client, path)
    refused = client.post(path, {**first, **GOOD, "comment": "<b>One</b>\r\ntwo", "email": ""})
    page = refused.content.decode()
    assert "\n&lt;b&gt;One&lt;/b&gt;\r\ntwo</textarea>" in page
    stamp = html.unescape(re.findall(r'name="_stamp" value="([^"]*)"', page)[0])
    client.post(path, {**first, **GOOD, "_stamp": stamp})
    assert Comment.objects.get().status == Status.PENDING


@pytest.mark.parametrize(
    ("changes", "is_taken"),
    [
        ({"name": "x" * 100}, True),
        ({"name": "x" * 101}, False),
        ({"name": "two\nlines"}, False),
        ({"comment": "é" * 4998 + "\r\nx"}, True),
        ({"comment": "x" * 5001}, False),
        ({"email": f"{'x' * 250}@example.com"}, False),
        ({"email": "dana@example.com\r\nBcc: all@example.com"}, False),
    ],
)
def test_limits(client: Client, changes: dict[str, str], is_taken: bool) -> None:
    assert write(client, commentable(), **changes).status_code == (302 if is_taken else 422)
    assert Comment.objects.exists() is is_taken


TRIPS: dict[str, dict[str, Any]] = {
    "the trap": {"hp_url": "http://spam.example"},
    "no time": {"_stamp": None},
    "a time that was made up": {"_stamp": "1"},
    "links": {"comment": LINKS},
}


@pytest.mark.parametrize("trip", TRIPS.values(), ids=TRIPS)
def test_what_trips_is_answered_like_any_other(client: Client, trip: dict[str, Any]) -> None:
    item = commentable()
    answer = write(client, item, **trip)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{page_of(item)}?commented=1#commented")
    comment = Comment.objects.get()
    assert (comment.status, comment.waits) == (Status.SPAM, 0)
    assert comment.reason
    assert comment.decided_at
    assert mails() == []


def test_a_name_with_a_web_address_is_refused(client: Client) -> None:
    answer = write(client, commentable(), name="Prize at evil.example")
    assert answer.status_code == 422
    assert "Enter a name without a web address." in answer.content.decode()
    assert not Comment.objects.exists()


@pytest.mark.both_databases
def test_too_many_from_one_address_on_whatever_items(client: Client) -> None:
    items = [commentable() for _ in range(LIMITS.a_minute + 1)]
    for item in items:
        assert write(client, item).status_code == 302
    write(Client(REMOTE_ADDR="192.0.2.7"), items[0])
    assert Comment.objects.get(status=Status.SPAM).reason == "Too many submissions from one address."


@pytest.mark.both_databases
def test_a_flood_is_not_taken_in_at_all(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "LIMITS", Limits(flood=1))
    item = commentable()
    answers = [write(client, item) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 429]
    assert is_refused_for(answers[1], 3600)
    assert "Try again in an hour" in answers[1].content.decode()
    assert Comment.objects.count() == 1


def test_a_page_from_yesterday_is_to_be_sent_again(client: Client) -> None:
    item = commentable()
    inputs = hidden(client, f"/comments/{item.pk}")
    with mock.patch("time.time", return_value=time.time() + 86_500):
        stale = client.post(f"/comments/{item.pk}", {**inputs, **GOOD})
    assert stale.status_code == 422
    assert "submit them again" in stale.content.decode()
    assert "Is the mill open?" in stale.content.decode()
    assert not Comment.objects.exists()


def unreachable() -> dict[str, Any]:
    """Items on which nobody may comment, and why."""

    def owned() -> ContentItem:
        item, owner = commentable(), commentable()
        ContentItem.objects.filter(pk=item.pk).update(owner=owner)
        return item

    def switched_off() -> ContentItem:
        switch_feature(name="webhooks", on=False)
        return make_item(make_type(comments_enabled=True, feature="webhooks"))

    return {
        "without comments": make_item,
        "a draft": lambda: commentable(status="draft"),
        "scheduled": lambda: commentable(status="scheduled", published_at=datetime(2099, 1, 1, tzinfo=UTC)),
        "owned": owned,
        "without a page": lambda: make_item(make_type(comments_enabled=True, has_detail=False)),
        "of a type that is switched off": switched_off,
    }


@pytest.mark.parametrize("make", unreachable().values(), ids=unreachable())
def test_items_that_take_no_comments(client: Client, make: Any) -> None:
    item = make()
    path = f"/comments/{item.pk}"
    assert (client.get(path).status_code, client.post(path, GOOD).status_code) == (404, 404)
    with pytest.raises(NotFound):
        submit_comment(item=item, visit=Visit("192.0.2.1", "", ""), values=GOOD)
    assert not Comment.objects.exists()


@pytest.mark.parametrize("path", ["/comments/", "/comments/0", "/comments/x", "/comments/-1", "/comments/1/2", "/comments/%00"])
def test_other_addresses_are_not_found(client: Client, path: str) -> None:
    assert client.get(path, follow=True).status_code == 404
    assert client.post(path, GOOD, follow=True).status_code == 404


@pytest.mark.parametrize("digits", [19, 20, 5000])
@pytest.mark.both_databases
def test_numbers_beyond_any_item_are_not_found(client: Client, digits: int) -> None:
    assert client.get("/comments/" + "9" * digits, follow=True).status_code == 404


@pytest.mark.parametrize("change", ["deleted", "taken from the site", "closed"])
def test_an_item_that_changes_while_somebody_writes(client: Client, change: str) -> None:
    item = commentable()
    found = ContentItem.objects.get(pk=item.pk)
    if change == "deleted":
        delete_item(item=item)
    elif change == "closed":
        save_type(item_type=item.type, values={"comments_enabled": False})
    else:
        update_item(item=item, values={"status": "unpublished"})
    with pytest.raises(NotFound):
        submit_comment(item=found, visit=Visit("192.0.2.1", "", ""), values=GOOD)
    assert not Comment.objects.exists()


def test_a_post_needs_the_visitors_token() -> None:
    item = commentable()
    strict = Client(enforce_csrf_checks=True)
    path = f"/comments/{item.pk}"
    sent = hidden(strict, path)
    assert strict.post(path, {**sent, **GOOD, "csrfmiddlewaretoken": ""}).status_code == 403
    assert not Comment.objects.exists()
    assert strict.post(path, {**sent, **GOOD}).status_code == 302


def test_the_page_of_the_form_is_never_kept(client: Client) -> None:
    path = f"/comments/{commentable().pk}"
    assert client.get(path).headers["Cache-Control"] == "private, no-cache"
    assert not page_cache._pages


def test_other_methods_are_refused(client: Client) -> None:
    path = f"/comments/{commentable().pk}"
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS"):
        assert client.generic(method, path).status_code == 405
    assert client.head(path).status_code == 200


HOSTILE = [
    *("a\0b", "\ud800".encode("utf-8", "surrogatepass"), "\u202e" * 300, "x" * 100_000),
    *("{{ 7*7 }}", "<script>alert(1)</script>", "'; DROP TABLE", "\x07\x1b[2J", "\u2028"),
]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value)[:20])
@pytest.mark.parametrize("key", ["name", "email", "comment", "_stamp", "hp_url"])
def test_hostile_values_are_refused_or_kept_as_text(client: Client, key: str, value: Any) -> None:
    answer = write(client, commentable(title="Here"), **{key: value})
    assert answer.status_code in {302, 422}
    assert b"<script>alert" not in answer.content
    assert len(mails()) == Comment.objects.filter(status=Status.PENDING).count()


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data"),
        ("application/json", b'{"name": "Dana"}'),
        ("text/plain", b"\xff\xfe"),
        ("application/x-www-form-urlencoded", b"name=%ff%fe&email[]=1&&&=&%00=%00"),
        ("application/x-www-form-urlencoded", b"&".join(b"x=1" for _ in range(2000))),
    ],
)
def test_hostile_bodies_are_refused(client: Client, kind: str, body: bytes) -> None:
    assert client.post(f"/comments/{commentable().pk}", body, content_type=kind).status_code in {400, 422}
    assert not Comment.objects.exists()


def test_without_an_address_nobody_is_told(client: Client, settings: Any) -> None:
    settings.BUSINESS_EMAIL = ""
    write(client, commentable())
    assert Comment.objects.count() == 1
    assert mails() == []
