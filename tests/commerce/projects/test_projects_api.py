"""Projects over the API: the list with its filters, and one project."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting
from commerce.projects.models import Project
from commerce.projects.resources import ProjectDetailResource, ProjectResource
from commerce.projects.services import add_update
from tests.client import Api
from tests.commerce.invoicing.builders import make_client

from .builders import make_in, make_project, reloaded, tick

LIST = "/projects"
STATUSES = ("planned", "active", "on_hold", "completed", "cancelled")


def ids(api: Api, query: str) -> list[int]:
    return [row["id"] for row in api.get(f"{LIST}?{query}").json()["data"]]


@pytest.mark.both_databases
def test_it_works(projects_api: Api) -> None:
    client = make_client("Reyes Ceramics", email="dana@example.com")
    rows = [{"title": "Sketch approved", "due_at": date(2026, 1, 23)}, {"title": "Varnished", "due_at": None}]
    dates = {"started_at": date(2026, 1, 12), "due_at": date(2026, 3, 6)}
    project = make_project(client=client, client_email="", client_name="", description="Nine metres.", milestones=rows, **dates)
    tick(project, "Sketch approved")
    add_update(project=project, note="The wall is primed.")
    add_update(project=project, note="Call the plasterer.", is_public=False)
    found = projects_api.data(f"{LIST}/{project.pk}")
    assert found.keys() == ProjectDetailResource.example.keys()
    assert (found["name"], found["status"], found["description"]) == ("Mural for the lobby", "planned", "Nine metres.")
    assert (found["client_id"], found["client_email"], found["client_name"]) == (
        client.pk,
        "dana@example.com",
        "Reyes Ceramics",
    )
    assert (found["started_at"], found["due_at"], found["completed_at"]) == ("2026-01-12", "2026-03-06", None)
    assert (found["progress"], found["progress_percent"]) == (0, 50)
    first, second = found["milestones"]
    assert (first["title"], first["due_at"], first["completed"], first["position"]) == ("Sketch approved", "2026-01-23", True, 1)
    assert first["completed_at"]
    assert (second["due_at"], second["completed"], second["completed_at"], second["position"]) == (None, False, None, 2)
    assert [(each["note"], each["is_public"]) for each in found["updates"]] == [
        ("Call the plasterer.", False),
        ("The wall is primed.", True),
    ]
    (row,) = projects_api.data(LIST)
    assert row.keys() == ProjectResource.example.keys()
    assert row == {key: value for key, value in found.items() if key != "updates"}


def test_what_is_empty_is_null(projects_api: Api) -> None:
    project = make_project(client_email="", client_name="")
    found = projects_api.data(f"{LIST}/{project.pk}")
    empty = ("description", "client_id", "client_email", "client_name", "started_at", "due_at", "completed_at")
    assert [found[name] for name in empty] == [None] * len(empty)
    assert (found["milestones"], found["updates"], found["progress_percent"]) == ([], [], 0)


@pytest.mark.both_databases
def test_the_filter_of_statuses(projects_api: Api) -> None:
    made = {status: make_in(status).pk for status in STATUSES}
    for status in STATUSES:
        assert ids(projects_api, f"status={status}") == [made[status]]
    assert ids(projects_api, "status=open") == [made["on_hold"], made["active"], made["planned"]]
    assert ids(projects_api, "") == list(reversed(made.values()))


def test_overdue_is_open_and_past_the_due_date(projects_api: Api, clock: Callable[[str], None]) -> None:
    clock("2027-03-10 12:00")
    past, now = date(2027, 3, 9), date(2027, 3, 10)
    late = {status: make_in(status, due_at=past).pk for status in STATUSES}
    make_project(due_at=now)
    make_project()
    assert ids(projects_api, "status=overdue&sort=created_at") == [late["planned"], late["active"], late["on_hold"]]


@pytest.mark.parametrize(("zone", "is_late"), [("Pacific/Kiritimati", True), ("UTC", False), ("Pacific/Honolulu", False)])
def test_the_day_is_that_of_the_site(projects_api: Api, clock: Callable[[str], None], zone: str, is_late: bool) -> None:
    """At 11:00 UTC it is already the next day on Kiritimati."""
    set_setting(key="site.timezone", value=zone)
    clock("2027-03-10 11:00")
    make_project(due_at=date(2027, 3, 10))
    assert bool(ids(projects_api, "status=overdue")) == is_late


@pytest.mark.both_databases
def test_the_filter_of_addresses(projects_api: Api) -> None:
    client = make_client(email="office@example.com")
    own = make_project()
    linked = make_project(client=client, client_email="")
    both = make_project(client=client, client_email="ruth@example.com")
    make_project(client=make_client(), client_email="")
    assert ids(projects_api, "email=DANA@example.com") == [own.pk]
    assert ids(projects_api, "email=Office@example.com") == [both.pk, linked.pk]
    assert ids(projects_api, "email=ruth@example.com") == [both.pk]
    assert ids(projects_api, "email=nobody@example.com") == []
    assert ids(projects_api, f"client_id={client.pk}") == [both.pk, linked.pk]
    assert ids(projects_api, f"client_id={client.pk}&email=ruth@example.com&status=planned") == [both.pk]
    assert ids(projects_api, "client_id=999999") == []


def test_since_is_of_the_creation(projects_api: Api) -> None:
    old, new = make_project(), make_project()
    Project.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=40))
    assert ids(projects_api, f"since={timezone.now() - timedelta(days=2):%Y-%m-%d}") == [new.pk]
    assert ids(projects_api, f"since={timezone.now() - timedelta(days=50):%Y-%m-%d}") == [new.pk, old.pk]


@pytest.mark.both_databases
def test_a_deleted_client_leaves_the_project(projects_api: Api) -> None:
    client = make_client()
    project = make_project(client=client)
    client.delete()
    found = projects_api.data(f"{LIST}/{project.pk}")
    assert (found["client_id"], found["client_email"]) == (None, "dana@example.com")
    assert reloaded(project).client is None


MALFORMED = ["status=late", "client_id=x", "client_id=0", "since=yesterday", "email=" + "a" * 255, "page=0", "sort=name"]


@pytest.mark.parametrize("query", MALFORMED)
def test_filters_that_are_malformed(projects_api: Api, query: str) -> None:
    answer = projects_api.get(f"{LIST}?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [query.partition("=")[0]])


def test_other_methods_are_refused(projects_api: Api) -> None:
    path = f"{LIST}/{make_project().pk}"
    answers: list[Any] = [projects_api.request(method, path, {}) for method in ("POST", "PATCH", "DELETE")]
    assert {answer.status_code for answer in [*answers, projects_api.post(LIST), projects_api.get(f"{path}/updates")]} == {405}
