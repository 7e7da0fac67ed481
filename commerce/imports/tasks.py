"""Import tasks. The state is in the run; a task only starts the work."""

from .services.working import work


def work_on(pk: int) -> None:
    """Work on an import for a while; if there is more to do, another task is queued."""
    work(pk)
