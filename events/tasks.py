"""Tasks that update the dates of all series, which takes longer than a request may."""

from django_q.tasks import async_task

from .services.occurrences import lay_out

#: Less than the limit of a task.
SECONDS = 20


def begin_laying_out() -> None:
    """Queue a task, after the caller's transaction, that updates the dates of all open-ended series."""
    async_task("events.tasks.go_on_laying_out", 0)


def go_on_laying_out(after: int) -> None:
    """Update series for a while, and queue another task for the rest."""
    reached = lay_out(after=after, seconds=SECONDS)
    if reached is not None:
        async_task("events.tasks.go_on_laying_out", reached)
