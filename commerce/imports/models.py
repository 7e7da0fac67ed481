"""Import runs, their progress and their refused rows."""

import secrets
from datetime import datetime

from django.conf import settings
from django.core.files.storage import Storage
from django.db import models
from django.db.models import Q

from cms_api.core import registry
from cms_api.core.leases import Leased
from cms_api.core.module import Import
from cms_api.media.services.private import private_storage

from .types import MAX_SENTENCE, UNDER_WAY, State


def import_files() -> Storage:
    """Return the storage of uploaded files."""
    return private_storage("imports")


#: The name of the function in migrations.
ImportFiles = import_files


def random_name(run: "ImportRun", filename: str) -> str:
    """Return a random name, so that user-supplied file names are never used on disk."""
    return secrets.token_hex(20)


class ImportRun(Leased):
    """An uploaded file and the progress of its import. Written by `services` only.

    A run without a lease may be claimed at any time; `leased_until` is then the time at which it is requeued.
    """

    #: The name of a declared Import.
    kind = models.CharField(max_length=60)
    #: The original name of the uploaded file.
    filename = models.CharField(max_length=200)
    #: Empty once the file is no longer needed.
    file = models.FileField(upload_to=random_name, storage=import_files, max_length=100, blank=True, default="")
    encoding = models.CharField(max_length=20)
    delimiter = models.CharField(max_length=1)
    #: The cells of the header line.
    header = models.JSONField(default=list)
    #: Index of each mapped column in the file.
    mapping = models.JSONField(default=dict)
    options = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.UPLOADED)
    #: Rows in the file, and how many of them are done, counted from the first.
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    created = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    #: Attempts at the next batch.
    attempts = models.PositiveIntegerField(default=0)
    #: Seconds of work so far.
    seconds = models.FloatField(default=0)
    error = models.CharField(max_length=MAX_SENTENCE, blank=True, default="")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        # Imports use the permissions of the imported records.
        default_permissions = ()
        verbose_name = "import"
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("kind", "created_at", "id", name="import_of_kind"),
            models.Index(fields=["leased_until"], name="import_under_way", condition=Q(state__in=UNDER_WAY)),
        ]

    def __str__(self) -> str:
        return self.filename

    @classmethod
    def free(cls, now: datetime) -> Q:
        return Q(leased_by="") | Q(leased_until__lte=now)

    @property
    def declared(self) -> Import | None:
        """The declaration of the kind; None if its module is no longer installed."""
        found = registry.imports().get(self.kind)
        return found[1] if found else None

    @property
    def title(self) -> str:
        return self.declared.title if self.declared else self.kind

    @property
    def is_under_way(self) -> bool:
        return self.state in UNDER_WAY

    @property
    def per_second(self) -> int:
        """Return the rows imported per second of work."""
        return round(self.done / self.seconds) if self.seconds else 0

    @property
    def seconds_left(self) -> int | None:
        return round((self.total - self.done) * self.seconds / self.done) if self.done and self.is_under_way else None


class RefusedRow(models.Model):
    """A row that was not imported, with the reason."""

    run = models.ForeignKey(ImportRun, on_delete=models.CASCADE, related_name="refusals", db_index=False)
    #: The line of the file on which the row begins; the header is line 1.
    line = models.PositiveIntegerField()
    cells = models.JSONField(default=list)
    problem = models.CharField(max_length=MAX_SENTENCE)

    class Meta:
        default_permissions = ()
        ordering = ["line"]
        constraints = [models.UniqueConstraint(fields=["run", "line"], name="refused_row_once")]

    def __str__(self) -> str:
        return f"Line {self.line}"
