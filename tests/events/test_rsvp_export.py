"""RSVPs as a file: what the list shows as it is filtered, streamed, and with nothing in it that a spreadsheet runs."""

import csv
from io import StringIO
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from events.models import Rsvp
from events.services.rsvps import cancel

from .guests import WEEKLY, make_event, make_reply, starts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on")]

LIST = "/admin/events/rsvps/"


def rows(client: Client, query: str = "") -> list[list[str]]:
    answer: Any = client.get(f"{LIST}?export=csv{query}")
    assert answer.status_code == 200
    assert answer.streaming
    assert "rsvps" in answer.headers["Content-Disposition"]
    return list(csv.reader(StringIO(b"".join(answer.streaming_content).decode(), newline="")))


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    event = make_event()
    rsvp = make_reply(event)
    cancel(rsvp=make_reply(event, email="ruth@example.org"))
    created = rsvp.created_at.strftime("%Y-%m-%dT%H:%M:%S+00:00")
    assert rows(admin_client) == [
        ["Event", "Occurrence", "Name", "Email", "Party size", "Status", "Created"],
        ["Open rehearsal", starts(event)[0], "Dana Reyes", "dana@example.org", "2", "going", created],
    ]


@pytest.mark.both_databases
def test_it_holds_what_the_list_shows(admin_client: Client) -> None:
    series, other = make_event(repeat=WEEKLY), make_event()
    make_reply(series, starts(series)[0], email="a@example.org")
    make_reply(series, starts(series)[1], email="b@example.org")
    cancel(rsvp=make_reply(other, email="c@example.org"))

    def emails(query: str) -> set[str]:
        return {row[3].partition("@")[0] for row in rows(admin_client, query)[1:]}

    assert emails("") == {"a", "b"}
    assert emails("&cancelled=1") == {"a", "b", "c"}
    assert emails("&cancelled=only") == {"c"}
    assert emails(f"&event={series.pk}&occurrence={series.pk}") == {"a"}
    assert emails("&q=b@example") == {"b"}


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_no_cell_is_a_formula(admin_client: Client, name: str) -> None:
    make_reply(make_event(title=name), name=name, email="+a=b@example.org")
    (row,) = rows(admin_client)[1:]
    assert row[0] == row[2] == f"'{name}"
    assert row[3] == "'+a=b@example.org"
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)


@pytest.mark.both_databases
def test_it_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    event, found = make_event(repeat=WEEKLY), []
    for number in (1, 5):
        for index in range(number):
            make_reply(event, starts(event)[index % 3], email=f"{number}.{index}@example.org")
        with CaptureQueriesContext(connection) as captured:
            assert len(rows(admin_client)) == Rsvp.objects.count() + 1
        found.append(len(captured))
    assert found[0] == found[1]
