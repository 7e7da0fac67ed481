"""Many at once: a project is completed once, and a milestone is announced once."""

from collections import Counter
from functools import partial

import pytest

from cms_api.mail.models import OutgoingMail
from commerce.marketing.models import Enrolment
from commerce.projects.models import Milestone, Project
from commerce.projects.services import complete_project, reopen_project, save_project, statuses, tick_milestone
from tests.client import Api, together
from tests.commerce.shop.outcomes import kinds
from tests.unprotected import meet_before, without_transactions

from .builders import make_project, milestone, reloaded
from .sequences import make_sequence, subscribe

pytestmark = pytest.mark.django_db(transaction=True)

THREADS, CLIENTS = 6, 20


def test_it_works(projects_api: Api) -> None:
    """Twenty requests complete a project once."""
    make_sequence("after")
    subscribe("dana@example.com")
    project = make_project()
    # Makes the document that answers are compared with.
    projects_api.data(f"/projects/{project.pk}")
    answers = together(lambda number: projects_api.post(f"/projects/{project.pk}/completion").json()["data"], CLIENTS)
    assert {answer["completed_at"] for answer in answers} == {answers[0]["completed_at"]}
    assert (kinds("project."), Enrolment.objects.count()) == (["project.completed"], 1)


def test_a_milestone_is_announced_once() -> None:
    found = milestone(make_project("Mural", "Sketch"), "Sketch")
    changed = together(lambda number: tick_milestone(milestone=found), CLIENTS)
    assert Counter(changed) == {True: 1, False: CLIENTS - 1}
    assert OutgoingMail.objects.count() == 1


def test_completing_and_reopening_leave_a_project_whole() -> None:
    project = make_project()
    works = [partial(complete_project, project=project), partial(reopen_project, project=project)]
    changed = together(lambda number: works[number % 2](), CLIENTS)
    completed = sum(changed[::2])
    assert kinds("project.") == ["project.completed"] * completed
    found = reloaded(project)
    assert completed - sum(changed[1::2]) == (found.status == "completed") == (found.completed_at is not None)


def test_editing_does_not_undo_a_completion() -> None:
    """A form that was opened before sends no status."""
    project = make_project()
    works = [partial(complete_project, project=project), *(partial(save_project, project=project, values={"name": "New"}),) * 5]
    together(lambda number: works[number](), THREADS)
    found = reloaded(project)
    assert (found.status, found.name) == ("completed", "New")


def test_control_without_the_lock_it_is_completed_often(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project()
    without_transactions(monkeypatch)
    meet_before(monkeypatch, statuses, "_enrol", threads=THREADS)
    changed = together(lambda number: complete_project(project=project), THREADS)
    assert (sum(changed), len(kinds("project."))) == (THREADS, THREADS)
    assert Project.objects.get().status == "completed"


def test_control_without_the_lock_a_milestone_is_announced_often(monkeypatch: pytest.MonkeyPatch) -> None:
    found = milestone(make_project("Mural", "Sketch"), "Sketch")
    without_transactions(monkeypatch)
    meet_before(monkeypatch, Milestone, "save", threads=THREADS)
    together(lambda number: tick_milestone(milestone=found), THREADS)
    assert OutgoingMail.objects.count() == THREADS
