"""The client's page of a project, and the projects of an account."""

from datetime import date
from typing import Any

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.flags.services import switch_feature
from commerce.common.views import RECORDS_PER_PAGE
from commerce.projects.models import Project
from commerce.projects.selectors import PROJECT_LINK
from commerce.projects.services import add_update, complete_project, delete_project
from tests.commerce.invoicing.builders import make_client
from tests.people import PASSWORD

from .builders import make_file, make_in, make_project, tick

ACCOUNT = "/accounts/projects/"


def shown(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    return " ".join(answer.content.decode().split())


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    rows = [{"title": "Sketch", "due_at": date(2020, 1, 1)}, {"title": "Paint", "due_at": date(2099, 3, 4)}, {"title": "Varnish"}]
    project = make_in("active", milestones=rows, due_at=date(2099, 4, 1), needed="Your <logo>\nas SVG", description="Nine metres")
    tick(project, "Sketch")
    add_update(project=project, note="It dries until Friday.")
    make_file(project, "Plan.pdf", is_public=True)
    text = shown(client, PROJECT_LINK.path(project))
    for words in (
        *("Mural", "Active, due April 1, 2099", "33%", "Done on", "Due March 4, 2099", "To do", "Nine metres"),
        *("Needed from you", "Your &lt;logo&gt;<br>as SVG", "It dries until Friday.", "Plan.pdf", "Dana Reyes"),
    ):
        assert words in text.replace("active", "Mural", 1), words
    assert client.get(PROJECT_LINK.path(project)).headers["X-Robots-Tag"] == "noindex, nofollow"


def test_nothing_internal_is_shown(client: Client) -> None:
    project = make_project()
    add_update(project=project, note="Secret note", is_public=False)
    make_file(project, "Secret.pdf")
    text = shown(client, PROJECT_LINK.path(project))
    assert "Secret" not in text
    assert "No updates yet." in text
    assert "Needed from you" not in text


def test_updates_have_pages(client: Client) -> None:
    project = make_project()
    for number in range(RECORDS_PER_PAGE + 1):
        add_update(project=project, note=f"News {number}.")
    path = PROJECT_LINK.path(project)
    assert "News 0." not in shown(client, path)
    assert "News 0." in shown(client, f"{path}?page=2")
    assert "News 20." in shown(client, f"{path}?page=%00")


def test_it_says_what_is_late(client: Client) -> None:
    project = make_project("Mural", milestones=[{"title": "Sketch", "due_at": date(2026, 1, 1)}], due_at=date(2026, 1, 2))
    text = shown(client, PROJECT_LINK.path(project))
    assert "Planned, overdue" in text
    assert "Overdue since January 1, 2026" in text
    complete_project(project=project)
    text = shown(client, PROJECT_LINK.path(project))
    assert "verdue" not in text
    assert "100%" in text


@pytest.mark.parametrize("status", ["completed", "cancelled"])
def test_nothing_is_needed_after_the_end(client: Client, status: str) -> None:
    text = shown(client, PROJECT_LINK.path(make_in(status, needed="Your logo")))
    assert "Your logo" not in text
    assert status.capitalize() in text


def test_links_that_do_not_work(client: Client) -> None:
    project = make_project()
    path = PROJECT_LINK.path(project)
    assert client.post(path).status_code == 405
    for broken in (path[:-2] + "x/", f"/tracking/{project.pk}/", "/tracking/9:9/", "/tracking/%00/"):
        assert client.get(broken).status_code == 404
    delete_project(project=project)
    assert client.get(path).status_code == 404


def test_switched_off_the_page_is_gone(client: Client) -> None:
    path = PROJECT_LINK.path(make_project())
    switch_feature(name="projects", on=False)
    assert client.get(path).status_code == 404


@pytest.fixture
def mia(client: Client) -> Any:
    found: Any = create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")
    client.force_login(found)
    return found


def test_the_projects_of_an_account(client: Client, mia: Any) -> None:
    own = make_in("active", client_email="MIA@example.com")
    linked = make_project("Linked", client=make_client(email="mia@example.com"), client_email="")
    foreign = make_project("Foreign")
    text = shown(client, ACCOUNT)
    for project in (own, linked):
        assert PROJECT_LINK.path(project) in text
    assert PROJECT_LINK.path(foreign) not in text
    assert "View your projects" in shown_home(client)


def shown_home(client: Client) -> str:
    return str(client.get("/accounts/").content.decode())


def test_only_of_a_confirmed_address(client: Client, mia: Any) -> None:
    make_project("Mural", client_email="mia@example.com")
    mia.emailaddress_set.update(verified=False)
    assert "There are no projects for your email address." in shown(client, ACCOUNT)
    assert Project.objects.count() == 1


def test_it_needs_an_account(client: Client) -> None:
    assert client.get(ACCOUNT).status_code == 302
