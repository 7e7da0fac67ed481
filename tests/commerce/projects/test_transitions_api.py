"""Updates, milestones and completion over the API."""

from typing import Any

import pytest

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.crm.models import Activity
from commerce.crm.types import ActivityKind
from commerce.projects.models import Milestone, Project, ProjectUpdate
from tests.client import Api
from tests.commerce.shop.outcomes import emitted, kinds

from .builders import make_in, make_project, milestone, reloaded

STATUSES = ("planned", "active", "on_hold", "completed", "cancelled")


def complete(api: Api, project: Project, body: Any = None) -> Any:
    return api.post(f"/projects/{project.pk}/completion", body)


@pytest.mark.both_databases
def test_it_works(projects_api: Api) -> None:
    """A project is updated, its milestone ticked, and completed."""
    switch_feature(name="crm", on=True)
    project = make_project("Mural", "Sketch", "Paint")
    answer = projects_api.post(f"/projects/{project.pk}/updates", {"note": " It dries until Friday. "})
    update = answer.json()["data"]
    assert (answer.status_code, update["note"], update["is_public"]) == (201, "It dries until Friday.", True)
    answer = projects_api.post(f"/projects/{project.pk}/milestones/{milestone(project, 'Sketch').pk}")
    data = answer.json()["data"]
    assert (answer.status_code, data["progress_percent"]) == (200, 50)
    assert [each["completed"] for each in data["milestones"]] == [True, False]
    answer = complete(projects_api, project)
    data = answer.json()["data"]
    assert (answer.status_code, data["status"], data["progress_percent"]) == (200, "completed", 100)
    assert data == projects_api.data(f"/projects/{project.pk}")
    assert data["updates"] == [update]
    assert emitted("project.") == [("project.completed", data)]
    assert list(OutgoingMail.objects.order_by("pk").values_list("template", "recipient")) == [
        ("project_update", "dana@example.com"),
        ("project_milestone", "dana@example.com"),
    ]
    summaries = Activity.objects.filter(kind=ActivityKind.PROJECT).order_by("pk").values_list("summary", flat=True)
    assert list(summaries) == ["Project Mural created", "Project Mural completed"]


@pytest.mark.parametrize("status", STATUSES)
def test_a_project_of_any_status_is_completed(projects_api: Api, status: str) -> None:
    data = complete(projects_api, make_in(status), {"completed": True}).json()["data"]
    assert (data["status"], data["completed_at"] is None) == ("completed", False)
    assert kinds("project.") == ["project.completed"]


@pytest.mark.parametrize("status", STATUSES)
def test_only_a_completed_project_is_reopened(projects_api: Api, status: str) -> None:
    project = make_in(status)
    answer = complete(projects_api, project, {"completed": False})
    expected = "active" if status == "completed" else status
    assert (answer.status_code, answer.json()["data"]["status"]) == (200, expected)
    assert answer.json()["data"]["completed_at"] is None


@pytest.mark.both_databases
def test_completing_is_idempotent(projects_api: Api) -> None:
    project = make_project()
    first, second = (complete(projects_api, project).json() for _ in range(2))
    assert first == second
    assert kinds("project.") == ["project.completed"]
    reopened = [complete(projects_api, project, {"completed": False}).json() for _ in range(2)]
    assert reopened[0] == reopened[1]
    complete(projects_api, project)
    assert kinds("project.") == ["project.completed"] * 2


def test_an_internal_note_is_not_emailed(projects_api: Api) -> None:
    project = make_project()
    answer = projects_api.post(f"/projects/{project.pk}/updates", {"note": "Call the plasterer.", "is_public": False})
    assert (answer.status_code, answer.json()["data"]["is_public"]) == (201, False)
    assert not OutgoingMail.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "note"),
        ({"note": "  "}, "note"),
        ({"note": None}, "note"),
        ({"note": 7}, "note"),
        ({"note": "a" * 10_001}, "note"),
        ({"note": "a\0b"}, "note"),
        ({"note": "Text", "is_public": "perhaps"}, "is_public"),
    ],
)
def test_updates_that_are_refused(projects_api: Api, body: Any, field: str) -> None:
    answer = projects_api.post(f"/projects/{make_project().pk}/updates", body)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])
    assert not ProjectUpdate.objects.exists()


@pytest.mark.both_databases
def test_unknown_keys_are_named(projects_api: Api) -> None:
    answer = projects_api.post(f"/projects/{make_project().pk}/updates", {"note": "Text", "public": False})
    assert (answer.status_code, answer.json()["meta"]["ignored"]) == (201, ["public"])


def test_a_milestone_is_ticked_and_unticked(projects_api: Api) -> None:
    project = make_project("Mural", "Sketch", "Paint", "Varnish")
    path = f"/projects/{project.pk}/milestones/{milestone(project, 'Paint').pk}"
    for body, percent in (({"completed": "1"}, 33), ({}, 33), ({"completed": False}, 0), ({"completed": 0}, 0)):
        answer = projects_api.post(path, body)
        assert (answer.status_code, answer.json()["data"]["progress_percent"]) == (200, percent)
    assert OutgoingMail.objects.filter(template="project_milestone").count() == 1


def test_a_milestone_of_another_project_is_unknown(projects_api: Api) -> None:
    project, other = make_project("Mural", "Sketch"), make_project("Other", "Draft")
    for number in (milestone(other, "Draft").pk, 999_999):
        # Before the body is read.
        for body in ({}, {"completed": "perhaps"}):
            assert projects_api.post(f"/projects/{project.pk}/milestones/{number}", body).status_code == 404
    assert not Milestone.objects.filter(completed_at__isnull=False).exists()


@pytest.mark.parametrize("body", [{"completed": "perhaps"}, {"completed": 2}])
def test_completions_that_are_refused(projects_api: Api, body: Any) -> None:
    project = make_project("Mural", "Sketch")
    for part in ("completion", f"milestones/{milestone(project, 'Sketch').pk}"):
        answer = projects_api.post(f"/projects/{project.pk}/{part}", body)
        assert (answer.status_code, list(answer.json()["errors"])) == (422, ["completed"])
    assert reloaded(project).status == "planned"


def test_a_body_that_is_no_object_is_refused(projects_api: Api) -> None:
    path = f"/projects/{make_project().pk}"
    for part in ("updates", "completion"):
        for body in (b"[]", b"{", b"\xff"):
            assert projects_api.request("POST", f"{path}/{part}", body).status_code == 400
    assert projects_api.request("POST", f"{path}/updates", b"").status_code == 400
    assert projects_api.request("POST", f"{path}/completion", b"").status_code == 200


@pytest.mark.both_databases
def test_an_idempotency_key_adds_one_update(projects_api: Api) -> None:
    path = f"/projects/{make_project().pk}/updates"
    first, second = (projects_api.post(path, {"note": "Once"}, idempotency_key="k-1") for _ in range(2))
    assert (first.json(), second.headers["Idempotency-Replayed"]) == (second.json(), "true")
    assert (ProjectUpdate.objects.count(), OutgoingMail.objects.count()) == (1, 1)
