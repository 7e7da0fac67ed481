"""Runs the modules' periodic jobs, each in one process at a time across all hosts."""

import logging
from collections.abc import Iterable
from datetime import timedelta

from django.utils import timezone

from cms_api.core import leases, registry, versions

from .models import PeriodicJob
from .module import Job

logger = logging.getLogger(__name__)

#: If a process dies during a job, another one may run the job after this long.
LEASE = timedelta(minutes=10)


def run_due_jobs(jobs: Iterable[Job] | None = None) -> list[str]:
    """Run the given jobs (default: those of all modules) that are due; return the names of those that ran here."""
    return [job.name for job in (registry.jobs() if jobs is None else jobs) if _run(job, only_due=True)]


def run_all_jobs(jobs: Iterable[Job] | None = None) -> list[str]:
    """Run each of the given jobs (default: those of all modules) once, due or not; return the names of those that ran here."""
    return [job.name for job in (registry.jobs() if jobs is None else jobs) if _run(job, only_due=False)]


def _run(job: Job, *, only_due: bool) -> bool:
    now = timezone.now()
    PeriodicJob.objects.bulk_create([PeriodicJob(name=job.name, due_at=now)], ignore_conflicts=True)
    rows = PeriodicJob.objects.filter(name=job.name, **({"due_at__lte": now} if only_due else {}))
    row = leases.claim(rows, LEASE, due_at=now + timedelta(seconds=job.every))
    if row is None:
        return False
    error = "It was interrupted."
    try:
        versions.forget()
        registry.load(job.function)()
        error = ""
    except Exception as problem:
        logger.exception("The job %s failed.", job.name)
        error = repr(problem)[:1000]
    finally:
        leases.release(row, last_run_at=timezone.now(), last_error=error)
    return True
