"""Feeds and calendars know an item by its number and the moment of its creation, as a restored backup gives numbers again."""

from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from tests.builders import make_item, make_type

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    item = make_item(make_type())
    number = item.type.external_number(item.pk, item.created_at)
    assert number.startswith(f"{item.pk}-")
    item.refresh_from_db()
    assert item.type.external_number(item.pk, item.created_at) == number
    assert item.type.external_number(item.pk, item.created_at + timedelta(microseconds=1)) != number


def test_items_from_before_the_update_keep_their_number() -> None:
    item = make_item(make_type())
    import_module("cms_api.content.migrations.0007_numbered_until").keep_numbers(apps, SimpleNamespace(connection=connection))
    item.type.refresh_from_db()
    assert item.type.external_number(item.pk, item.created_at) == str(item.pk)
    later = timezone.now()
    assert item.type.external_number(item.pk, later) != str(item.pk)
