"""Work of the task queue: laying out every series anew, which takes longer than a request may."""

from django_q.tasks import async_task

from .services.occurrences import lay_out

#: Less than a task may take.
SECONDS = 20


def begin_laying_out() -> None:
    """Has the dates of all series laid out anew, by a worker and after the caller's transaction."""
    async_task("events.tasks.go_on_laying_out", 0)


def go_on_laying_out(after: int) -> None:
    """Lays out for a while, and hands what is left to another task."""
    reached = lay_out(after=after, seconds=SECONDS)
    if reached is not None:
        async_task("events.tasks.go_on_laying_out", reached)
