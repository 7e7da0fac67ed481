"""Forms, their submissions and the submitted files."""

from typing import Any

from django.core.files.storage import Storage
from django.db import models
from django.utils.functional import cached_property

from cms_api.media.services.private import private_storage, random_name
from cms_api.text.search import unique_words

from .types import MAX_SLUG, FormField, Source, in_words, parse_fields


class Form(models.Model):
    """A form: its fields, and how submissions are handled."""

    #: The last part of the page's URL, and the name that rows refer to; fixed once the form is created.
    slug = models.SlugField(max_length=MAX_SLUG, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(max_length=1000, blank=True, default="", help_text="Shown to visitors above the fields.")
    #: Definitions of the fields; see `FormField.as_stored`.
    fields = models.JSONField(default=list)
    store_submissions = models.BooleanField(default=True)
    #: The addresses notified of each submission; empty for the business's own.
    recipients = models.JSONField(default=list)
    success_message = models.TextField(max_length=1000, blank=True, default="")
    submit_label = models.CharField("button label", max_length=60, blank=True, default="")
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name", "id"]
        indexes = [
            models.Index("created_at", "id", name="form_by_creation"),
            models.Index("updated_at", "id", name="form_by_change"),
            models.Index("name", "id", name="form_by_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @cached_property
    def schema(self) -> tuple[FormField, ...]:
        return parse_fields(self.fields)


class Submission(models.Model):
    """A submission. Spam is quarantined; no notifications were sent for it unless `handled_at` is set."""

    form = models.ForeignKey(Form, on_delete=models.CASCADE, related_name="submissions", db_index=False)
    data = models.JSONField(default=dict)
    is_spam = models.BooleanField("spam", default=False)
    spam_reason = models.CharField(max_length=200, blank=True, default="")
    source = models.CharField(max_length=10, choices=Source.choices)
    #: The CRM contact that was found or created for it.
    contact_id = models.PositiveBigIntegerField(null=True)
    #: When mail, contact capture and webhook were done: once, however often it is marked as spam and released.
    handled_at = models.DateTimeField(null=True, editable=False)
    #: The values as one normalized text, for the admin's search.
    words = models.TextField(default="", editable=False)
    created_at = models.DateTimeField()

    class Meta:
        # No `add`: submissions come from visitors and integrations.
        default_permissions = ("view", "change", "delete")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("form", "is_spam", "created_at", "id", name="submission_listed"),
            models.Index("form", "created_at", "id", name="submission_of_form"),
            models.Index("is_spam", "created_at", "id", name="submission_by_spam"),
            models.Index("created_at", "id", name="submission_by_date"),
        ]

    def __str__(self) -> str:
        return f"{self.form.name}, {self.pk}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.words = " ".join(unique_words(" ".join(map(in_words, self.data.values()))))
        super().save(*args, **kwargs)


def private_files() -> Storage:
    """Return the storage of attachments."""
    return private_storage("forms")


#: The name of the function in migrations.
PrivateFiles = private_files


class Attachment(models.Model):
    """A file of a submission."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="attachments")
    #: The key of the file's form field.
    key = models.CharField(max_length=50)
    #: The visitor's own name for the file.
    filename = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    file = models.FileField(upload_to=random_name, storage=private_files, max_length=100)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint("submission", "key", name="attachment_once")]

    def __str__(self) -> str:
        return self.filename
