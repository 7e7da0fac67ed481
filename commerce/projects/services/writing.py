"""Creates, changes and deletes projects."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import ErrorCollector, invalid_choice
from cms_api.core.records import set_values, store_record
from cms_api.http.renewing import end_links, renew_link
from cms_api.media.services.private import delete_after_commit
from commerce.common.services.checks import check_line, check_text, check_whole
from commerce.common.types import MAX_NAME, read_email
from commerce.invoicing.selectors.clients import clients

from ..models import Project, private_files
from ..selectors import assignable
from ..types import COMPLETED_PERCENT, MAX_TEXT, MAX_TITLE, OPEN_STATUSES
from . import notices
from .checks import check_day
from .locking import lock_project
from .milestones import check_milestones, write_milestones

ATTRIBUTES = ("name", "description", "client_name", "started_at", "due_at", "progress", "needed")


@transaction.atomic
def save_project(*, values: Mapping[str, Any], project: Project | None = None, user: Any = None) -> Project:
    """Create or change a project; values not given are unchanged.

    Besides `ATTRIBUTES`, `values` may have `client` and `assigned_to` (records or None), `client_email`, `milestones` (each with
    `title`, `due_at` and, if it exists, `id`) and, for a new project, an open `status`. Raises Invalid by attribute, and by
    path for milestones: `milestones.2.title`.
    """
    now = timezone.now()
    saved = lock_project(project.pk) if project else Project(created_at=now)
    errors, former = ErrorCollector(), (saved.client_id, saved.email)
    set_values(saved, values, ATTRIBUTES)
    _read_relations(errors, saved, values)
    if project is None:
        saved.status = values.get("status", saved.status)
        if saved.status not in OPEN_STATUSES:
            errors.add("status", invalid_choice("status", OPEN_STATUSES))
    _check(errors, saved)
    milestones = values.get("milestones")
    if milestones is not None:
        check_milestones(errors, milestones)
    errors.raise_if_any()
    saved.name, saved.client_name = saved.name.strip(), saved.client_name.strip()
    saved.updated_at = now
    if project is not None and (saved.client_id, saved.email) != former:
        end_links(saved, user=user)
    store_record(saved, user=user)
    if milestones is not None:
        write_milestones(saved, milestones)
    get_search_backend().add(saved)
    if project is None:
        notices.record(saved, f"Project {saved} created")
    return saved


def _read_relations(errors: ErrorCollector, project: Project, values: Mapping[str, Any]) -> None:
    if "client_email" in values:
        project.client_email = ""
        if email := str(values["client_email"] or "").strip():
            with errors.under():
                project.client_email = read_email(email, "client_email")
    if "client" in values:
        wanted = values["client"]
        # Locked, so that it is not deleted meanwhile.
        found = clients().select_for_update(no_key=True).filter(pk=wanted.pk).first() if wanted else None
        if wanted and found is None:
            errors.add("client", invalid_choice("client"))
        project.client = found
    if "assigned_to" in values:
        user: Any = values["assigned_to"]
        if user is not None and user.pk != project.assigned_to_id and not assignable().filter(pk=user.pk).exists():
            errors.add("assigned_to", invalid_choice("assigned_to"))
        project.assigned_to = user


def _check(errors: ErrorCollector, project: Project) -> None:
    check_line(errors, "name", project.name, MAX_TITLE, needed=True)
    check_line(errors, "client_name", project.client_name, 2 * MAX_NAME)
    check_text(errors, "description", project.description, MAX_TEXT)
    check_text(errors, "needed", project.needed, MAX_TEXT)
    check_whole(errors, "progress", project.progress, COMPLETED_PERCENT)
    for name in ("started_at", "due_at"):
        check_day(errors, name, getattr(project, name))
    if not errors.errors and project.started_at and project.due_at and project.due_at < project.started_at:
        errors.add("due_at", "The due date must not be before the start date.")


@transaction.atomic
def end_links_of_client(client: Any) -> None:
    """End the links to projects whose emails went to an address that is not the client's any more."""
    for project in Project.objects.select_for_update(of=("self",)).filter(client=client, client_email=""):
        renew_link(record=project)


@transaction.atomic
def delete_project(*, project: Project, user: Any = None) -> None:
    """Delete a project with its milestones, updates and files. Raises NotFound."""
    locked = lock_project(project.pk)
    log(instance=locked, action="wagtail.delete", user=user, deleted=True)
    for name in locked.files.values_list("file", flat=True):
        delete_after_commit(private_files(), name)
    locked.delete()
