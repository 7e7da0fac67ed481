"""Categories, canned answers, special days and targets."""

from datetime import date
from typing import Any

import pytest

from cms_api.core.records import delete_record
from commerce.support.models import Category, SpecialDay, Target
from commerce.support.selectors.links import canned_text
from commerce.support.selectors.tickets import canned_answers, categories
from commerce.support.services.setup import (
    save_canned_answer,
    save_category,
    save_rule,
    save_special_day,
    save_target,
)

from .builders import make_agent, make_category, make_rule, make_ticket, refusals

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("support")]


@pytest.mark.both_databases
def test_it_works() -> None:
    category = make_category("Orders & returns", description="Damaged goods.")
    assert category.slug == "orders-returns"
    assert save_category(values={"name": "Orders", "is_public": False}, category=category).slug == "orders-returns"
    ticket = make_ticket(category=category)
    assert list(categories(only_public=True)) == []
    delete_record(record=category)
    ticket.refresh_from_db()
    assert (ticket.category, Category.objects.count()) == (None, 0)


@pytest.mark.parametrize(
    ("values", "key"),
    [({"name": ""}, "name"), ({"slug": "7"}, "slug"), ({"position": -1}, "position"), ({"slug": "taken"}, "slug")],
)
def test_refused_categories(values: dict[str, Any], key: str) -> None:
    make_category(slug="taken")
    assert list(refusals(lambda: make_category(**values) if "name" not in values else save_category(values=values))) == [key]


def test_canned_answers() -> None:
    orders = make_category("Orders")
    general = save_canned_answer(
        values={"title": "A", "body": "Hello {{ name }}, {{ number }}: {{ subject }}\n{{ agent }}, {{ site }}"}
    )
    special = save_canned_answer(values={"title": "B", "body": "Hello {{ name }},", "category": orders})
    assert canned_answers() == [general, special]
    assert canned_answers(orders) == [special, general]
    ticket, agent = make_ticket(subject="{{ agent }}"), make_agent("Robin Vale")
    assert canned_text(general, ticket, agent) == "Hello Dana, SUP-1001: {{ agent }}\nRobin Vale, My site"
    ticket.name = ""
    assert canned_text(special, ticket) == "Hello,"
    save_canned_answer(values={"body": "Changed."}, answer=special)
    delete_record(record=general)
    assert [answer.body for answer in canned_answers()] == ["Changed."]


@pytest.mark.parametrize(
    ("values", "key"),
    [({"title": ""}, "title"), ({"title": "Taken"}, "title"), ({"body": " "}, "body"), ({"body": "{{ password }}"}, "body")],
)
def test_refused_canned_answers(values: dict[str, Any], key: str) -> None:
    save_canned_answer(values={"title": "Taken", "body": "x"})
    assert list(refusals(lambda: save_canned_answer(values={"title": "New", "body": "x", **values}))) == [key]


def test_special_days() -> None:
    special = save_special_day(values={"date": date(2026, 12, 24), "periods": [("13:00", "15:00"), ("9:00".zfill(5), "12:00")]})
    assert special.periods == [["09:00", "12:00"], ["13:00", "15:00"]]
    for values, key in (
        ({"date": date(2026, 12, 24)}, "date"),
        ({"date": None}, "date"),
        ({"periods": [("9", "25:00")]}, "periods"),
        ({"periods": [("09:00", "12:00"), ("11:00", "13:00")]}, "periods"),
        ({"note": "x" * 101}, "note"),
    ):
        given = {"date": date(2026, 12, 25), "periods": [], **values}
        assert list(refusals(lambda given=given: save_special_day(values=given))) == [key]
    delete_record(record=special)
    assert not SpecialDay.objects.exists()


def test_targets() -> None:
    for minutes in (60, 90):
        save_target(priority="high", first_response_minutes=minutes, resolution_minutes=None)
    assert Target.objects.get().first_response_minutes == 90
    assert list(refusals(lambda: save_target(priority="x", first_response_minutes=0, resolution_minutes=10**7))) == [
        "priority",
        "first_response_minutes",
        "resolution_minutes",
    ]


@pytest.mark.both_databases
def test_rules_are_changed_and_deleted() -> None:
    ada, ben = make_agent(), make_agent()
    rule = make_rule(ada)
    save_rule(values={"assignees": [ben.pk], "words": ["Mug", "mug "]}, rule=rule)
    rule.refresh_from_db()
    assert ([*rule.assignees.all()], rule.words) == ([ben], ["Mug"])
    ticket = make_ticket()
    delete_record(record=rule)
    assert (ticket.assignee, make_ticket().assignee) == (ben, None)
