"""Work of the task queue: a task is only a wake-up, what is to do stands in the run."""

from .services.working import work


def work_on(pk: int) -> None:
    """Works on an import for a while; where there is more to do, it has queued itself again."""
    work(pk)
