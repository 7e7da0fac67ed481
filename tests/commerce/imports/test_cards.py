"""Failed imports on the admin's home."""

import pytest

from commerce.imports.admin.cards import count_failed
from commerce.imports.models import ImportRun
from commerce.imports.types import State
from tests import people

from .files import make_run

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    make_run()
    ImportRun.objects.filter(pk=make_run().pk).update(state=State.FAILED)
    card = count_failed(people.request_by(people.mallory_manager()))
    assert (card.count, card.urgent, card.url) == (1, True, "/admin/imports/?state=failed")


def test_people_who_may_import_nothing_have_none() -> None:
    ImportRun.objects.filter(pk=make_run().pk).update(state=State.FAILED)
    assert count_failed(people.request_by(people.bob())).count == 0
