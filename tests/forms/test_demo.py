"""Demo forms: enough of everything, the same on a second run, and without emails or events."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from cms_api.fields import Context
from cms_api.forms.demo import load
from cms_api.forms.models import Attachment, Form, Submission
from cms_api.forms.types import TYPES, clean_data
from cms_api.http.query import site_timezone

from .conftest import mails

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("business")]


def test_it_works(client: Client, subscribed: Callable[[], list[Any]]) -> None:
    load(1, lambda count: None)
    assert {field.type for form in Form.objects.all() for field in form.schema} == set(TYPES)
    assert set(Form.objects.values_list("store_submissions", flat=True)) == {True, False}
    assert Submission.objects.filter(is_spam=True).count() >= 3
    for source in ("site", "api"):
        assert Submission.objects.filter(is_spam=False, source=source).exists()
    with Attachment.objects.get().file.open() as plan:
        assert plan.read()
    for form in Form.objects.all():
        assert client.get(f"/forms/{form.slug}").status_code == 200
    assert (subscribed(), mails()) == ([], [])


def test_loading_again_adds_nothing() -> None:
    load(1, lambda count: None)
    before = list(Form.objects.values()), list(Submission.objects.values())
    load(3, lambda count: None)
    assert (list(Form.objects.values()), list(Submission.objects.values())) == before


def test_what_was_sent_in_is_what_the_forms_take() -> None:
    load(1, lambda count: None)
    for submission in Submission.objects.select_related("form"):
        data = submission.data
        cleaned = clean_data(submission.form.schema, data, Context(timezone=site_timezone()))
        assert {**cleaned, **({"plan": data["plan"]} if "plan" in data else {})} == data
