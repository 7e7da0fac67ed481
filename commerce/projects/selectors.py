"""Reads of projects."""

from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse

from cms_api.accounts.selectors import confirmed_address
from cms_api.core.records import filter_given
from cms_api.http.signed_links import SignedLink
from cms_api.text.search import matching
from commerce.common.types import email_key
from commerce.invoicing.selectors.clients import clients
from commerce.invoicing.selectors.invoices import today

from .models import Project, ProjectFile, ProjectUpdate
from .types import OPEN, OPEN_STATUSES, OVERDUE

#: The page that clients get by email.
PROJECT_LINK = SignedLink("projects.project", Project, view="project_page")


def projects(
    *,
    status: str | None = None,
    email: str | None = None,
    client_id: int | None = None,
    since: datetime | None = None,
    search: str = "",
) -> QuerySet[Project]:
    """Return projects with their clients and milestones; `status` may be `open` or `overdue`, `since` is of their creation."""
    found = Project.objects.select_related("client").prefetch_related("milestones")
    if status is not None:
        found = of_status(found, status)
    if email is not None:
        found = of_address(found, email)
    found = filter_given(found, client=client_id, created_at__gte=since)
    return matching(found, search) if search.strip() else found


def of_status(found: QuerySet[Project], status: str) -> QuerySet[Project]:
    """Return those of a status, the `open` ones, or the `overdue` ones."""
    if status == OPEN:
        return found.filter(status__in=OPEN_STATUSES)
    if status == OVERDUE:
        return found.filter(status__in=OPEN_STATUSES, due_at__lt=today())
    return found.filter(status=status)


def of_address(found: QuerySet[Project], email: str) -> QuerySet[Project]:
    """Return those with this address, and those of clients with this address."""
    key = email_key(email)
    own = Project.objects.filter(client_email=key).order_by()
    of_clients = Project.objects.filter(client__in=clients().filter(email=key).order_by().values("pk")).order_by()
    # Two look-ups in indexes; one condition with "or" would read every project.
    return found.filter(pk__in=own.values("pk").union(of_clients.values("pk")))


def projects_of(user: Any) -> QuerySet[Project]:
    """Return the projects of an account's confirmed address."""
    address = confirmed_address(user)
    return of_address(projects(), address) if address else Project.objects.none()


def is_overdue(project: Project) -> bool:
    return project.is_open and project.due_at is not None and project.due_at < today()


def public_updates(project: Project) -> QuerySet[ProjectUpdate]:
    """Return the updates that the client may see, latest first."""
    return ProjectUpdate.objects.filter(project=project, is_public=True)


def public_files(project: Project) -> QuerySet[ProjectFile]:
    """Return the files that the client may download, latest first."""
    return ProjectFile.objects.filter(project=project, is_public=True)


def assignable() -> QuerySet[User]:
    """Return the users who may be in charge of projects."""
    users: Any = get_user_model()._default_manager
    backend = "django.contrib.auth.backends.ModelBackend"
    return users.with_perm("projects.change_project", backend=backend).order_by("first_name", "last_name", "pk")


def admin_url(pk: int) -> str:
    """Return the path of a project's page in the admin."""
    return reverse("projects:inspect", args=[pk])
