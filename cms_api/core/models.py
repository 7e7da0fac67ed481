"""The platform's own tables: cache versions, tags of records shown on pages, the leases of periodic jobs, workers, and forms."""

from django.db import models

from .leases import Leased


class Version(models.Model):
    """A random number that changes when the data it names changes; see `versions`."""

    name = models.CharField(max_length=100, primary_key=True)
    value = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


class Tag(models.Model):
    """A version of a single record; see `versions`."""

    name = models.CharField(max_length=100, primary_key=True)
    value = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


class PeriodicJob(Leased):
    """The next due time of a declared job, and the lease of the process running it."""

    name = models.CharField(max_length=100, primary_key=True)
    due_at = models.DateTimeField()
    last_run_at = models.DateTimeField(null=True)
    #: Why the latest run failed; empty if it succeeded.
    last_error = models.TextField(blank=True, default="")
    #: Runs in a row that have failed.
    failures = models.PositiveIntegerField(default=0, db_default=0)
    #: Of a paused job: when the backup was made that this site was restored from. It is not due until a person resumes it.
    paused_for_backup_of = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name

    @property
    def is_paused(self) -> bool:
        return self.paused_for_backup_of is not None


class WorkerProcess(models.Model):
    """A worker on some host, which says from time to time that it is alive."""

    #: The host and the process id.
    name = models.CharField(max_length=200, primary_key=True)
    seen_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.name


class SentForm(models.Model):
    """A form that is carried out once; see `once`."""

    #: SHA-256 of what the form is known by.
    key = models.CharField(max_length=64, primary_key=True)
    #: The URL to which it has led; empty while it is being carried out.
    led_to = models.TextField(default="")
    remembered_until = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.key
