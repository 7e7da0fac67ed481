"""Tasks that update the dates of all series, which takes longer than a request may."""

from django_q.tasks import async_task

from .services.occurrences import materialize

#: Less than the limit of a task.
RUN_SECONDS = 20


def start_materializing() -> None:
    """Queue a task, after the caller's transaction, that updates the dates of all open-ended series."""
    async_task("events.tasks.materialize_in_background", 0)


def materialize_in_background(after: int) -> None:
    """Update series for a while, and queue another task for the rest."""
    reached = materialize(after=after, seconds=RUN_SECONDS)
    if reached is not None:
        async_task("events.tasks.materialize_in_background", reached)
