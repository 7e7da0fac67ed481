"""The platform's own tables: versions of what processes cache, tags of what pages show, and the periodic jobs' leases."""

from django.db import models


class Version(models.Model):
    """See `versions`: a random number that moves when what it names changes."""

    name = models.CharField(max_length=100, primary_key=True)
    value = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


class Tag(models.Model):
    """See `versions`: as a version, of one record."""

    name = models.CharField(max_length=100, primary_key=True)
    value = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


class PeriodicJob(models.Model):
    """When a declared job is due next, and until when a process has taken it."""

    name = models.CharField(max_length=100, primary_key=True)
    due_at = models.DateTimeField()
    leased_until = models.DateTimeField(null=True)
    last_run_at = models.DateTimeField(null=True)
    last_error = models.TextField(blank=True, default="")

    def __str__(self) -> str:
        return self.name
