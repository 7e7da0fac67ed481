"""Approve, mark as spam, delete: each takes effect once, also at the same time; spam is deleted after a month."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.comments import services
from cms_api.comments.models import Comment
from cms_api.comments.services import approve_comments, clear_spam, delete_comments, reject_comments
from cms_api.comments.types import Status
from cms_api.core import registry
from tests import people
from tests.client import together

from .conftest import commentable, make_comment

pytestmark = pytest.mark.django_db

THREADS = 8


def logged() -> list[str]:
    return sorted(ModelLogEntry.objects.filter(content_type__app_label="comments").values_list("action", flat=True))


@pytest.mark.both_databases
def test_it_works() -> None:
    alice, comment = people.alice(), make_comment(reason="Links.", status=Status.SPAM)
    assert approve_comments(comments=[comment], user=alice) == 1
    comment.refresh_from_db()
    assert (comment.status, comment.reason, comment.decided_by, comment.waits) == (Status.APPROVED, "", alice, 0)
    assert comment.decided_at
    assert reject_comments(comments=[comment], user=alice) == 1
    comment.refresh_from_db()
    assert (comment.status, comment.reason) == (Status.SPAM, services.BY_HAND)
    assert delete_comments(comments=[comment], user=alice) == 1
    assert not Comment.objects.exists()
    assert logged() == ["comments.approve", "comments.mark_as_spam", "wagtail.delete"]


def test_what_is_so_already_is_not_decided_again() -> None:
    comment = make_comment(status=Status.APPROVED)
    assert approve_comments(comments=[comment]) == 0
    assert logged() == []


@pytest.mark.both_databases
def test_many_at_once() -> None:
    item = commentable()
    comments = [make_comment(item) for _ in range(20)]
    assert approve_comments(comments=Comment.objects.all()) == 20
    # As they were seen: somebody has approved them meanwhile.
    assert reject_comments(comments=comments) == 0
    assert delete_comments(comments=comments) == 0
    assert approve_comments(comments=[]) == 0
    assert Comment.objects.filter(status=Status.APPROVED).count() == 20


def test_who_decided_may_leave() -> None:
    alice, comment = people.alice(), make_comment()
    approve_comments(comments=[comment], user=alice)
    alice.delete()
    comment.refresh_from_db()
    assert comment.decided_by is None


def decide(number: int, comment: Comment) -> int:
    service = (approve_comments, reject_comments)[number % 2]
    return service(comments=[comment])


@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_decide_at_once_one_does() -> None:
    for _ in range(3):
        comment = make_comment()
        assert sum(together(lambda number, seen=comment: decide(number, seen), THREADS)) == 1
    assert len(logged()) == 3


@pytest.mark.django_db(transaction=True)
def test_read_then_write_would_be_noticed() -> None:
    """The positive control of the test above."""
    comment, everybody = make_comment(), threading.Barrier(THREADS)

    def read_then_write(_: int) -> int:
        waits = Comment.objects.get(pk=comment.pk).status == Status.PENDING
        everybody.wait(10)
        return Comment.objects.filter(pk=comment.pk).update(status=Status.APPROVED) if waits else 0

    assert sum(together(read_then_write, THREADS)) == THREADS


@pytest.mark.django_db(transaction=True)
def test_one_deletion_at_once_is_logged() -> None:
    comment = make_comment()
    assert sum(together(lambda number: delete_comments(comments=[comment]), THREADS)) == 1
    assert logged() == ["wagtail.delete"]


def aged(days: float, **values: Any) -> Comment:
    return make_comment(decided_at=timezone.now() - timedelta(days=days), **values)


@pytest.mark.both_databases
def test_spam_is_deleted_after_thirty_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_BATCH_ROWS", 2)
    item = commentable()
    for _ in range(5):
        aged(30.1, item=item, status=Status.SPAM)
    kept = [aged(29.9, status=Status.SPAM), aged(400, status=Status.APPROVED)]
    kept.append(make_comment(created_at=timezone.now() - timedelta(days=400)))
    job: Callable[[], None] = next(registry.load(job.function) for job in registry.jobs() if job.name == "clear_spam_comments")
    assert job is clear_spam
    job()
    assert set(Comment.objects.all()) == set(kept)
