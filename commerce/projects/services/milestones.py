"""Ticks milestones, and writes those of a project."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector
from cms_api.core.locks import get_row
from commerce.common.services.checks import check_line

from ..models import Milestone, Project
from ..types import MAX_MILESTONES, MAX_TITLE
from . import notices
from .checks import check_day
from .locking import lock_project, touch


def tick_milestone(*, milestone: Milestone, user: Any = None) -> bool:
    """Mark a milestone as finished, and tell the client of it the first time; return False if it is already."""
    return _switch(milestone, True, user)


def untick_milestone(*, milestone: Milestone, user: Any = None) -> bool:
    """Mark a milestone as not finished; return False if it is not."""
    return _switch(milestone, False, user)


@transaction.atomic
def _switch(milestone: Milestone, is_completed: bool, user: Any) -> bool:
    project = lock_project(milestone.project_id)
    found = get_row(Milestone.objects.all(), milestone.pk)
    if found.is_completed == is_completed:
        return False
    found.completed_at = timezone.now() if is_completed else None
    found.save(update_fields=["completed_at"])
    touch(project)
    action = "projects.tick_milestone" if is_completed else "projects.untick_milestone"
    log(instance=project, action=action, user=user, data={"title": found.title})
    if is_completed and found.announced_at is None and notices.send_milestone(project, found):
        found.announced_at = found.completed_at
        found.save(update_fields=["announced_at"])
    return True


def check_milestones(errors: ErrorCollector, rows: Sequence[Mapping[str, Any]]) -> None:
    """Check the milestones of a project; errors are by their place: `milestones.2.title`."""
    if len(rows) > MAX_MILESTONES:
        errors.add("milestones", f"A project may not have more than {MAX_MILESTONES} milestones.")
    for place, row in enumerate(rows):
        check_line(errors, f"milestones.{place}.title", row.get("title") or "", MAX_TITLE, needed=True)
        check_day(errors, f"milestones.{place}.due_at", row.get("due_at"))


def write_milestones(project: Project, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store checked milestones in their order; those of the project whose `id` is in no row are deleted.

    Existing ones stay finished or not, whatever their rows say.
    """
    known = {milestone.pk: milestone for milestone in Milestone.objects.filter(project=project)}
    kept = []
    for position, row in enumerate(rows, start=1):
        milestone = known.pop(row.get("id") or 0, None) or Milestone(project=project, completed_at=row.get("completed_at"))
        milestone.title, milestone.due_at, milestone.position = row["title"].strip(), row.get("due_at"), position
        kept.append(milestone)
    Milestone.objects.filter(pk__in=known).delete()
    Milestone.objects.bulk_create([each for each in kept if each.pk is None])
    Milestone.objects.bulk_update([each for each in kept if each.pk], ["title", "due_at", "position"])
