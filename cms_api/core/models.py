"""The platform's own tables: versions of what processes cache, tags of what pages show, and the periodic jobs' leases."""

from django.db import models

from .leases import Leased


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


class PeriodicJob(Leased):
    """When a declared job is due next, and which process runs it."""

    name = models.CharField(max_length=100, primary_key=True)
    due_at = models.DateTimeField()
    last_run_at = models.DateTimeField(null=True)
    last_error = models.TextField(blank=True, default="")

    def __str__(self) -> str:
        return self.name
