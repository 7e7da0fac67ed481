"""Canned answers, assignment rules, hours, targets and special days in the admin, and the report of response times."""

from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

import pytest
from django.test import Client

from commerce.support.admin.reports import chart_of
from commerce.support.admin.words import duration
from commerce.support.models import AssignmentRule, CannedAnswer, Hours, SpecialDay, Target
from commerce.support.selectors.clocks import Times
from commerce.support.services import assign_ticket, reply_as_staff, set_status
from commerce.support.services.setup import save_hours

from .builders import make_agent, make_category, make_ticket

pytestmark = pytest.mark.usefixtures("support")

DESK = "/admin/support/"
TIMES = f"{DESK}tickets/response-times/"


def hours_sent(*rows: tuple[str, str, str], **targets: str) -> dict[str, str]:
    sent = {"hours-count": str(len(rows)), **targets}
    for place, values in enumerate(rows):
        sent |= {
            f"hours-{place}-deleted": "",
            f"hours-{place}-order": str(place),
            f"hours-{place}-type": "hours",
            f"hours-{place}-id": "",
        }
        sent |= {f"hours-{place}-value-{name}": value for name, value in zip(("weekday", "opens", "closes"), values, strict=True)}
    return sent


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    path = f"{DESK}special-days/hours/"
    sent = hours_sent(("0", "09:00", "12:00"), ("0", "13:00", "17:00"), normal_first_response_minutes="480")
    assert admin_client.post(path, sent).status_code == 302
    assert list(Hours.objects.values_list("weekday", "opens", "closes")) == [(0, time(9), time(12)), (0, time(13), time(17))]
    target = Target.objects.get(priority="normal")
    assert (target.first_response_minutes, target.resolution_minutes) == (480, None)
    page = admin_client.get(path).content.decode()
    for words in ("09:00", "13:00", 'value="480"', "Urgent"):
        assert words in page


def test_wrong_hours_change_nothing(admin_client: Client) -> None:
    save_hours(hours=[{"weekday": 0, "opens": time(9), "closes": time(17)}])
    path = f"{DESK}special-days/hours/"
    for wrong, said in (
        (hours_sent(("0", "09:00", "12:00"), ("0", "11:00", "17:00")), "may not overlap"),
        (hours_sent(("9", "09:00", "12:00")), "Select a valid choice"),
        (hours_sent(("0", "25:00", "12:00")), "Enter a valid time"),
        (hours_sent(urgent_resolution_minutes="0"), "greater than or equal to 1"),
        (hours_sent(urgent_resolution_minutes="9" * 30), "less than or equal to"),
    ):
        answer = admin_client.post(path, wrong)
        assert answer.status_code == 200
        assert said in answer.content.decode(), said
    assert Hours.objects.count() == 1
    assert not Target.objects.exists()


def test_special_days(admin_client: Client) -> None:
    path = f"{DESK}special-days/new/"
    assert admin_client.post(path, {"date": "2026-12-24", "note": "Eve", "periods": "09:00-12:00"}).status_code == 302
    special = SpecialDay.objects.get()
    assert (special.date, special.periods) == (date(2026, 12, 24), [["09:00", "12:00"]])
    assert admin_client.post(f"{DESK}special-days/edit/{special.pk}/", {"date": "2026-12-24", "periods": ""}).status_code == 302
    assert "Day off" in admin_client.get(f"{DESK}special-days/").content.decode()
    for wrong in ({"date": "2026-12-24"}, {"date": "never"}, {"date": "2026-12-25", "periods": "9 to 5"}):
        assert "error" in admin_client.post(path, wrong).content.decode()
    assert SpecialDay.objects.count() == 1


