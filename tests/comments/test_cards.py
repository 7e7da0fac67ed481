"""Comments on the admin's home."""

import pytest

from cms_api.adminkit.cards import Kind
from cms_api.comments.admin.cards import waiting
from cms_api.comments.types import Status
from tests import people

from .conftest import commentable, make_comment

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    item = commentable()
    for status in (Status.PENDING, Status.PENDING, Status.APPROVED, Status.SPAM):
        make_comment(item, status=status)
    for person in (people.bob(), people.mallory_manager()):
        card = waiting(people.request_by(person))
        assert card
        assert (card.kind, card.count, card.url) == (Kind.ATTENTION, 2, "/admin/comments/?status=pending")


def test_there_is_none_while_no_type_takes_comments() -> None:
    assert waiting(people.request_by(people.bob())) is None
