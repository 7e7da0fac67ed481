"""The page of a project, found by the signed link in emails, and the projects of an account. They show nothing internal."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from cms_api.http.downloads import download
from commerce.common.views import RECORDS_PER_PAGE, account_records

from .models import Project
from .resources import standing
from .selectors import PROJECT_LINK, is_overdue, projects, projects_of, public_files, public_updates, today


@require_safe
def show_project(request: HttpRequest, token: str) -> HttpResponse:
    project = PROJECT_LINK.get(projects(), token)
    context = {
        "project": project,
        "token": token,
        "standing": standing(project),
        "is_overdue": is_overdue(project),
        "percent": project.percent,
        "milestones": project.milestones.all(),
        "page": Paginator(public_updates(project), RECORDS_PER_PAGE).get_page(request.GET.get("page")),
        "files": public_files(project),
        "needed": project.needed if project.is_open else "",
        "today": today(),
    }
    return render(request, "projects/project.html", context)


@require_safe
def project_file(request: HttpRequest, token: str, file: int) -> HttpResponseBase:
    """A public file of the project, as a download."""
    found = get_object_or_404(public_files(PROJECT_LINK.get(projects(), token)), pk=file)
    return download(request, found.file, found.filename)


@login_required
@require_safe
def account_projects(request: HttpRequest) -> HttpResponse:
    """The projects of the signed-in visitor's address, newest first."""

    def row(project: Project) -> tuple[Any, ...]:
        return project.name, PROJECT_LINK.path(project), project.created_at, f"{project.percent}%", standing(project)

    return account_records(request, "projects/account_projects.html", projects_of(request.user), row)