def test_canned_answers(admin_client: Client) -> None:
    category = make_category("Orders")
    path = f"{DESK}canned-answers/new/"
    sent = {"title": "A greeting", "body": "Hello {{ name }}!", "category": str(category.pk)}
    assert admin_client.post(path, sent).status_code == 302
    answer = CannedAnswer.objects.get()
    assert (answer.title, answer.body, answer.category) == ("A greeting", "Hello {{ name }}!", category)
    edit = admin_client.get(f"{DESK}canned-answers/edit/{answer.pk}/").content.decode()
    assert "Hello {{ name }}!" in edit
    assert "{{ agent }} (the name of the person who answers)" in edit
    assert admin_client.get(f"{DESK}canned-answers/copy/{answer.pk}/").status_code == 200
    for wrong in (sent, {**sent, "title": "Another", "body": "Hello {{ password }}!"}, {**sent, "title": "\0"}):
        assert admin_client.post(path, wrong).status_code == 200
    assert CannedAnswer.objects.count() == 1
    assert "Orders" in admin_client.get(f"{DESK}canned-answers/").content.decode()


def test_rules(admin_client: Client) -> None:
    agent, category = make_agent("Robin Vale"), make_category("Orders")
    path = f"{DESK}rules/new/"
    sent = {"name": "Broken things", "position": "1", "enabled": "on", "word_list": "broken\nno handle", "team": [str(agent.pk)]}
    answer = admin_client.post(path, {**sent, "categories": [str(category.pk)], "priorities": ["urgent"]})
    assert answer.status_code == 302
    rule = AssignmentRule.objects.get()
    assert (rule.words, rule.priorities, rule.categories.get(), rule.assignees.get(), rule.enabled) == (
        ["broken", "no handle"],
        ["urgent"],
        category,
        agent,
        True,
    )
    page = admin_client.get(f"{DESK}rules/").content.decode()
    for words in ("Broken things", "broken, no handle", "Urgent", "Orders", "Robin Vale"):
        assert words in page
    assert "no handle" in admin_client.get(f"{DESK}rules/edit/{rule.pk}/").content.decode()
    assert admin_client.post(f"{DESK}rules/edit/{rule.pk}/", {**sent, "word_list": ""}).status_code == 302
    rule.refresh_from_db()
    assert (rule.words, rule.priorities, rule.categories.count()) == ([], [], 0)
    for wrong in ({**sent, "team": []}, {**sent, "team": ["x"]}, {**sent, "word_list": "x" * 101}, {**sent, "position": "-1"}):
        assert admin_client.post(path, wrong).status_code == 200
    assert admin_client.post(f"{DESK}rules/delete/{rule.pk}/").status_code == 302
    assert not AssignmentRule.objects.exists()


def test_response_times(admin_client: Client, clock: Callable[..., datetime]) -> None:
    clock("2026-03-02 08:00")
    ticket = assign_ticket(ticket=make_ticket(category=make_category("Orders")), user_id=make_agent("Robin Vale").pk)
    make_ticket()
    clock(minutes=125)
    reply_as_staff(ticket=ticket, message="Sorry")
    set_status(ticket=ticket, status="resolved")
    page = admin_client.get(TIMES).content.decode()
    for words in ("Week of Mar 2, 2026", "2 h 5 min", "<svg", "Minutes to the first response"):
        assert words in page
    page = admin_client.get(TIMES, {"weeks": "4", "by": "category"}).content.decode()
    assert "Orders" in page
    assert "No category" in page
    assert "chart__drawing" not in page
    page = admin_client.get(TIMES, {"by": "assignee"}).content.decode()
    assert "Robin Vale" in page
    assert "Nobody" in page
    clock(days=100)
    assert "No tickets were opened" in admin_client.get(TIMES, {"weeks": "4"}).content.decode()


@pytest.mark.parametrize("query", [{"weeks": "5"}, {"by": "color"}, {"weeks": "\0"}])
def test_wrong_parameters_of_the_report(query: dict[str, str], admin_client: Client) -> None:
    assert admin_client.get(TIMES, query).status_code == 404


def test_long_times_are_counted_in_hours() -> None:
    times = Times("2026-03-02", 1, 90 * 60, 90 * 60, 40 * 3600, None)
    chart: Any = chart_of([times], [date(2026, 2, 23), date(2026, 3, 2)])
    assert [(each.label, each.values) for each in chart.series] == [
        ("hours to the first response", [0, 2]),
        ("hours to the resolution", [0, 40]),
    ]


def test_durations_in_words() -> None:
    assert [duration(each) for each in (None, 0, 59, 3600, 7500, 360_000)] == ["", "0 min", "0 min", "1 h", "2 h 5 min", "100 h"]
