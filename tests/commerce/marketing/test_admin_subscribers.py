"""Subscribers in the admin: found, added, changed, unsubscribed, brought back, and many at once."""

import csv
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import OutboxEvent
from commerce.marketing.models import Enrolment, Subscriber
from commerce.marketing.services import unsubscribe
from commerce.marketing.services.sending import send_steps
from commerce.marketing.types import Status
from tests import people
from tests.builders import make_endpoint

from .conftest import make_subscriber
from .sequences import enrolled, make_sequence

pytestmark = pytest.mark.django_db

LIST = "/admin/marketing/subscribers/"
BULK = "/admin/bulk/marketing/subscriber/"


def page(client: Client, path: str = LIST) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return answer.content.decode()


def shown(client: Client, query: str = "") -> set[str]:
    found = page(client, LIST + query)
    return {name for name in ("dana", "omer", "ruth") if f"{name}@example.com" in found}


@pytest.fixture
def three() -> list[Subscriber]:
    return [
        make_subscriber("dana@example.com", first_name="Dana", last_name="Reyes", tags=["Clay", "paper"]),
        make_subscriber("omer@example.com", first_name="Ömer", status=Status.PENDING, tags=["clay"]),
        make_subscriber("ruth@example.com", status=Status.UNSUBSCRIBED, source="shop"),
    ]


def chart_numbers(html: str) -> list[list[str]]:
    """The numbers of the chart, by day, the latest first."""
    rows = re.findall(r'<th scope="row">.*?</tr>', html.partition('<figure class="chart"')[2].partition("</figure>")[0])
    return [re.findall("<td>([0-9,.]*)</td>", row) for row in rows]


def act(client: Client, action: str, ids: Any, given: dict[str, Any] | None = None, query: str = "") -> Any:
    chosen = "&".join(f"id={each}" for each in ids)
    return client.post(f"{BULK}{action}/?next={LIST}&{chosen}{query}", given or {}, follow=True)


def test_it_works(admin_client: Client, three: list[Subscriber]) -> None:
    found = page(admin_client)
    for said in ("dana@example.com", "Dana Reyes", "Clay, paper", "Active", "Pending", "Unsubscribed", "Download CSV"):
        assert said in found
    assert "Marketing" in page(admin_client, "/admin/")


@pytest.mark.both_databases
def test_filters_and_search(admin_client: Client, three: list[Subscriber]) -> None:
    Subscriber.objects.filter(email="ruth@example.com").update(created_at=timezone.now() - timedelta(days=90))
    day = timezone.localdate() - timedelta(days=30)
    for query, expected in (
        ("", {"dana", "omer", "ruth"}),
        ("?status=active", {"dana"}),
        ("?status=pending", {"omer"}),
        ("?status=unsubscribed", {"ruth"}),
        ("?tag=CLAY", {"dana", "omer"}),
        ("?tag=cla", set()),
        ("?tag=clay&status=active", {"dana"}),
        ("?source=shop", {"ruth"}),
        (f"?created_at_from={day}", {"dana", "omer"}),
        (f"?created_at_to={day}", {"ruth"}),
        ("?q=reyes", {"dana"}),
        ("?q=OMER@", {"omer"}),
        ("?q=nobody", set()),
    ):
        assert shown(admin_client, query) == expected, query
    for odd in ("?status=x&tag=%00&source=x&created_at_from=x", "?q=%00", "?p=x", "?ordering=x", "?tag=" + "x" * 99):
        assert admin_client.get(LIST + odd).status_code in {200, 302, 404}, odd


def test_the_download_is_of_what_is_listed(admin_client: Client, three: list[Subscriber]) -> None:
    Subscriber.objects.filter(email="dana@example.com").update(first_name="=1+1")
    answer = admin_client.get(f"{LIST}?export=csv&status=active")
    rows = list(csv.reader(answer.getvalue().decode().splitlines()))  # type: ignore[attr-defined]
    assert [len(rows), rows[0][0], rows[1][0], rows[1][1], rows[1][4]] == [2, "Email", "dana@example.com", "'=1+1", "Clay, paper"]


