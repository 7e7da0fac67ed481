"""Projects for clients, their milestones, updates and files."""

from django.conf import settings
from django.core.files.storage import Storage
from django.db import models
from django.db.models import F, Q

from cms_api.http.link_keys import LinkedRecord
from cms_api.media.services.private import private_storage, random_name
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.types import MAX_EMAIL, MAX_NAME

from .types import COMPLETED_PERCENT, MAX_FILENAME, MAX_TEXT, MAX_TITLE, OPEN_STATUSES, ProjectStatus, progress_percent


class Project(LinkedRecord, IndexedText, models.Model):
    """A job for a client."""

    name = models.CharField(max_length=MAX_TITLE)
    description = models.TextField(max_length=MAX_TEXT, blank=True, default="")
    status = models.CharField(max_length=10, choices=ProjectStatus.choices, default=ProjectStatus.PLANNED)
    client = models.ForeignKey("invoicing.Client", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    #: Of projects without a client, or instead of the client's own; see `email` and `person`.
    client_email = models.EmailField(max_length=MAX_EMAIL, blank=True, default="")
    client_name = models.CharField(max_length=2 * MAX_NAME, blank=True, default="")
    #: The member of staff in charge.
    assigned_to = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    started_at = models.DateField("start date", null=True, blank=True)
    due_at = models.DateField("due date", null=True, blank=True)
    completed_at = models.DateTimeField(null=True, editable=False)
    #: As entered, in percent; used if there are no milestones.
    progress = models.PositiveSmallIntegerField(default=0)
    #: The input that the client still has to give, as the client reads it.
    needed = models.TextField("needed from the client", max_length=MAX_TEXT, blank=True, default="")
    #: When the client was enrolled in the sequence that follows a completion; once for each project.
    enrolled_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status=ProjectStatus.COMPLETED, completed_at__isnull=False)
                | (~Q(status=ProjectStatus.COMPLETED) & Q(completed_at__isnull=True)),
                name="project_completed_at_a_moment",
            ),
            models.CheckConstraint(condition=Q(progress__lte=COMPLETED_PERCENT), name="project_progress_in_percent"),
        ]
        indexes = [
            models.Index("created_at", "id", name="project_by_creation"),
            models.Index("updated_at", "id", name="project_by_change"),
            models.Index("status", "created_at", "id", name="project_by_status"),
            models.Index("client_email", "created_at", "id", name="project_by_email"),
            models.Index("due_at", "id", name="project_by_due_date", condition=Q(status__in=OPEN_STATUSES)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def email(self) -> str:
        """Return the address of the client, which gets the emails; empty if there is none."""
        return self.client_email or (self.client.email if self.client else "")

    @property
    def person(self) -> str:
        """Return the name of the person whom emails greet; empty if it is unknown."""
        return self.client_name or (self.client.contact_name or self.client.name if self.client else "")

    @property
    def client_label(self) -> str:
        """Return the client as lists name it: by the name, else the address."""
        return (self.client.name if self.client else "") or self.client_name or self.client_email

    @property
    def is_completed(self) -> bool:
        return self.status == ProjectStatus.COMPLETED

    @property
    def is_open(self) -> bool:
        return self.status in OPEN_STATUSES

    @property
    def percent(self) -> int:
        """Return the progress; reads the milestones."""
        milestones = [milestone.is_completed for milestone in self.milestones.all()]
        return progress_percent(is_completed=self.is_completed, progress=self.progress, milestones=milestones)

    @property
    def search_text(self) -> str:
        client = f"{self.client.name} {self.client.contact_name} {self.client.email}" if self.client else ""
        return " ".join(unique_words(f"{self.name} {self.client_name} {self.client_email} {client}"))


class Milestone(models.Model):
    """A step of a project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="milestones", db_index=False)
    title = models.CharField(max_length=MAX_TITLE)
    due_at = models.DateField("due date", null=True)
    completed_at = models.DateTimeField(null=True)
    #: Its place among those of the project, from 1.
    position = models.PositiveSmallIntegerField()
    #: When the client was told that it is finished; once, however often it is ticked.
    announced_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        ordering = ["position", "id"]
        indexes = [models.Index("project", "position", "id", name="milestone_by_position")]

    def __str__(self) -> str:
        return self.title

    @property
    def is_completed(self) -> bool:
        return self.completed_at is not None


class ProjectUpdate(models.Model):
    """News of a project, or an internal note."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="updates", db_index=False)
    note = models.TextField(max_length=MAX_TEXT)
    #: Whether the client sees it; the others are internal notes.
    is_public = models.BooleanField("public", default=True)
    #: Empty for those of integrations.
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        verbose_name = "update"
        ordering = ["-created_at", "-id"]
        indexes = [models.Index("project", F("created_at").desc(), F("id").desc(), name="update_by_creation")]

    def __str__(self) -> str:
        return "update" if self.is_public else "internal note"


def private_files() -> Storage:
    """Return the storage of the files of projects."""
    return private_storage("projects")


class ProjectFile(models.Model):
    """A file of a project, which only staff and, if it is public, the client can download."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="files")
    #: The name under which it was uploaded.
    filename = models.CharField(max_length=MAX_FILENAME)
    size = models.PositiveBigIntegerField()
    file = models.FileField(upload_to=random_name, storage=private_files, max_length=100)
    #: Whether the client can download it.
    is_public = models.BooleanField("public", default=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        verbose_name = "file"
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.filename
