"""Projects: statuses, limits, and the rule of their progress."""

from collections.abc import Collection

from django.db.models import TextChoices

MAX_TITLE = 150
MAX_TEXT = 10_000
MAX_MILESTONES = 100
MIB = 1024 * 1024
MAX_FILE_BYTES = 25 * MIB
#: Of a file's name.
MAX_FILENAME = 200
#: Of a completed project, in percent.
COMPLETED_PERCENT = 100

#: Views of lists, and no statuses: neither completed nor cancelled; open and past the due date.
OPEN, OVERDUE = "open", "overdue"


class ProjectStatus(TextChoices):
    PLANNED = "planned", "Planned"
    ACTIVE = "active", "Active"
    ON_HOLD = "on_hold", "On hold"
    COMPLETED = "completed", "Completed"
    CANCELLED = "cancelled", "Cancelled"


#: In the order in which a project passes through them.
OPEN_STATUSES = (ProjectStatus.PLANNED, ProjectStatus.ACTIVE, ProjectStatus.ON_HOLD)


def progress_percent(*, is_completed: bool, progress: int, milestones: Collection[bool]) -> int:
    """Return how much of a project is done, in percent.

    A completed one is done. Otherwise it is the share of finished `milestones` if there are any, else `progress` as entered.
    The share is rounded, but only reaches 0 and 100 if none or all are finished.
    """
    if is_completed:
        return COMPLETED_PERCENT
    if not milestones:
        return progress
    total, done = len(milestones), sum(milestones)
    if done in {0, total}:
        return COMPLETED_PERCENT * done // total
    return min(max((2 * COMPLETED_PERCENT * done + total) // (2 * total), 1), COMPLETED_PERCENT - 1)