def test_adding_goes_as_by_the_api(admin_client: Client) -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("subscriber.created")
    sequence = make_sequence(trigger="tagged", tag="clay")
    values = {
        "email": " Dana@Example.com ",
        "first_name": " Dana ",
        "last_name": "",
        "tags_editor": "Clay, wood,, clay",
        "source": "",
    }
    answer = admin_client.post(f"{LIST}new/", values)
    made = Subscriber.objects.get()
    assert answer.headers["Location"] == f"{LIST}inspect/{made.pk}/"
    assert (made.email, made.first_name, made.tags, made.source, made.status) == (
        "dana@example.com",
        "Dana",
        ["Clay", "wood"],
        "admin",
        "active",
    )
    assert OutboxEvent.objects.get().kind == "subscriber.created"
    assert Enrolment.objects.get().sequence == sequence
    again = admin_client.post(f"{LIST}new/", values | {"last_name": "Other"})
    assert "There is a subscriber with this address already." in again.content.decode()
    made.refresh_from_db()
    assert made.last_name == ""


def test_what_cannot_be_added_is_refused_in_the_form(admin_client: Client) -> None:
    for wrong in (
        {"email": "nobody"},
        {"email": "a\0@example.com"},
        {"tags_editor": ",".join(map(str, range(51)))},
        {"source": "x" * 101},
    ):
        values = {"email": "dana@example.com", "first_name": "", "last_name": "", "tags_editor": "", "source": ""} | wrong
        answer = admin_client.post(f"{LIST}new/", values)
        assert answer.status_code == 200
        assert "error-message" in answer.content.decode(), wrong
    assert not Subscriber.objects.exists()


def test_changing(admin_client: Client, three: list[Subscriber]) -> None:
    dana = three[0]
    sequence = make_sequence(trigger="tagged", tag="wood")
    assert 'value="Clay, paper"' in page(admin_client, f"{LIST}edit/{dana.pk}/")
    sent = {
        "email": "other@example.com",
        "status": "unsubscribed",
        "first_name": "D.",
        "last_name": "",
        "tags_editor": "wood",
        "source": "x",
    }
    answer = admin_client.post(f"{LIST}edit/{dana.pk}/", sent)
    assert answer.headers["Location"] == f"{LIST}inspect/{dana.pk}/"
    dana.refresh_from_db()
    assert (dana.email, dana.status, dana.name, dana.tags, dana.source) == ("dana@example.com", "active", "D.", ["wood"], "x")
    assert Enrolment.objects.get().sequence == sequence
    assert shown(admin_client, "?q=reyes") == set()
    assert ModelLogEntry.objects.for_instance(dana).filter(action="wagtail.edit").count() == 1


def test_a_page_says_what_somebody_gets(admin_client: Client, three: list[Subscriber]) -> None:
    dana = three[0]
    enrolled(make_sequence(), dana)
    enrolled(make_sequence(name="Paused one", enabled=False), dana)
    send_steps()
    found = page(admin_client, f"{LIST}inspect/{dana.pk}/")
    for said in (
        "Dana Reyes",
        "Clay, paper",
        "Welcome",
        "Paused one",
        "When the sequence is started",
        "Second",
        "First, Dana",
        "Waiting",
    ):
        assert said in found, said
    assert "Not enrolled in any sequence." in page(admin_client, f"{LIST}inspect/{three[1].pk}/")


def test_unsubscribing_and_bringing_back_are_asked_first(admin_client: Client, three: list[Subscriber]) -> None:
    dana = three[0]
    enrolled(make_sequence(), dana)
    where = f"{LIST}inspect/{dana.pk}/"
    assert f"{LIST}unsubscribe/{dana.pk}/" in page(admin_client, where)
    assert f"{LIST}resubscribe/{dana.pk}/" not in page(admin_client, where)
    assert "Unsubscribe this person?" in page(admin_client, f"{LIST}unsubscribe/{dana.pk}/")
    dana.refresh_from_db()
    assert dana.status == "active"
    assert admin_client.post(f"{LIST}unsubscribe/{dana.pk}/").headers["Location"] == where
    dana.refresh_from_db()
    assert (dana.status, Enrolment.objects.get().state) == ("unsubscribed", "stopped")
    assert "Subscribe this person again?" in page(admin_client, f"{LIST}resubscribe/{dana.pk}/")
    admin_client.post(f"{LIST}resubscribe/{dana.pk}/")
    dana.refresh_from_db()
    assert (dana.status, dana.unsubscribed_at) == ("active", None)
    again = admin_client.post(f"{LIST}resubscribe/{dana.pk}/", follow=True)
    assert "They are already subscribed." in again.content.decode()
    assert admin_client.get(f"{LIST}unsubscribe/99999/").status_code == 404
    said = ModelLogEntry.objects.for_instance(dana).filter(action__startswith="marketing.")
    actions = said.values_list("action", flat=True)
    assert sorted(actions) == ["marketing.resubscribe", "marketing.unsubscribe"]


