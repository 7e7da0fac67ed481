"""Work of the task queue: the work to do is in the run, a task only starts it."""

from .services.working import work


def work_on(pk: int) -> None:
    """Works on an import for a while; where there is more to do, another task is queued for it."""
    work(pk)
