"""Runs the modules' periodic jobs: each by one process at a time, however many hosts there are."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from cms_api.core import registry, versions

from .models import PeriodicJob
from .module import Job

logger = logging.getLogger(__name__)

#: A process that died holds its job back no longer than this.
LEASE = timedelta(minutes=10)


def run_due_jobs(jobs: Iterable[Job] | None = None) -> list[str]:
    """Run those of the jobs (of all modules by default) whose time has come; return the names of those that ran here."""
    return [job.name for job in (registry.jobs() if jobs is None else jobs) if _run(job, only_due=True)]


def run_all_jobs(jobs: Iterable[Job] | None = None) -> list[str]:
    """Run each of the jobs (of all modules by default) once, due or not; return the names of those that ran here."""
    return [job.name for job in (registry.jobs() if jobs is None else jobs) if _run(job, only_due=False)]


def _run(job: Job, *, only_due: bool) -> bool:
    with _lease(job, only_due=only_due) as taken:
        if not taken:
            return False
        error = ""
        try:
            versions.forget()
            registry.load(job.function)()
        except Exception as problem:
            logger.exception("The job %s failed.", job.name)
            error = repr(problem)[:1000]
        PeriodicJob.objects.filter(name=job.name).update(last_run_at=timezone.now(), last_error=error)
        return True


@contextmanager
def _lease(job: Job, *, only_due: bool) -> Iterator[bool]:
    now = timezone.now()
    PeriodicJob.objects.bulk_create([PeriodicJob(name=job.name, due_at=now)], ignore_conflicts=True)
    free = PeriodicJob.objects.filter(Q(leased_until=None) | Q(leased_until__lte=now), name=job.name)
    if only_due:
        free = free.filter(due_at__lte=now)
    taken = free.update(leased_until=now + LEASE, due_at=now + timedelta(seconds=job.every)) == 1
    try:
        yield taken
    finally:
        if taken:
            PeriodicJob.objects.filter(name=job.name).update(leased_until=None)
