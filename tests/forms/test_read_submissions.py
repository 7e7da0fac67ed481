"""GET /forms/{id}/submissions and one of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.forms.models import Form, Submission
from cms_api.forms.types import Source
from tests.builders import field, make_form
from tests.client import Api

pytestmark = pytest.mark.django_db


def make_submission(form: Form | None = None, **changes: Any) -> Submission:
    form = form or make_form(field("name", "text"))
    values = {"data": {"name": "Dana"}, "source": Source.SITE, "created_at": timezone.now()} | changes
    return Submission.objects.create(form=form, **values)


def ids(api: Api, form: Form, **query: Any) -> list[int]:
    return [record["id"] for record in api.data(f"/forms/{form.pk}/submissions", **query)]


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    form = make_form(field("name", "text"))
    first, second = make_submission(form), make_submission(form)
    make_submission()
    assert ids(api, form) == [second.pk, first.pk]
    record = api.data(f"/forms/{form.pk}/submissions/{first.pk}")
    assert record in api.data(f"/forms/{form.pk}/submissions")
    assert record["data"] == {"name": "Dana"}


def test_spam_is_left_out_unless_it_is_asked_for(api: Api) -> None:
    form = make_form()
    good, spam = make_submission(form), make_submission(form, is_spam=True)
    assert ids(api, form) == [good.pk]
    for yes in ("1", "true"):
        assert ids(api, form, include_spam=yes) == [spam.pk, good.pk]
    for no in ("0", "false"):
        assert ids(api, form, include_spam=no) == [good.pk]
    assert api.data(f"/forms/{form.pk}/submissions/{spam.pk}")["is_spam"] is True
    assert api.get(f"/forms/{form.pk}/submissions", include_spam="").status_code == 422
    refused = api.get(f"/forms/{form.pk}/submissions", include_spam="perhaps")
    assert set(refused.json()["errors"]) == {"include_spam"}


def test_one_of_another_form_is_not_found(api: Api) -> None:
    form, other = make_form(), make_submission()
    assert api.get(f"/forms/{form.pk}/submissions/{other.pk}").status_code == 404


@pytest.mark.both_databases
def test_filters(api: Api) -> None:
    form = make_form()
    days = [datetime(2026, 3, day, 12, tzinfo=UTC) for day in (1, 2, 3)]
    old, middle, new = (make_submission(form, created_at=day) for day in days)
    by_api = make_submission(form, source=Source.API, created_at=days[0] - timedelta(days=1))
    assert ids(api, form, since="2026-03-02") == [new.pk, middle.pk]
    assert ids(api, form, **{"from": "2026-03-02T12:00:00Z"}) == [new.pk, middle.pk]
    assert ids(api, form, to="2026-03-02") == [middle.pk, old.pk, by_api.pk]
    assert ids(api, form, to="2026-03-02T11:59:59Z") == [old.pk, by_api.pk]
    assert ids(api, form, since="2026-03-01", **{"from": "2026-03-02"}, to="2026-03-02") == [middle.pk]
    assert ids(api, form, source="api") == [by_api.pk]
    assert ids(api, form, sort="created_at")[0] == by_api.pk


@pytest.mark.parametrize(
    "query", [{"since": "yesterday"}, {"from": "2026-02-30"}, {"to": "x"}, {"source": "mail"}, {"sort": "data"}, {"cursor": "x"}]
)
def test_filters_that_are_none(api: Api, query: dict[str, str]) -> None:
    refused = api.get(f"/forms/{make_form().pk}/submissions", **query)
    assert refused.status_code == 422
    assert set(refused.json()["errors"]) == set(query)


@pytest.mark.both_databases
def test_pages_by_cursor(api: Api) -> None:
    form = make_form()
    moment = timezone.now()
    made = [make_submission(form, created_at=moment).pk for _ in range(7)]
    assert api.walk(f"/forms/{form.pk}/submissions", per_page=3) == made[::-1]
