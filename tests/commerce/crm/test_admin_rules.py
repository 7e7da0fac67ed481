"""Rules of assignment, as people write them."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.gateway.roles import create_editor
from commerce.crm.models import AssignmentRule
from commerce.crm.services.rules import save_rule
from tests import people

from .records import make_contact

pytestmark = pytest.mark.django_db

LIST = "/admin/crm/rules/"


def values(**more: Any) -> dict[str, Any]:
    return {"name": "Rule", "position": 1, "enabled": True, "countries": [], "sources": [], "assignees": [], **more}


def test_it_works(admin_client: Client) -> None:
    manager = people.mallory_manager()
    sent = {
        "name": "Turkey",
        "position": "5",
        "enabled": "on",
        "country_list": "TR, Türkiye\nturkiye\n",
        "source_list": "form",
        "team": [str(manager.pk)],
    }
    assert admin_client.get(f"{LIST}new/").status_code == 200
    assert admin_client.post(f"{LIST}new/", sent).status_code == 302
    rule = AssignmentRule.objects.get()
    assert (rule.countries, rule.sources, list(rule.assignees.all())) == (["TR", "Türkiye"], ["form"], [manager])
    assert make_contact(country="tr", source="form").assigned_to == manager
    assert make_contact(country="tr").assigned_to is None
    page = admin_client.get(f"{LIST}edit/{rule.pk}/").content.decode()
    assert "TR\nTürkiye" in page
    assert admin_client.post(f"{LIST}edit/{rule.pk}/", {**sent, "source_list": "", "enabled": ""}).status_code == 302
    rule.refresh_from_db()
    assert (rule.sources, rule.enabled, rule.last_assignee_id) == ([], False, manager.pk)
    assert admin_client.get(f"{LIST}history/{rule.pk}/").status_code == 200
    assert admin_client.post(f"{LIST}delete/{rule.pk}/").status_code == 302
    actions = ModelLogEntry.objects.filter(content_type__model="assignmentrule").values_list("action", flat=True)
    assert sorted(actions) == ["wagtail.create", "wagtail.delete", "wagtail.edit"]


def test_the_list_says_who_has_the_next_turn(admin_client: Client) -> None:
    team = [create_editor(email=f"m{number}@example.com", role="manager", password="x") for number in range(3)]
    save_rule(values=values(name="Last", position=9, assignees=[team[0].pk]))
    save_rule(values=values(name="First", position=1, assignees=[user.pk for user in team]))
    assignees = []
    for _ in range(4):
        page = admin_client.get(LIST).content.decode()
        assert page.index("First") < page.index("Last")
        assignees.append(make_contact().assigned_to)
        shown = page[page.index("First") :].partition("</tr>")[0].rpartition("<td")[2]
        assert str(assignees[-1].email) in shown
    assert assignees == [*team, team[0]]
    team[1].groups.clear()
    team[0].groups.clear()
    assert "Nobody" in admin_client.get(LIST).content.decode()
    assert make_contact().assigned_to == team[2]


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    manager, found = people.mallory_manager(), []
    for number in (1, 4):
        for _ in range(number):
            save_rule(values=values(assignees=[manager.pk]))
        admin_client.get(LIST)
        with CaptureQueriesContext(connection) as captured:
            assert admin_client.get(LIST).status_code == 200
        found.append(len(captured))
    assert found[0] == found[1], found


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"position": -1}, "position"),
        ({"position": 10**30}, "position"),
        ({"countries": [str(number) for number in range(201)]}, "countries"),
        ({"sources": ["x" * 101]}, "sources"),
        ({"assignees": []}, "assignees"),
        ({"assignees": [0]}, "assignees"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(changes: dict[str, Any], path: str) -> None:
    good = values(assignees=[people.mallory_manager().pk])
    with pytest.raises(Invalid) as refused:
        save_rule(values=good | changes)
    assert list(refused.value.errors) == [path]
    assert not AssignmentRule.objects.exists()


def test_who_may_not_change_contacts_cannot_look_after_them() -> None:
    with pytest.raises(Invalid):
        save_rule(values=values(assignees=[people.mallory_manager().pk, people.bob().pk]))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", "\0"),
        ("position", "9" * 30),
        ("country_list", "x" * 101),
        ("team", ["x", "9" * 30]),
    ],
)
def test_hostile_input_is_refused_at_its_field(admin_client: Client, name: str, value: Any) -> None:
    manager = people.mallory_manager()
    good = {"name": "A", "position": "1", "enabled": "on", "country_list": "", "source_list": "", "team": [str(manager.pk)]}
    answer = admin_client.post(f"{LIST}new/", {**good, name: value})
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == [name]
    assert not AssignmentRule.objects.exists()
