"""Projects on the admin's home, and the first step."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from commerce.projects.admin.cards import add_project, create, projects
from commerce.projects.selectors import today
from tests import people

from .builders import make_in, make_project


@pytest.mark.both_databases
def test_it_works() -> None:
    make_project(due_at=today() - timedelta(days=1))
    make_in("on_hold", due_at=today())
    make_in("completed", due_at=today() - timedelta(days=9))
    request = people.request_by(people.alice())
    list(projects(request))
    with CaptureQueriesContext(connection) as statements:
        overdue, open_projects = projects(request)
    assert len(statements) == 2
    assert (overdue.count, overdue.url) == (1, "/admin/projects/?status=overdue")
    assert (open_projects.text, open_projects.url) == ("2", "/admin/projects/?status=open")


def test_the_first_step_is_ticked() -> None:
    request = people.request_by(people.alice())
    for done in (False, True):
        step = add_project(request)
        assert step.done is done
        make_project()
    assert create(request).url == "/admin/projects/new/"
