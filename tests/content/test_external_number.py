"""Feeds and calendars know an item by its number and the moment of its creation, as a restored backup gives numbers again."""

from datetime import timedelta

import pytest

from tests.builders import make_item, make_type

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_it_works() -> None:
    item = make_item(make_type())
    number = item.type.external_number(item.pk, item.created_at)
    assert number.startswith(f"{item.pk}-")
    item.refresh_from_db()
    assert item.type.external_number(item.pk, item.created_at) == number
    assert item.type.external_number(item.pk, item.created_at + timedelta(microseconds=1)) != number


def test_items_from_before_their_moments_counted_keep_their_number() -> None:
    item = make_item(make_type())
    item.type.numbered_until = item.created_at
    assert item.type.external_number(item.pk, item.created_at) == str(item.pk)
    assert item.type.external_number(item.pk, item.created_at + timedelta(microseconds=1)) != str(item.pk)
