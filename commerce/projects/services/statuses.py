"""Moves projects from one status to another."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import get_setting
from cms_api.webhooks.services import emit
from commerce.marketing.services import enrol_address

from ..models import Project
from ..types import OPEN_STATUSES, ProjectStatus
from . import notices
from .locking import lock_project

PLANNED, ACTIVE, ON_HOLD, COMPLETED, CANCELLED = ProjectStatus
SEQUENCE = "projects.completion_sequence"


@transaction.atomic
def complete_project(*, project: Project, user: Any = None) -> bool:
    """Complete a project of any status; return False if it is completed already.

    The first time, the client is enrolled in the sequence of the setting. Emits `project.completed`.
    """
    locked = lock_project(project.pk)
    if locked.is_completed:
        return False
    now = timezone.now()
    locked.status, locked.completed_at, locked.updated_at = COMPLETED, now, now
    _enrol(locked)
    locked.save(update_fields=["status", "completed_at", "updated_at", "enrolled_at"])
    log(instance=locked, action="projects.complete", user=user)
    emit("project.completed", locked)
    notices.record(locked, f"Project {locked} completed")
    return True


def _enrol(project: Project) -> None:
    """Enrol the client in the configured sequence, unless this project has done so before."""
    slug = str(get_setting(SEQUENCE)).strip()
    if slug and project.email and project.enrolled_at is None and enrol_address(slug=slug, email=project.email):
        project.enrolled_at = project.completed_at


def reopen_project(*, project: Project, user: Any = None, of: Collection[str] = (COMPLETED, CANCELLED)) -> bool:
    """Make a completed or cancelled project active again; return False for those that are in none of the statuses `of`."""
    return _move(project, ACTIVE, "reopen", "reopened", user, of=of, unless=tuple(ProjectStatus))


def activate_project(*, project: Project, user: Any = None) -> bool:
    """Start a planned project, or resume one that is on hold; return False if it is active. Raises Invalid (`status`)."""
    return _move(project, ACTIVE, "activate", "active", user, of=(PLANNED, ON_HOLD), unless=(ACTIVE,))


def pause_project(*, project: Project, user: Any = None) -> bool:
    """Put an open project on hold; return False if it is. Raises Invalid (`status`)."""
    return _move(project, ON_HOLD, "pause", "on hold", user, of=(PLANNED, ACTIVE), unless=(ON_HOLD,))


def cancel_project(*, project: Project, user: Any = None) -> bool:
    """Cancel an open project; return False if it is cancelled. Raises Invalid (`status`) if it is completed."""
    return _move(project, CANCELLED, "cancel", "cancelled", user, of=OPEN_STATUSES, unless=(CANCELLED,))


@transaction.atomic
def _move(
    project: Project, status: ProjectStatus, action: str, word: str, user: Any, *, of: Collection[str], unless: Collection[str]
) -> bool:
    """Move a project from the statuses `of` to another; one in `unless` stays as it is, and others are refused."""
    locked = lock_project(project.pk)
    if locked.status not in of:
        if locked.status in unless:
            return False
        raise Invalid({"status": f"This project is {locked.get_status_display().lower()}. Reopen it first."})
    locked.status, locked.completed_at, locked.updated_at = status, None, timezone.now()
    locked.save(update_fields=["status", "completed_at", "updated_at"])
    log(instance=locked, action=f"projects.{action}", user=user)
    notices.record(locked, f"Project {locked} {word}")
    return True