def test_taking_somebody_out_of_a_sequence(admin_client: Client, three: list[Subscriber]) -> None:
    enrolment = enrolled(make_sequence(), three[0])
    assert "gets no more emails of" in admin_client.post(f"{LIST}enrolments/{enrolment.pk}/stop/", follow=True).content.decode()
    assert (
        "This enrolment had already ended."
        in admin_client.post(f"{LIST}enrolments/{enrolment.pk}/stop/", follow=True).content.decode()
    )
    assert Enrolment.objects.get().state == "stopped"


def test_deleting(admin_client: Client, three: list[Subscriber]) -> None:
    enrolled(make_sequence(), three[0])
    assert "unsubscribe them instead" in page(admin_client, f"{LIST}delete/{three[0].pk}/")
    admin_client.post(f"{LIST}delete/{three[0].pk}/")
    assert shown(admin_client, "?q=dana") == set()
    assert not Enrolment.objects.exists()


def test_tagging_many(admin_client: Client, three: list[Subscriber]) -> None:
    make_sequence(trigger="tagged", tag="wood")
    ids = [each.pk for each in three]
    assert "3 subscribers are selected" in page(admin_client, f"{BULK}tag/?next={LIST}&" + "&".join(f"id={each}" for each in ids))
    answer = act(admin_client, "tag", ids, {"tag": " wood "})
    assert "3 subscribers tagged." in answer.content.decode()
    assert all("wood" in each.tags for each in Subscriber.objects.all())
    assert Enrolment.objects.get().subscriber.email == "dana@example.com"
    assert "0 subscribers tagged. 3 unchanged." in act(admin_client, "tag", ids, {"tag": "WOOD"}).content.decode()
    for wrong in ("", "a,b", "x" * 51, "a\0"):
        assert "error" in act(admin_client, "tag", ids, {"tag": wrong}).content.decode()
    assert {len(each.tags) for each in Subscriber.objects.all()} == {3, 2, 1}


def test_enrolling_many(admin_client: Client, three: list[Subscriber]) -> None:
    sequence = make_sequence()
    answer = act(admin_client, "enrol", [each.pk for each in three], {"sequence": sequence.pk})
    assert "1 subscriber enrolled. 2 unchanged." in answer.content.decode()
    assert Enrolment.objects.get().subscriber.email == "dana@example.com"
    assert act(admin_client, "enrol", [three[0].pk], {"sequence": 99999}).status_code == 200


def test_unsubscribing_all_of_a_listing(admin_client: Client, three: list[Subscriber]) -> None:
    make_subscriber("other@example.com")
    answer = act(admin_client, "unsubscribe", ["all"], query="&tag=clay")
    assert "2 subscribers unsubscribed." in answer.content.decode()
    active = Subscriber.objects.filter(status="active").values_list("email", flat=True)
    assert list(active) == ["other@example.com"]
    for odd in ("x", "-1", "9" * 30, "٣"):
        assert act(admin_client, "unsubscribe", [odd]).status_code == 200
    assert Subscriber.objects.filter(status="active").count() == 1


