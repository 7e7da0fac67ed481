"""Submissions in the admin: found, read, deleted, and downloaded as a file that no spreadsheet runs."""

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.forms.models import Form, Submission
from cms_api.forms.types import Source
from tests import people
from tests.builders import field, make_form

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

LIST = "/admin/forms/submissions/"


def make_submission(form: Form, name: str = "Dana", **changes: Any) -> Submission:
    values = {"data": {"name": name}, "source": Source.SITE, "created_at": timezone.now()} | changes
    return Submission.objects.create(form=form, **values)


def shown(client: Client, query: str = "") -> set[str]:
    """Which of the names stand in the list."""
    page = client.get(LIST + query).content.decode()
    return {name for name in ("Dana", "Ömer", "Ruth") if name in page}


def rows(client: Client, query: str = "") -> list[list[str]]:
    answer = client.get(f"{LIST}?export=csv{query}")
    assert answer.status_code == 200
    assert answer.streaming
    return list(csv.reader(StringIO(b"".join(answer.streaming_content).decode(), newline="")))


def test_it_works(admin_client: Client) -> None:
    form = make_form(field("name", "text", label="Your name"), name="Write to us")
    found = make_submission(form, "Dana <b>")
    page = admin_client.get(f"{LIST}inspect/{found.pk}/").content.decode()
    assert "Dana &lt;b&gt;" in page
    assert "Your name" in page
    assert "Write to us" in page
    assert f"{LIST}mark-as-spam/{found.pk}/" in page
    assert f"{LIST}inspect/{found.pk}/" in admin_client.get(LIST).content.decode()


@pytest.mark.both_databases
def test_filters_and_search(admin_client: Client) -> None:
    one, two = make_form(), make_form()
    make_submission(one, "Dana", created_at=datetime(2026, 3, 1, 12, tzinfo=UTC))
    make_submission(one, "Ömer", is_spam=True, created_at=datetime(2026, 3, 2, 12, tzinfo=UTC))
    make_submission(two, "Ruth", source=Source.API, created_at=datetime(2026, 3, 3, 12, tzinfo=UTC))
    assert shown(admin_client) == {"Dana", "Ömer", "Ruth"}
    assert shown(admin_client, f"?form={one.pk}") == {"Dana", "Ömer"}
    assert shown(admin_client, "?is_spam=true") == {"Ömer"}
    assert shown(admin_client, "?is_spam=false") == {"Dana", "Ruth"}
    assert shown(admin_client, "?source=api") == {"Ruth"}
    assert shown(admin_client, "?created_at_from=2026-03-02&created_at_to=2026-03-02") == {"Ömer"}
    assert shown(admin_client, "?q=OMER") == {"Ömer"}
    assert shown(admin_client, "?q=da+na") == {"Dana"}
    assert shown(admin_client, "?q=%27%22%25") == {"Dana", "Ömer", "Ruth"}
    for odd in ("?form=x", "?form=99999999999999999999", "?created_at_from=x", "?is_spam=x", "?q=%00", "?p=x", "?ordering=x"):
        assert admin_client.get(LIST + odd).status_code in {200, 302, 404}, odd


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    form = make_form()
    found = []
    for number in (1, 20):
        for _ in range(number):
            make_submission(form)
        admin_client.get(LIST)
        with CaptureQueriesContext(connection) as captured:
            admin_client.get(LIST)
        found.append(len(captured))
    assert found[0] == found[1]


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "=cmd|' /C calc'!A0", "\r=1", "＝1"]


def test_no_cell_is_a_formula(admin_client: Client) -> None:
    form = make_form(field("name", "textarea", label="=LABEL()"), field("number", "number"), name="=FORM()")
    for value in FORMULAS:
        Submission.objects.create(
            form=form, data={"name": value, "number": -5}, source=Source.API, created_at=timezone.now(), spam_reason="@x"
        )
    for query in ("", f"&form={form.pk}"):
        found = rows(admin_client, query)
        assert len(found) == len(FORMULAS) + 1
        for cell in (cell for row in found for cell in row):
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\0")), cell
    names = {row[6] for row in rows(admin_client, f"&form={form.pk}")[1:]}
    assert names == {f"'{value}" for value in FORMULAS}


def test_the_file_has_what_the_list_shows(admin_client: Client) -> None:
    one, two = make_form(slug="one"), make_form(field("colours", "checkboxes", options=["red", "green"], label="Colours"))
    make_submission(one, 'Quote " and,\nline')
    make_submission(two, data={"colours": ["red", "green"], "gone": "x"}, is_spam=True, spam_reason="Links.")
    header, row = rows(admin_client, f"&form={two.pk}")
    assert header == ["Id", "Form", "Date", "Source", "In quarantine", "Reason", "Colours"]
    assert row[3:] == ["Site", "Yes", "Links.", "red, green"]
    whole = [json.loads(row[6]) for row in rows(admin_client)[1:]]
    assert whole == [{"colours": ["red", "green"], "gone": "x"}, {"name": 'Quote " and,\nline'}]
    assert rows(admin_client, f"&form={one.pk}")[1][6] == 'Quote " and,\nline'
    assert len(rows(admin_client, "&is_spam=true")) == 2
    assert 'filename="one-submissions.csv"' in admin_client.get(f"{LIST}?export=csv&form={one.pk}").headers["Content-Disposition"]


def test_values_of_fields_that_are_gone_are_shown(admin_client: Client) -> None:
    form = make_form(field("colour", "text"))
    found = make_submission(form, data={"colour": None, "size": "XL"})
    page = admin_client.get(f"{LIST}inspect/{found.pk}/").content.decode()
    assert "size" in page
    assert "XL" in page


def test_one_is_deleted(admin_client: Client) -> None:
    found = make_submission(make_form())
    assert admin_client.get(f"{LIST}delete/{found.pk}/").status_code == 200
    assert admin_client.post(f"{LIST}delete/{found.pk}/").status_code == 302
    assert not Submission.objects.exists()


def test_who_may(sign_in: Callable[[Any], Client]) -> None:
    found = make_submission(make_form(), is_spam=True)
    manager, editor = sign_in(people.mallory_manager()), sign_in(people.bob())
    for name in ("", f"inspect/{found.pk}/", f"delete/{found.pk}/", f"history/{found.pk}/", "?export=csv"):
        answer = manager.get(LIST + name)
        assert answer.status_code == 200, name
        assert b"".join(answer) if answer.streaming else True
        assert editor.get(LIST + name).status_code in {302, 403}, name
    for name in ("release", "mark-as-spam", "delete"):
        assert editor.post(f"{LIST}{name}/{found.pk}/").status_code in {302, 403}
    found.refresh_from_db()
    assert found.is_spam
    for name in ("new/", f"edit/{found.pk}/"):
        assert manager.get(LIST + name).status_code == 404
