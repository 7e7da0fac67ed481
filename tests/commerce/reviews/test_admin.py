"""Reviews and invitations in the admin: lists, moderation, replies, bulk actions, imports, the card, and roles."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.flags.services import switch_feature
from commerce.imports.services.runs import create_run, start
from commerce.imports.services.working import work
from commerce.reviews.models import Invitation, Review
from commerce.reviews.module import MODULE
from commerce.reviews.services import submit_review
from commerce.reviews.types import Subject
from tests import people
from tests.commerce.shop.builders import make_product

from .builders import google, hidden_review, mails, make_invitation, make_review, public_review, synced_review, visit, written

pytestmark = pytest.mark.django_db

LIST, INVITATIONS = "/admin/reviews/", "/admin/reviews/invitations/"
REASON = {"reason": "Insults a member of our staff."}


def html(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, (path, answer.status_code)
    return answer.content.decode()


def listed(client: Client, path: str = LIST, **query: str) -> list[Any]:
    answer: Any = client.get(path, query)
    return list(answer.context["object_list"])


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    review = make_review()
    page = html(admin_client, f"{LIST}inspect/{review.pk}/")
    for words in ("A patient teacher", "dana@example.com", "★★★★★", "Approve", "Hide", "Reply"):
        assert words in page, words
    admin_client.post(f"{LIST}approve/{review.pk}/")
    review.refresh_from_db()
    assert (review.is_public, review.decided_by) == (True, people.get_user_model().objects.get(email="alice@example.com"))
    assert "was already public" in admin_client.post(f"{LIST}approve/{review.pk}/", follow=True).content.decode()
    assert "Published" in html(admin_client, f"{LIST}inspect/{review.pk}/")


def test_hiding_asks_for_a_reason(admin_client: Client) -> None:
    review, path = public_review(), ""
    path = f"{LIST}hide/{review.pk}/"
    assert "kept, and no longer shown" in html(admin_client, path)
    assert admin_client.post(path, {"reason": ""}).status_code == 422
    assert Review.objects.get().is_visible
    admin_client.post(path, REASON)
    assert Review.objects.get().hidden_reason == REASON["reason"]
    page = html(admin_client, f"{LIST}inspect/{review.pk}/")
    assert "Hidden: Insults a member of our staff." in page


def test_a_reply(admin_client: Client) -> None:
    review = public_review()
    path = f"{LIST}reply/{review.pk}/"
    assert "also gets the reply by email" in html(admin_client, path)
    admin_client.post(path, {"reply": "Thank you!"})
    assert Review.objects.get().reply == "Thank you!"
    assert len(mails("review_answered")) == 1
    assert "Thank you!" in html(admin_client, path)
    assert admin_client.post(path, {"reply": "x" * 5001}).status_code == 422
    assert "on this site only" in html(admin_client, f"{LIST}reply/{synced_review().pk}/")


def test_the_list(admin_client: Client) -> None:
    pending, public, hidden, synced = make_review(), public_review(rating=2), hidden_review(author_name="Zoë"), synced_review()
    assert listed(admin_client) == [hidden, public, pending, synced]
    for query, found in (
        ({"status": "pending"}, [pending]),
        ({"status": "public"}, [public, synced]),
        ({"status": "hidden"}, [hidden]),
        ({"provider": "google"}, [synced]),
        ({"rating": "2"}, [public]),
        ({"q": "zoë"}, [hidden]),
        ({"q": "ruth"}, [synced]),
        ({"left_at_to": "2026-01-02"}, [synced]),
    ):
        assert listed(admin_client, **query) == found, query
    lines = admin_client.get(LIST, {"export": "csv", "status": "hidden"}).getvalue().decode().splitlines()
    assert lines[0] == "Provider,Author,Email,Rating,Title,Review,About,Reply,Status,Left"
    assert lines[1].startswith("site,Zoë,dana@example.com,5,A patient teacher,My bowl even holds soup.,,,hidden,")


@pytest.mark.both_databases
def test_the_list_takes_the_same_statements_for_more_rows(admin_client: Client) -> None:
    counts = []
    for number in (1, 5):
        for _ in range(number):
            make_review(subject=Subject("product", 7, "Mug"))
            public_review()
        listed(admin_client)
        with CaptureQueriesContext(connection) as queries:
            listed(admin_client)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_bulk_actions(admin_client: Client) -> None:
    reviews = [make_review() for _ in range(3)]
    ids = "&".join(f"id={each.pk}" for each in reviews)
    path = f"/admin/bulk/reviews/review/{{}}/?{ids}"
    assert "A patient teacher" in html(admin_client, path.format("approve"))
    admin_client.post(path.format("approve"))
    assert all(each.is_public for each in Review.objects.all())
    assert admin_client.post(path.format("hide"), {"reason": ""}).status_code == 200
    assert all(each.is_public for each in Review.objects.all())
    admin_client.post(path.format("hide"), REASON)
    assert {each.hidden_reason for each in Review.objects.all()} == {REASON["reason"]}
    assert "delete" not in html(admin_client, LIST)


def test_facts(admin_client: Client) -> None:
    switch_feature(name="shop", on=True)
    mug = make_product("Mug")
    review = public_review(subject=Subject("product", mug.pk, "Mug"))
    page = html(admin_client, f"{LIST}inspect/{review.pk}/")
    assert '<a href="/shop/products/mug">Mug</a>' in page
    assert "Yes, by an invitation" in page
    spam = submit_review(values=written(), visit=visit(honeypot="x"))
    assert "Held as spam." in html(admin_client, f"{LIST}inspect/{spam.pk}/")
    removed = public_review(subject=Subject("product", 999, "Bowl"))
    assert "Bowl" in html(admin_client, f"{LIST}inspect/{removed.pk}/")


def upload(content: bytes, **more: str) -> dict[str, Any]:
    return {"provider": "google", "file": SimpleUploadedFile("google.json", content), **more}


def test_importing_json(admin_client: Client) -> None:
    path = f"{LIST}import/"
    assert f'href="{path}"' in html(admin_client, LIST)
    assert "/admin/imports/new/reviews/" in html(admin_client, path)
    answer = admin_client.post(path, upload(json.dumps([google(1), google(2)]).encode()), follow=True)
    assert "2 new, 0 changed, 0 unchanged, 0 refused, 0 removed." in answer.content.decode()
    admin_client.post(path, upload(json.dumps([google(2)]).encode(), is_complete="on"))
    assert Review.objects.filter(is_visible=False).count() == 1
    answer = admin_client.post(path, upload(b"{"))
    assert (answer.status_code, "This is no JSON file." in answer.content.decode()) == (422, True)
    assert admin_client.post(path, {"provider": "site"}).status_code == 422


def test_importing_csv() -> None:
    kind = next(each for each in MODULE.records.imports if each.name == "reviews")
    content = "Source,ID,Stars,Created,Reviewer,Comment\nYelp,y1,4,2026-01-02,Tom,Good\nYelp,y2,nine,2026-01-02,Tom,Good\n"
    run = create_run(kind=kind, filename="yelp.csv", content=content.encode())
    start(run=run, mapping=run.mapping, options={}, in_background=False)
    work(run.pk, in_background=False)
    run.refresh_from_db()
    assert (run.state, run.created, run.refused) == ("finished", 1, 1)
    assert Review.objects.get().provider_key == "yelp:y1"


def test_invitations(admin_client: Client) -> None:
    sent, waiting = make_invitation(name="Ruth"), make_invitation(Subject("product", 7, "Mug"), state="waiting", sent_at=None)
    make_review(invitation=sent)
    assert listed(admin_client, INVITATIONS) == [waiting, sent]
    assert listed(admin_client, INVITATIONS, state="sent", q="ru") == [sent]
    assert "Mug" in html(admin_client, f"{INVITATIONS}inspect/{waiting.pk}/")
    admin_client.post(f"{INVITATIONS}skip/{waiting.pk}/")
    assert Invitation.objects.get(pk=waiting.pk).state == "skipped"
    lines = admin_client.get(INVITATIONS, {"export": "csv", "state": "sent"}).getvalue().decode().splitlines()
    assert lines[1].startswith("Ruth,dana@example.com,order,sent,,")


def test_the_card(admin_client: Client) -> None:
    assert "Reviews awaiting moderation" not in html(admin_client, "/admin/")
    make_review()
    assert "Reviews awaiting moderation" in html(admin_client, "/admin/")
    switch_feature(name="reviews", on=False)
    assert "Reviews awaiting moderation" not in html(admin_client, "/admin/")
    html(admin_client, LIST, 404)


def test_roles(sign_in: Callable[[Any], Client]) -> None:
    review = make_review()
    manager, editor = sign_in(people.mallory_manager()), sign_in(people.bob())
    manager.post(f"{LIST}approve/{review.pk}/")
    assert Review.objects.get().is_public
    html(manager, f"{LIST}import/")
    for path in (LIST, f"{LIST}inspect/{review.pk}/", f"{LIST}hide/{review.pk}/", f"{LIST}import/", INVITATIONS):
        assert editor.get(path).status_code == 302
    editor.post(f"{LIST}hide/{review.pk}/", REASON)
    assert Review.objects.get().is_visible