def test_too_many_at_once_are_not_taken(admin_client: Client, three: list[Subscriber], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cms_api.adminkit.bulk_actions.MAX_RECORDS", 2)
    assert "at most 2 subscribers at once" in act(admin_client, "unsubscribe", ["all"]).content.decode()
    assert Subscriber.objects.filter(status="active").count() == 1


@pytest.mark.both_databases
def test_many_statements_are_not_needed_for_many_people(admin_client: Client) -> None:
    found = []
    sequence = make_sequence()
    for number in (1, 5):
        for each in range(number):
            enrolled(sequence, make_subscriber(f"{number}.{each}@example.com", tags=["clay"]))
        admin_client.get(LIST)
        with CaptureQueriesContext(connection) as captured:
            admin_client.get(LIST)
        found.append(len(captured))
    assert found[0] == found[1]


def test_editors_and_strangers_may_not(sign_in: Callable[[Any], Client], three: list[Subscriber]) -> None:
    for client in (Client(), sign_in(people.bob()), sign_in(people.charlie())):
        for action in ("", "new/", "edit/{}/", "inspect/{}/", "unsubscribe/{}/", "delete/{}/", "?export=csv"):
            assert client.get(LIST + action.format(three[0].pk)).status_code in {302, 403}, action
            assert client.post(LIST + action.format(three[0].pk)).status_code in {302, 403}, action
        act(client, "unsubscribe", [three[0].pk])
    assert "/marketing/" not in sign_in(people.bob()).get("/admin/").content.decode()
    three[0].refresh_from_db()
    assert three[0].status == "active"


def test_managers_may_all(sign_in: Callable[[Any], Client], three: list[Subscriber]) -> None:
    client = sign_in(people.mallory_manager())
    assert shown(client) == {"dana", "omer", "ruth"}
    assert "/marketing/subscribers/" in page(client, "/admin/")
    assert "No emails were sent to this address" in page(client, f"{LIST}inspect/{three[0].pk}/")
    client.post(f"{LIST}unsubscribe/{three[0].pk}/")
    act(client, "tag", [three[1].pk], {"tag": "wood"})
    client.post(f"{LIST}delete/{three[2].pk}/")
    assert set(Subscriber.objects.values_list("email", "status")) == {
        ("dana@example.com", "unsubscribed"),
        ("omer@example.com", "pending"),
    }
    assert "wood" in Subscriber.objects.get(email="omer@example.com").tags


def test_unsubscribing_twice_is_told_once() -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("subscriber.unsubscribed")
    dana = make_subscriber()
    for _ in range(2):
        assert unsubscribe(subscriber=dana).status == "unsubscribed"
    assert OutboxEvent.objects.count() == 1


@pytest.mark.both_databases
def test_the_chart_counts_the_listed_subscribers_by_day(admin_client: Client) -> None:
    assert "chart" not in page(admin_client).partition("<main")[2]
    now = timezone.now()
    for number, (back, left, tags) in enumerate([(0, None, ["Clay"]), (0, 0, []), (3, 1, ["Clay"]), (33, 32, [])]):
        made = make_subscriber(f"{number}@example.com", tags=tags)
        ended = None if left is None else now - timedelta(days=left)
        Subscriber.objects.filter(pk=made.pk).update(confirmed_at=now - timedelta(days=back), unsubscribed_at=ended)
    html = page(admin_client)
    numbers = chart_numbers(html)
    assert len(numbers) == 30
    assert {place: found for place, found in enumerate(numbers) if found != ["0", "0"]} == {
        0: ["2", "1"],
        1: ["0", "1"],
        3: ["1", "0"],
    }
    assert "<strong>3</strong> new" in html
    assert [found for found in chart_numbers(page(admin_client, f"{LIST}?tag=clay")) if found != ["0", "0"]] == [
        ["1", "0"],
        ["0", "1"],
        ["1", "0"],
    ]


@pytest.mark.both_databases
def test_the_chart_is_read_from_indexes(admin_client: Client) -> None:
    make_subscriber()
    with CaptureQueriesContext(connection) as captured:
        page(admin_client)
    counts = [each["sql"] for each in captured if "GROUP BY" in each["sql"]]
    assert len(counts) == 2
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Of a small table PostgreSQL reads everything.
            cursor.execute("SET LOCAL enable_seqscan = off")
        for sql, index in zip(counts, ("subscriber_by_confirmation", "subscriber_by_unsubscription"), strict=True):
            cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{sql}")
            assert index in str(cursor.fetchall())
