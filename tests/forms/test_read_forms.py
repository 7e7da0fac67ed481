"""GET /forms and /forms/{id}."""

import pytest

from cms_api.flags.services import switch_feature
from cms_api.forms.services.forms import save_form
from tests.builders import field, make_form, make_token
from tests.client import Api

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    form = make_form(
        field("name", "text", required=True, help_text="In full."),
        field("colour", "radio", options=["red", "green"]),
        field("campaign", "hidden", default="website"),
        slug="order",
        name="Order",
        description="One of each.",
    )
    record = api.data(f"/forms/{form.pk}")
    assert record == {
        "id": form.pk,
        "slug": "order",
        "name": "Order",
        "description": "One of each.",
        "store_submissions": True,
        "fields": [
            {"key": "name", "label": "Name", "type": "text", "required": True, "help_text": "In full.", "options": None},
            {
                "key": "colour",
                "label": "Colour",
                "type": "radio",
                "required": False,
                "help_text": "",
                "options": ["red", "green"],
            },
            {"key": "campaign", "label": "Campaign", "type": "hidden", "required": False, "help_text": "", "options": None},
        ],
        "created_at": record["created_at"],
        "updated_at": record["updated_at"],
    }
    assert api.data("/forms") == [record]


@pytest.mark.both_databases
def test_lists_are_sorted_and_paged(api: Api) -> None:
    made = [make_form(name=name, slug=name).pk for name in ("b", "c", "a")]
    assert [record["id"] for record in api.data("/forms")] == made[::-1]
    assert [record["slug"] for record in api.data("/forms", sort="name")] == ["a", "b", "c"]
    assert [record["slug"] for record in api.data("/forms", sort="-name", per_page=2)] == ["c", "b"]
    first = api.get("/forms", cursor="", per_page=2, sort="name").json()
    rest = api.get("/forms", cursor=first["meta"]["next_cursor"], per_page=2, sort="name").json()
    assert [record["slug"] for record in [*first["data"], *rest["data"]]] == ["a", "b", "c"]
    assert api.get("/forms", sort="slug").status_code == 422
    assert api.data("/forms", fields="slug", per_page=1) == [{"id": made[2], "slug": "a"}]
    assert api.get("/forms", fields="recipients").status_code == 422


def test_who_is_told_is_nobody_elses_business(api: Api) -> None:
    form = make_form(recipients=["secret@example.org"])
    assert b"secret" not in api.get(f"/forms/{form.pk}").content


def test_a_disabled_form_can_be_read(api: Api) -> None:
    form = make_form(enabled=False)
    assert api.data(f"/forms/{form.pk}")["id"] == form.pk


@pytest.mark.parametrize("reference", ["0", "01", "1e3", "٣", "9" * 19, "9" * 40, "order", "-1", "1.0", "%00"])
@pytest.mark.both_databases
def test_other_ids_are_not_found(api: Api, reference: str) -> None:
    make_form(slug="order")
    for path in ("", "/submissions", "/submissions/1"):
        assert api.get(f"/forms/{reference}{path}").json() == {"message": "Not Found."}


def test_a_copy_that_the_client_holds_is_current_until_the_form_changes(api: Api) -> None:
    form = make_form()
    tag = api.get(f"/forms/{form.pk}").headers["ETag"]
    assert api.request("GET", f"/forms/{form.pk}", if_none_match=tag).status_code == 304
    save_form(form=form, values={"name": "Changed"})
    assert api.request("GET", f"/forms/{form.pk}", if_none_match=tag).status_code == 200


def test_forms_have_no_switch_of_their_own(api: Api) -> None:
    assert api.get("/forms").status_code == 200
    switch_feature(name="api", on=False)
    assert api.get("/forms").status_code == 404


def test_reading_needs_another_ability_than_sending(api_on: None) -> None:
    form = make_form(field("name", "text"))
    reader, writer = Api(make_token("forms:read")), Api(make_token("forms:write"))
    assert reader.get("/forms").status_code == 200
    assert writer.get("/forms").status_code == 403
    assert reader.post(f"/forms/{form.pk}/submissions", {"data": {}}).status_code == 403
    assert writer.post(f"/forms/{form.pk}/submissions", {"data": {}}).status_code == 201
