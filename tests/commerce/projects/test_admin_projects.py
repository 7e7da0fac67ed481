"""Projects in the admin: the list, forms, the page of one with its panels, and people who are kept out."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from wagtail.test.utils.form_data import nested_form_data, streamfield

from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.projects.admin.forms import block_id
from commerce.projects.models import Milestone, Project, ProjectFile, ProjectUpdate
from commerce.projects.selectors import PROJECT_LINK, today
from commerce.projects.services import add_update
from tests import people
from tests.commerce.invoicing.builders import make_client

from .builders import make_file, make_in, make_project, milestone, reloaded, tick, upload

PROJECTS = "/admin/projects/"


def posted(*rows: dict[str, str], **changes: Any) -> dict[str, Any]:
    """The fields of the form; a row of a milestone has `title`, `due_at` and, if it exists, `id`."""
    blocks = [("milestone", {"title": row["title"], "due_at": row.get("due_at", "")}) for row in rows]
    stream = streamfield(blocks)
    values = nested_form_data({"milestone_rows": stream})
    for place, row in enumerate(rows):
        values[f"milestone_rows-{place}-id"] = row.get("id", "")
    plain = {
        **{"name": "Mural", "description": "", "status": "planned", "started_at": "", "due_at": "", "assigned_to": ""},
        **{"client": "", "client_name": "", "client_email": "", "needed": "", "progress": "0"},
    }
    return {**plain, **values, **changes}


def inspected(client: Client, project: Project) -> str:
    answer = client.get(f"{PROJECTS}inspect/{project.pk}/")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def user_of(client: Client) -> Any:
    return User.objects.get(pk=client.session["_auth_user_id"])


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    client = make_client("Reyes Ceramics", email="office@example.com")
    rows = ({"title": "Sketch", "due_at": "2026-03-01"}, {"title": "Paint"})
    values = posted(*rows, client=str(client.pk), due_at="2026-03-06", needed="Your logo", status="active")
    assert admin_client.post(f"{PROJECTS}new/", values).status_code == 302
    project = Project.objects.get()
    assert (project.name, project.status, project.client, project.due_at) == ("Mural", "active", client, date(2026, 3, 6))
    assert list(project.milestones.values_list("title", "due_at", "position")) == [
        ("Sketch", date(2026, 3, 1), 1),
        ("Paint", None, 2),
    ]
    page = inspected(admin_client, project)
    for words in ("Active · Overdue", "0% · 0 of 2 milestones", "Reyes Ceramics", "office@example.com", "Overdue since"):
        assert words in page, words
    assert PROJECT_LINK.path(project) in page


def test_the_dates_of_milestones_are_typed_as_in_the_country_of_the_site(admin_client: Client) -> None:
    set_setting(key="site.country", value="DE")
    values = posted({"title": "Sketch", "due_at": "31.12.2026"}, {"title": "Paint", "due_at": "2026-12-30"})
    assert admin_client.post(f"{PROJECTS}new/", values).status_code == 302
    rows = list(Project.objects.get().milestones.values_list("due_at", flat=True))
    assert rows == [date(2026, 12, 31), date(2026, 12, 30)]
    wrong = admin_client.post(f"{PROJECTS}new/", posted({"title": "Sketch", "due_at": "12/31/2026"}))
    assert "Enter a date such as 31/12/2026 or 2026-12-31." in wrong.content.decode()


def test_milestones_are_moved_renamed_and_removed(admin_client: Client) -> None:
    project = make_project("Mural", "Sketch", "Paint", "Varnish")
    tick(project, "Sketch")
    sketch, paint = milestone(project, "Sketch"), milestone(project, "Paint")
    page = admin_client.get(f"{PROJECTS}edit/{project.pk}/")
    assert block_id(sketch) in page.content.decode()
    assert "status" not in page.context["form"].fields
    rows = ({"title": "First coat", "id": block_id(paint)}, {"title": "Frame"}, {"title": "Sketch", "id": block_id(sketch)})
    admin_client.post(f"{PROJECTS}edit/{project.pk}/", posted(*rows, client_email="dana@example.com"))
    assert list(Milestone.objects.filter(project=project).values_list("pk", "title")) == [
        (paint.pk, "First coat"),
        (Milestone.objects.get(title="Frame").pk, "Frame"),
        (sketch.pk, "Sketch"),
    ]
    assert milestone(project, "Sketch").is_completed


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        (
            {"name": "", "client_email": "nobody", "progress": "101", "client": "999999"},
            {"name", "client_email", "progress", "client"},
        ),
        ({"started_at": "2026-03-02", "due_at": "2026-03-01"}, {"due_at"}),
        ({"due_at": "0001-01-01", "assigned_to": "99999", "status": "completed"}, {"assigned_to", "status"}),
        ({"name": "a\0"}, {"name"}),
    ],
)
def test_refusals_are_shown_at_their_fields(changes: dict[str, str], fields: set[str], admin_client: Client) -> None:
    answer = admin_client.post(f"{PROJECTS}new/", posted(**changes))
    assert answer.status_code == 200
    assert set(answer.context["form"].errors) == fields


def test_a_milestone_without_a_title_is_refused(admin_client: Client) -> None:
    answer = admin_client.post(f"{PROJECTS}new/", posted({"title": "One"}, {"title": " "}))
    assert (answer.status_code, set(answer.context["form"].errors)) == (200, {"milestone_rows"})
    answer = admin_client.post(f"{PROJECTS}new/", posted({"title": "One", "due_at": "0001-01-01"}))
    assert (answer.status_code, set(answer.context["form"].errors)) == (200, {"milestone_rows"})
    assert not Project.objects.exists()


@pytest.mark.both_databases
def test_the_list_filters_searches_and_exports(admin_client: Client) -> None:
    alice = user_of(admin_client)
    client = make_client("Reyes Ceramics", email="office@example.com")
    late = make_in("active", due_at=today() - timedelta(days=1), client=client, assigned_to=alice)
    planned = make_project("=1+1", "Sketch", client_email="ruth@example.com")
    ended = make_in("completed")

    def shown(**query: str) -> set[int]:
        answer = admin_client.get(PROJECTS, query)
        assert answer.status_code == 200
        return {each.pk for each in answer.context["object_list"]}

    assert shown() == {late.pk, planned.pk, ended.pk}
    assert shown(status="open") == {late.pk, planned.pk}
    assert shown(status="overdue") == shown(client=str(client.pk)) == shown(assigned_to=str(alice.pk)) == {late.pk}
    assert shown(email="OFFICE@example.com") == {late.pk}
    assert shown(status="completed") == {ended.pk}
    assert shown(due_at_to=str(today())) == {late.pk}
    assert shown(created_at_from=str(today() - timedelta(days=2))) == {late.pk, planned.pk, ended.pk}
    assert shown(q="ruth") == {planned.pk}
    for hostile in (
        {"status": "\0"},
        {"client": "9" * 30},
        {"q": "\0"},
        {"email": "\0"},
        {"due_at_from": "0001-01-01"},
        {"p": "x"},
    ):
        assert admin_client.get(PROJECTS, hostile).status_code == 200
    page = admin_client.get(PROJECTS).content.decode()
    for words in ("Overdue", "0 of 1 milestones", "Reyes Ceramics", "ruth@example.com"):
        assert words in page, words
    lines = admin_client.get(PROJECTS, {"export": "csv", "status": "planned"}).getvalue().decode().splitlines()
    assert lines[0].startswith("Project,Status,Progress,Client,Email,Assigned to,Start date,Due date,Completed,")
    assert lines[1].startswith("'=1+1,planned,0,Dana Reyes,ruth@example.com,")


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    client, alice = make_client(), user_of(admin_client)

    def statements() -> int:
        tick(make_project("Mural", "Sketch", client=client, assigned_to=alice), "Sketch")
        admin_client.get(PROJECTS)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(PROJECTS).status_code == 200
        return len(caught)

    few = statements()
    statements()
    assert statements() <= few


OFFERED = {
    "planned": {"complete", "start", "pause", "cancel"},
    "active": {"complete", "pause", "cancel"},
    "on_hold": {"complete", "resume", "cancel"},
    "completed": {"reopen"},
    "cancelled": {"reopen"},
}
LEADS = {
    "complete": "completed",
    "start": "active",
    "resume": "active",
    "pause": "on_hold",
    "cancel": "cancelled",
    "reopen": "active",
}


@pytest.mark.parametrize("status", OFFERED)
def test_buttons_are_offered_where_they_work(status: str, admin_client: Client) -> None:
    project = make_in(status)
    page = inspected(admin_client, project)
    assert {action for action in LEADS if f"{PROJECTS}{action}/{project.pk}/" in page} == OFFERED[status]
    for action in LEADS:
        admin_client.post(f"{PROJECTS}{action}/{project.pk}/")
        expected = LEADS[action] if action in OFFERED[status] else status
        assert reloaded(project).status == expected
        Project.objects.filter(pk=project.pk).update(status=status, completed_at=project.completed_at)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("complete", ["completed"] * 3),
        ("pause", ["on_hold", "completed", "cancelled"]),
        ("cancel", ["cancelled", "completed", "cancelled"]),
    ],
)
def test_many_are_moved_at_once(action: str, expected: list[str], admin_client: Client) -> None:
    made = [make_in(status) for status in ("active", "completed", "cancelled")]
    address = f"/admin/bulk/projects/project/{action}/?{'&'.join(f'id={each.pk}' for each in made)}&next={PROJECTS}"
    assert admin_client.get(address).status_code == 200
    assert admin_client.post(address).status_code == 302
    assert [reloaded(each).status for each in made] == expected


def test_milestones_are_ticked(admin_client: Client) -> None:
    project = make_project("Mural", "Sketch", "Paint")
    found = milestone(project, "Sketch")
    tick_path, untick_path = (f"{PROJECTS}milestones/{action}/{found.pk}/" for action in ("tick", "untick"))
    assert tick_path in inspected(admin_client, project)
    for _ in range(2):
        answer = admin_client.post(tick_path)
        assert answer.headers["Location"] == f"{PROJECTS}inspect/{project.pk}/"
    page = inspected(admin_client, project)
    assert untick_path in page
    assert tick_path not in page
    for words in ("50% · 1 of 2 milestones", "“Sketch” is done"):
        assert words in page
    admin_client.post(untick_path)
    assert reloaded(project).percent == 0
    assert OutgoingMail.objects.count() == 1
    assert admin_client.post(f"{PROJECTS}milestones/tick/999999/").status_code == 404


def test_updates_and_notes(admin_client: Client) -> None:
    project = make_project()
    path = f"{PROJECTS}add-update/{project.pk}/"
    assert "It is emailed to dana@example.com." in inspected(admin_client, project)
    admin_client.post(path, {"note": "It dries until Friday.", "is_public": "on"})
    admin_client.post(path, {"note": "Call the plasterer.\nToday."})
    assert list(ProjectUpdate.objects.values_list("note", "is_public")) == [
        ("Call the plasterer.\nToday.", False),
        ("It dries until Friday.", True),
    ]
    assert OutgoingMail.objects.count() == 1
    page = inspected(admin_client, project)
    for words in ("It dries until Friday.", "Call the plasterer.<br>Today.", "Public", "Internal", "Added an internal note"):
        assert words in page, words
    for wrong in ({"note": ""}, {"note": "a\0"}, {"note": "a" * 10_001}):
        assert admin_client.post(path, wrong).status_code == 422
    update = ProjectUpdate.objects.get(is_public=False)
    remove = f"{PROJECTS}updates/delete/{update.pk}/"
    assert "Call the plasterer." in admin_client.get(remove).content.decode()
    admin_client.post(remove)
    assert ProjectUpdate.objects.get().is_public
    assert admin_client.post(remove).status_code == 404


def test_updates_have_pages(admin_client: Client) -> None:
    project = make_project()
    for number in range(21):
        add_update(project=project, note=f"News {number}.", is_public=False)
    page = inspected(admin_client, project)
    assert "News 20." in page
    assert "News 0." not in page
    assert "News 0." in admin_client.get(f"{PROJECTS}inspect/{project.pk}/?p=2").content.decode()
    assert admin_client.get(f"{PROJECTS}inspect/{project.pk}/?p=\0").status_code == 200


def test_files(admin_client: Client) -> None:
    project = make_project()
    path = f"{PROJECTS}add-file/{project.pk}/"
    assert 'enctype="multipart/form-data"' in admin_client.get(path).content.decode()
    admin_client.post(path, {"file": upload("Plan.pdf"), "is_public": "on"})
    file = ProjectFile.objects.get()
    assert (file.filename, file.is_public, file.author) == ("Plan.pdf", True, user_of(admin_client))
    assert "Uploaded Plan.pdf" in inspected(admin_client, project)
    answer: Any = admin_client.get(f"{PROJECTS}files/{file.pk}/")
    assert b"".join(answer.streaming_content) == b"%PDF-1.7 plan"
    for wrong in ({}, {"file": "text"}, {"file": upload(content=b"")}):
        assert admin_client.post(path, wrong).status_code == 422
    admin_client.post(f"{PROJECTS}files/delete/{file.pk}/")
    assert not ProjectFile.objects.exists()
    assert admin_client.get(f"{PROJECTS}files/{file.pk}/").status_code == 404


def test_clients_are_chosen_and_created_while_invoicing_is_off(admin_client: Client) -> None:
    chooser = f"{PROJECTS}clients/choose/"
    found = make_client("Reyes Ceramics")
    assert "Reyes Ceramics" in admin_client.get(f"{chooser}results/", {"q": "reyes"}).content.decode()
    assert "Reyes Ceramics" not in admin_client.get(f"{chooser}results/", {"q": "nobody"}).content.decode()
    for hostile in ("\0", "%", "a" * 5000):
        assert admin_client.get(f"{chooser}results/", {"q": hostile}).status_code == 200
    assert admin_client.get(f"{chooser}chosen/{found.pk}/").json()["result"]["title"] == "Reyes Ceramics"
    answer = admin_client.post(
        f"{chooser}create/", {"project_client_chooser-create-name": "New", "name": "Hale", "email": "ida@example.com"}
    )
    assert answer.status_code == 200


def test_the_client_is_a_link_while_invoicing_is_on(admin_client: Client) -> None:
    client = make_client("Reyes Ceramics")
    project = make_project(client=client)
    link = f"/admin/invoices/clients/inspect/{client.pk}/"
    assert link not in inspected(admin_client, project)
    switch_feature(name="invoicing", on=True)
    assert link in inspected(admin_client, project)


def test_a_project_is_deleted(admin_client: Client) -> None:
    project = make_project()
    assert "files are deleted too" in admin_client.get(f"{PROJECTS}delete/{project.pk}/").content.decode()
    admin_client.post(f"{PROJECTS}delete/{project.pk}/")
    assert not Project.objects.exists()


def test_people_who_are_kept_out(client: Client) -> None:
    project = make_project("Mural", "Sketch")
    file, step, note = make_file(project), milestone(project, "Sketch"), add_update(project=project, note="News")
    pages = (
        *("", "new/", f"inspect/{project.pk}/", f"edit/{project.pk}/", f"add-update/{project.pk}/", f"add-file/{project.pk}/"),
        *(f"files/{file.pk}/", f"updates/delete/{note.pk}/", f"files/delete/{file.pk}/", "clients/choose/"),
    )
    client.force_login(people.bob())
    for page in pages:
        assert client.get(PROJECTS + page).status_code in {302, 403}, page
    client.post(f"{PROJECTS}milestones/tick/{step.pk}/")
    client.post(f"{PROJECTS}complete/{project.pk}/")
    assert (reloaded(project).status, milestone(project, "Sketch").is_completed) == ("planned", False)
    client.force_login(people.mallory_manager())
    for page in pages:
        answer = client.get(PROJECTS + page)
        assert answer.status_code == 200, page
        if hasattr(answer, "streaming_content"):
            b"".join(answer.streaming_content)
