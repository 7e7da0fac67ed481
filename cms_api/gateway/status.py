"""The state of background work: workers, periodic jobs, failed tasks and what waits; for `/readyz`, `status` and the admin."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.db.models import Min, QuerySet, Value
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.models import Failure

from cms_api.core.jobs import JobState, JobStatus, job_states, live_workers
from cms_api.core.leases import retried_models
from cms_api.flags.selectors import active_jobs

MAX_COUNTED_ROWS = 10_000

#: A queue is empty after seconds; a mail server may ask for some minutes.
STALLED_SECONDS = 600

#: Days for which failed tasks are shown, how many of them are, and for how many days they stay in the database.
FAILURE_DAYS = 7
MAX_SHOWN_FAILURES = 20
KEPT_FAILURE_DAYS = 90


@dataclass(frozen=True, slots=True)
class Queue:
    """Rows that are to be sent: which of them are due, and for how many seconds the first of these has been."""

    name: str
    due: QuerySet[Any]
    seconds: int

    @property
    def waiting(self) -> int:
        """How many rows are due, at most `MAX_COUNTED_ROWS`."""
        return self.due[:MAX_COUNTED_ROWS].count() if self.seconds else 0


@dataclass(frozen=True, slots=True)
class FailedTask:
    """A task that has raised an exception, or whose process has died; with the first line of the error."""

    name: str
    failed_at: datetime
    error: str


class Status:
    """The state of the background work of all hosts. Each property is looked up once."""

    @cached_property
    def workers(self) -> list[str]:
        return live_workers()

    @property
    def worker(self) -> str:
        return "running" if self.workers else "missing"

    @cached_property
    def jobs(self) -> list[JobState]:
        """The jobs of features that are on, those with problems first."""
        found = job_states(active_jobs())
        return sorted(found, key=lambda job: (not job.error, not job.is_late, job.status != JobStatus.PAUSED))

    @property
    def failing(self) -> list[JobState]:
        return [job for job in self.jobs if job.status == JobStatus.FAILING]

    @property
    def late(self) -> list[JobState]:
        return [job for job in self.jobs if job.is_late]

    @property
    def paused(self) -> list[JobState]:
        """The jobs that a restore has paused until a person resumes them."""
        return [job for job in self.jobs if job.status == JobStatus.PAUSED]

    @cached_property
    def queues(self) -> list[Queue]:
        return _queues()

    @property
    def stalled(self) -> list[Queue]:
        """The queues whose first row has waited for so long that something must be wrong."""
        return [each for each in self.queues if each.seconds > STALLED_SECONDS]

    @cached_property
    def tasks(self) -> int:
        """The tasks that wait in the queue."""
        return int(get_broker().queue_size())

    @cached_property
    def failed_count(self) -> int:
        """How many tasks have failed in the last `FAILURE_DAYS`, at most `MAX_COUNTED_ROWS`."""
        return _failures()[:MAX_COUNTED_ROWS].count()

    @cached_property
    def failed_tasks(self) -> list[FailedTask]:
        """The latest of these tasks."""
        found = _failures().order_by("-stopped").values_list("func", "stopped", "result")[:MAX_SHOWN_FAILURES]
        return [FailedTask(name, at, _first_line(str(result))) for name, at, result in found]

    def document(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "worker": self.worker,
            "workers": self.workers,
            "failing": [job.name for job in self.failing],
            "late": [job.name for job in self.late],
            "paused": [job.name for job in self.paused],
            "jobs": [_job(job) for job in self.jobs],
            "queues": {each.name: {"waiting": each.waiting, "seconds": each.seconds} for each in self.queues},
            "tasks": self.tasks,
            "failed_tasks": {
                "days": FAILURE_DAYS,
                "count": self.failed_count,
                "latest": [
                    {"name": task.name, "failed_at": _moment(task.failed_at), "error": task.error} for task in self.failed_tasks
                ],
            },
        }

    def problems(self) -> list[str]:
        """Return what is wrong with workers and jobs: "2 failing", "1 late"."""
        counts = ((len(self.failing), "failing"), (len(self.late), "late"))
        found = [f"{count} {word}" for count, word in counts if count]
        return found if self.workers else ["no worker is running", *found]

    def delays(self) -> list[str]:
        """Return which queues stand still, and for how long."""
        return [f"{each.name} have waited for {each.seconds // 60} minutes" for each in self.stalled]


def _job(job: JobState) -> dict[str, Any]:
    return {
        "name": job.name,
        "status": job.status,
        "late": job.is_late,
        "every": job.every,
        "last_run_at": _moment(job.last_run_at),
        "due_at": _moment(job.due_at),
        "last_error": job.error,
        "failures": job.failures,
    }


def _first_line(error: str) -> str:
    """Return the message of an exception, or its name if there is none."""
    lines = error.strip("\n").split("\n")
    return lines[0].removesuffix(" : Traceback (most recent call last):") or lines[-1]


def drop_old_failures() -> None:
    """Delete tasks that failed long ago."""
    Failure.objects.filter(stopped__lt=timezone.now() - timedelta(days=KEPT_FAILURE_DAYS)).delete()


def _failures() -> QuerySet[Failure]:
    return Failure.objects.filter(stopped__gt=timezone.now() - timedelta(days=FAILURE_DAYS))


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


def _queues() -> list[Queue]:
    """Return all queues; which rows have waited longest is looked up by one statement."""
    now = timezone.now()
    due = [model._default_manager.filter(model.free(now)).order_by() for model in retried_models()]
    firsts: Any = (
        rows.annotate(queue=Value(number)).values("queue").annotate(first=Min("next_attempt_at")).values_list("queue", "first")
        for number, rows in enumerate(due)
    )
    first = dict(next(firsts).union(*firsts, all=True))

    def seconds(number: int) -> int:
        return max(0, math.ceil((now - (first.get(number) or now)).total_seconds()))

    return [Queue(str(rows.model._meta.verbose_name_plural), rows, seconds(number)) for number, rows in enumerate(due)]
