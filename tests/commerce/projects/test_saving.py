"""Projects and their milestones are created, changed and deleted by the services."""

from datetime import date
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from cms_api.core.not_found import NotFound
from commerce.projects.models import Milestone, Project, private_files
from commerce.projects.selectors import projects
from commerce.projects.services import (
    activate_project,
    add_update,
    cancel_project,
    complete_project,
    delete_project,
    pause_project,
    reopen_project,
    save_project,
    tick_milestone,
)
from tests import people
from tests.commerce.booking.builders import refusals
from tests.commerce.invoicing.builders import make_client

from .builders import make_file, make_in, make_project, milestone, reloaded, tick


def titles(project: Project) -> list[tuple[str, int, bool]]:
    return [(each.title, each.position, each.is_completed) for each in Milestone.objects.filter(project=project)]


@pytest.mark.both_databases
def test_it_works() -> None:
    alice = people.alice()
    values = {"assigned_to": alice, "needed": "Your logo", "progress": 30, "status": "active"}
    project = reloaded(make_project(" Mural ", client_email=" Dana@Example.com ", **values))
    assert (project.name, project.client_email, project.status) == ("Mural", "dana@example.com", "active")
    assert (project.assigned_to, project.needed, project.percent) == (alice, "Your logo", 30)
    save_project(project=project, values={"progress": 60})
    changed = reloaded(project)
    assert (changed.name, changed.percent, changed.updated_at > project.updated_at) == ("Mural", 60, True)
    assert list(projects(search="mur dana")) == [project]
    assert list(projects(search="fresco")) == []


def test_the_client_stands_in_for_what_is_not_given() -> None:
    client = make_client("Reyes Ceramics", contact_name="Dana Reyes", email="office@example.com")
    project = make_project(client=client, client_email="", client_name="")
    assert (project.email, project.person, project.client_label) == ("office@example.com", "Dana Reyes", "Reyes Ceramics")
    save_project(project=project, values={"client_email": "dana@example.com", "client_name": "D. Reyes"})
    assert (reloaded(project).email, reloaded(project).person) == ("dana@example.com", "D. Reyes")
    assert list(projects(search="ceramics")) == [project]


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"name": ""}, "name"),
        ({"name": "a" * 151}, "name"),
        ({"name": "two\nlines"}, "name"),
        ({"client_email": "nobody"}, "client_email"),
        ({"client_name": "a" * 201}, "client_name"),
        ({"description": "a" * 10_001}, "description"),
        ({"needed": "a\0"}, "needed"),
        ({"progress": 101}, "progress"),
        ({"progress": -1}, "progress"),
        ({"status": "completed"}, "status"),
        ({"status": "late"}, "status"),
        ({"started_at": date(2026, 3, 2), "due_at": date(2026, 3, 1)}, "due_at"),
        ({"due_at": date(9999, 1, 1)}, "due_at"),
        ({"milestones": [{"title": "One"}, {"title": " "}]}, "milestones.1.title"),
        ({"milestones": [{"title": "One", "due_at": date(1, 1, 1)}]}, "milestones.0.due_at"),
        ({"milestones": [{"title": "One"}] * 101}, "milestones"),
    ],
)
def test_refusals(values: dict[str, Any], path: str) -> None:
    assert list(refusals(lambda: make_project(**{"name": "Mural", **values}))) == [path]
    assert not Project.objects.exists()


@pytest.mark.both_databases
def test_unknown_clients_and_people_are_refused() -> None:
    client, stranger = make_client(), people.charlie()
    gone = type(client)(pk=client.pk)
    client.delete()
    assert list(refusals(lambda: make_project(client=gone, assigned_to=stranger))) == ["client", "assigned_to"]


def test_milestones_keep_their_identity() -> None:
    project = make_project("Mural", "Sketch", "Paint", "Varnish")
    tick(project, "Sketch", "Varnish")
    other = milestone(make_project("Other", "Foreign"), "Foreign")
    ids = {each.title: each.pk for each in Milestone.objects.filter(project=project)}
    rows = [
        {"id": ids["Varnish"], "title": "Two coats of varnish", "due_at": date(2026, 3, 1)},
        {"title": "Frame"},
        {"id": ids["Sketch"], "title": "Sketch"},
        {"id": other.pk, "title": "Foreign id"},
    ]
    save_project(project=project, values={"milestones": rows})
    assert titles(project) == [
        ("Two coats of varnish", 1, True),
        ("Frame", 2, False),
        ("Sketch", 3, True),
        ("Foreign id", 4, False),
    ]
    assert milestone(project, "Two coats of varnish").pk == ids["Varnish"]
    assert Milestone.objects.get(pk=other.pk).project_id == other.project_id
    with pytest.raises(NotFound):
        tick_milestone(milestone=Milestone(pk=ids["Paint"], project=project))
    save_project(project=project, values={"milestones": []})
    assert titles(project) == []


MOVES = {
    "start": (activate_project, {"planned": "active", "on_hold": "active", "active": None}),
    "pause": (pause_project, {"planned": "on_hold", "active": "on_hold", "on_hold": None}),
    "cancel": (cancel_project, {"planned": "cancelled", "active": "cancelled", "on_hold": "cancelled", "cancelled": None}),
    "reopen": (
        reopen_project,
        {"completed": "active", "cancelled": "active", "planned": None, "active": None, "on_hold": None},
    ),
    "complete": (
        complete_project,
        {"planned": "completed", "active": "completed", "on_hold": "completed", "cancelled": "completed", "completed": None},
    ),
}


@pytest.mark.parametrize("move", MOVES)
def test_moves(move: str) -> None:
    """To where each status leads; none is unchanged, and one that is not named is refused."""
    service, leads = MOVES[move]
    for status in ("planned", "active", "on_hold", "completed", "cancelled"):
        project = make_in(status)
        if status not in leads:
            assert list(refusals(lambda project=project: service(project=project))) == ["status"]
            continue
        assert service(project=project) is (leads[status] is not None)
        assert reloaded(project).status == leads[status] or status


def test_completed_at_is_kept_and_lost() -> None:
    project = make_in("completed")
    complete_project(project=project)
    assert reloaded(project).completed_at == project.completed_at
    reopen_project(project=project)
    assert reloaded(project).completed_at is None


@pytest.mark.django_db(transaction=True)
def test_a_deleted_project_takes_everything_along() -> None:
    project = make_project("Mural", "Sketch")
    add_update(project=project, note="News")
    name = make_file(project).file.name
    assert private_files().exists(name)
    delete_project(project=project)
    assert not private_files().exists(name)
    assert not Project.objects.exists()
    for late in (lambda: add_update(project=project, note="Late"), lambda: complete_project(project=project)):
        with pytest.raises(NotFound):
            late()


@pytest.mark.parametrize("values", [{"status": "completed"}, {"completed_at": timezone.now()}, {"progress": 101}])
@pytest.mark.both_databases
def test_the_database_refuses_contradictions(values: dict[str, Any]) -> None:
    project = make_project()
    with pytest.raises(IntegrityError), transaction.atomic():
        Project.objects.filter(pk=project.pk).update(**values)
