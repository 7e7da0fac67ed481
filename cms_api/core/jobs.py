"""Periodic jobs: which are due, who may run one, what came of it, and their states.

`job_processes` runs them, each in one process at a time across all hosts. No queued task calls their functions: a service
that has work for a job asks for it by `run_soon`, so that one that is paused, or whose feature is off, does nothing.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import Error, connection, transaction
from django.db.models import F
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import OrmQ

from cms_api.core import leases, registry, versions

from .models import PeriodicJob, WorkerProcess
from .module import Job

logger = logging.getLogger(__name__)

#: The lease of a job is renewed while its process lives. If the host dies, another one may run the job after this long.
LEASE = timedelta(minutes=1)
#: The longest pause that is added for a job that had to be stopped several times in a row.
MAX_BACK_OFF = timedelta(hours=1)
#: A job that nobody has begun so long after it was due is late.
LATE_AFTER = timedelta(minutes=2)
#: A worker that has not been seen for so long is dead, or so slow that it does not matter.
WORKER_SEEN_WITHIN = timedelta(minutes=1)
MAX_ERROR = 1000

RunJob = Callable[[Job, PeriodicJob], object]


def due_jobs(jobs: Iterable[Job]) -> list[tuple[Job, PeriodicJob]]:
    """Return the jobs that are due and not leased, each with its row as it is stored; at most two statements."""
    now = timezone.now()
    rows = _rows(jobs, now)
    return [(job, row) for job, row in rows if _is_due(job, row, now) and _is_free(row, now) and not row.is_paused]


def run_soon(name: str) -> None:
    """Let a job be due when the current transaction has been committed, unless it is paused; once however often it is asked.

    A request may get lost: then the job runs in its turn.
    """
    request = _Request(name)
    if not any(function == request for _, function, *_ in connection.run_on_commit):
        transaction.on_commit(request)


@dataclass(frozen=True)
class _Request:
    """Makes the row of a job due, after the transaction: within it, others who ask for the same job would wait for its end."""

    name: str

    def __call__(self) -> None:
        now = timezone.now()
        try:
            # A run that has begun may have looked already: the job is due again after it.
            PeriodicJob.objects.filter(pk=self.name, paused_for_backup_of=None, due_at__gt=now).update(due_at=now)
        except Error:
            logger.warning("The job %s could not be made due; it runs in its turn.", self.name, exc_info=True)


def claim_job(job: Job, *, due_at: datetime | None = None) -> PeriodicJob | None:
    """Lease a job for a run that begins now; None if another process runs it, it is paused, or no longer due at `due_at`."""
    rows = PeriodicJob.objects.filter(pk=job.name, paused_for_backup_of=None, **({"due_at": due_at} if due_at else {}))
    return leases.claim(rows, LEASE, due_at=timezone.now() + timedelta(seconds=job.every))


def run_due_jobs(jobs: Iterable[Job] | None = None) -> list[str]:
    """Run the given jobs (default: those of all modules) that are due in this process; return the names of those that ran."""
    due = due_jobs(registry.jobs() if jobs is None else jobs)
    return [job.name for job, row in due if _run(job, claim_job(job, due_at=row.due_at), execute)]


def run_all_jobs(jobs: Iterable[Job] | None = None, run: RunJob | None = None) -> list[str]:
    """Run each of the given jobs (default: those of all modules) once, due or not, with a function (default: in this process).

    Return the names of those that were run; others are being run elsewhere, or are paused.
    """
    jobs = registry.jobs() if jobs is None else list(jobs)
    free_parked_jobs()
    _rows(jobs, timezone.now())
    return [job.name for job in jobs if _run(job, claim_job(job), run or execute)]


def _run(job: Job, row: PeriodicJob | None, run: RunJob) -> bool:
    if row is None:
        return False
    run(job, row)
    return True


def free_parked_jobs() -> None:
    """End leases that a clock which was ahead has given, and whose process has died; so long, tasks that it queued would wait."""
    leases.free_parked(PeriodicJob.objects.order_by(), LEASE)
    now = timezone.now()
    longest = timedelta(seconds=Conf.RETRY) + leases.CLOCK_TOLERANCE
    parked = OrmQ.objects.filter(lock__gt=now + longest)
    # Others may begin to write meanwhile: mostly, there is nothing to do.
    if parked.exists():
        parked.update(lock=now)


def pause_jobs(*, backup_of: datetime) -> None:
    """Pause the jobs that reach people or delete stray files, on a site that was restored from the backup of some moment.

    Former versions queued tasks that did the work of jobs: those in the backup are deleted.
    """
    jobs = [job for job in registry.jobs() if job.waits_after_restore]
    _rows(jobs, timezone.now())
    PeriodicJob.objects.filter(pk__in=[job.name for job in jobs]).update(paused_for_backup_of=backup_of)
    functions = {job.function for job in jobs}
    OrmQ.objects.filter(pk__in=[task.pk for task in OrmQ.objects.iterator() if task.func() in functions]).delete()


def resume_jobs(*, by: str) -> list[str]:
    """Let paused jobs be due now; return their titles. `by` says in the log who decided so."""
    paused = PeriodicJob.objects.filter(paused_for_backup_of__isnull=False)
    names = sorted(paused.values_list("name", flat=True))
    if paused.filter(pk__in=names).update(paused_for_backup_of=None, due_at=timezone.now()):
        logger.warning("Jobs that a restore had paused were resumed by %s: %s.", by, ", ".join(names))
    return [title_of(name) for name in names]


def title_of(name: str) -> str:
    return name.replace("_", " ").capitalize()


def execute(job: Job, row: PeriodicJob) -> bool:
    """Run a leased job in this process, store what came of it, and return whether it succeeded."""
    error = ""
    try:
        versions.forget()
        registry.load(job.function)()
    except Exception as problem:
        logger.exception("The job %s failed.", job.name)
        error = repr(problem)[:MAX_ERROR]
    leases.release(row, last_run_at=timezone.now(), last_error=error, failures=F("failures") + 1 if error else 0)
    return not error


def note_stopped(job: Job, row: PeriodicJob, error: str) -> None:
    """Store why a run was stopped, and end its lease; the job is due again later each time."""
    logger.error("The job %s was stopped: %s", job.name, error)
    now = timezone.now()
    leases.release(
        row,
        last_run_at=now,
        last_error=error[:MAX_ERROR],
        failures=F("failures") + 1,
        due_at=now + pause_after(job, row.failures + 1),
    )


def give_back(row: PeriodicJob) -> None:
    """End the lease of a run that was interrupted because its worker stops; the job is due at once."""
    leases.release(row, due_at=timezone.now())


def pause_after(job: Job, failures: int) -> timedelta:
    """Return how long a job waits after so many runs that were stopped: twice as long each time, up to an hour."""
    every = timedelta(seconds=job.every)
    return max(every, min(every * 2 ** min(failures, 20), MAX_BACK_OFF))


def _rows(jobs: Iterable[Job], now: datetime) -> list[tuple[Job, PeriodicJob]]:
    """Return the rows of jobs; those that have none yet get one, and are due."""
    jobs = list(jobs)
    stored = PeriodicJob.objects.in_bulk()
    new = {job.name: PeriodicJob(name=job.name, due_at=now) for job in jobs if job.name not in stored}
    if new:
        PeriodicJob.objects.bulk_create(new.values(), ignore_conflicts=True)
    return [(job, stored.get(job.name) or new[job.name]) for job in jobs]


def _is_due(job: Job, row: PeriodicJob, now: datetime) -> bool:
    """A job that is due later than any run leaves it was run while the clock was ahead."""
    longest = pause_after(job, row.failures) if row.failures else timedelta(seconds=job.every)
    return row.due_at <= now or row.due_at > now + longest + leases.CLOCK_TOLERANCE


def _is_free(row: PeriodicJob, now: datetime) -> bool:
    return row.leased_until is None or row.leased_until <= now


class JobStatus(StrEnum):
    OK = "ok"
    RUNNING = "running"
    LATE = "late"
    FAILING = "failing"
    WAITING = "not run yet"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class JobState:
    """The state of a job, as people see it."""

    name: str
    status: JobStatus
    every: int
    last_run_at: datetime | None
    due_at: datetime | None
    is_late: bool
    #: Why the latest runs failed, and how many in a row did.
    error: str
    failures: int
    #: Of a paused job: when the backup was made that the site was restored from.
    paused_for_backup_of: datetime | None = None

    @property
    def title(self) -> str:
        return title_of(self.name)


def job_states(jobs: Sequence[Job]) -> list[JobState]:
    """Return the state of each job (one statement)."""
    now, stored = timezone.now(), PeriodicJob.objects.in_bulk()
    return [_state(job, stored.get(job.name), now) for job in jobs]


def _state(job: Job, row: PeriodicJob | None, now: datetime) -> JobState:
    if row is None:
        return JobState(job.name, JobStatus.WAITING, job.every, None, None, False, "", 0)
    is_running = not _is_free(row, now)
    is_late = not is_running and not row.is_paused and row.due_at + LATE_AFTER < now
    found = {
        JobStatus.PAUSED: row.is_paused,
        JobStatus.FAILING: row.last_error,
        JobStatus.LATE: is_late,
        JobStatus.RUNNING: is_running,
    }
    other = JobStatus.OK if row.last_run_at else JobStatus.WAITING
    status = next((status for status, applies in found.items() if applies), other)
    due_at = None if row.is_paused else row.due_at
    return JobState(
        job.name, status, job.every, row.last_run_at, due_at, is_late, row.last_error, row.failures, row.paused_for_backup_of
    )


def note_worker(name: str) -> None:
    """Note that a worker is alive, and forget those that have been dead for a day."""
    now = timezone.now()
    row = WorkerProcess(name=name, seen_at=now)
    WorkerProcess.objects.bulk_create([row], update_conflicts=True, unique_fields=["name"], update_fields=["seen_at"])
    WorkerProcess.objects.filter(seen_at__lt=now - timedelta(days=1)).delete()


def forget_worker(name: str) -> None:
    WorkerProcess.objects.filter(pk=name).delete()


def live_workers() -> list[str]:
    """Return the names of the workers that are alive. One seen later than now was seen while the clock was ahead."""
    now = timezone.now()
    seen = WorkerProcess.objects.filter(seen_at__gt=now - WORKER_SEEN_WITHIN, seen_at__lt=now + WORKER_SEEN_WITHIN)
    return list(seen.order_by("name").values_list("name", flat=True))
