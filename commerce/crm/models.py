"""Contacts, companies, timelines and assignment rules."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.models import Address, AssignmentRuleBase, Person
from commerce.common.types import MAX_EMAIL, MAX_LINE, MAX_PHONE

from .types import MAX_COMPANY, MAX_SOURCE, MAX_SUMMARY, ActivityKind, Lifecycle


class Company(models.Model):
    """An organisation, identified by its name without case and legal form."""

    name = models.CharField(max_length=MAX_COMPANY)
    #: See `types.company_key`.
    key = models.CharField(max_length=MAX_COMPANY, unique=True, editable=False)
    website = models.URLField(blank=True, default="")
    notes = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        verbose_name_plural = "companies"
        ordering = ["name", "id"]
        indexes = [models.Index("name", "id", name="company_by_name")]

    def __str__(self) -> str:
        return self.name


class Contact(Person, Address, IndexedText, models.Model):
    """A person known to the business, identified by email. Written by `services` only."""

    #: Lower case; never changes.
    email = models.EmailField(max_length=MAX_EMAIL, unique=True)
    phone = models.CharField(max_length=MAX_PHONE, blank=True, default="")
    job_title = models.CharField(max_length=MAX_LINE, blank=True, default="")
    company = models.ForeignKey(Company, null=True, blank=True, on_delete=models.SET_NULL, related_name="contacts")
    lifecycle = models.CharField(max_length=10, choices=Lifecycle.choices, default=Lifecycle.LEAD)
    tags = models.JSONField(blank=True, default=list)
    notes = models.TextField(blank=True, default="")
    #: Where the contact came from: `form`, `api`, `import`, `admin`, or a value set by an integration.
    source = models.CharField(max_length=MAX_SOURCE, blank=True, default="")
    assigned_to = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name="owner",
    )
    #: Time of the latest activity.
    last_activity_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="contact_by_creation"),
            models.Index("updated_at", "id", name="contact_by_change"),
            models.Index("lifecycle", "created_at", "id", name="contact_by_lifecycle"),
            models.Index("last_activity_at", "id", name="contact_by_activity"),
        ]

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def search_text(self) -> str:
        """Return the contact's searchable text; the phone number also without separators."""
        digits = "".join(filter(str.isdigit, self.phone))
        company = self.company.name if self.company else ""
        return " ".join(unique_words(f"{self.name} {self.email} {self.phone} {digits} {company}"))


class MergedAddress(models.Model):
    """The address of a contact merged into another, so that it is not created again."""

    email = models.EmailField(max_length=MAX_EMAIL, unique=True)
    contact = models.ForeignKey(Contact, on_delete=models.CASCADE, related_name="merged_addresses")

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.email


class Activity(models.Model):
    """An entry of a contact's timeline."""

    contact = models.ForeignKey(Contact, on_delete=models.CASCADE, related_name="activities", db_index=False)
    kind = models.CharField(max_length=12, choices=ActivityKind.choices)
    summary = models.CharField(max_length=MAX_SUMMARY)
    body = models.TextField(blank=True, default="")
    #: The related record, if any; unique per contact and kind.
    reference = models.CharField(max_length=100, blank=True, default="")
    #: The related record's admin path, without the host.
    link = models.CharField(max_length=300, blank=True, default="")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    happened_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        verbose_name_plural = "activities"
        ordering = ["-happened_at", "-id"]
        indexes = [models.Index("contact", "happened_at", "id", name="activity_of_contact")]
        constraints = [
            models.UniqueConstraint(fields=["contact", "kind", "reference"], condition=~Q(reference=""), name="activity_once")
        ]

    def __str__(self) -> str:
        return self.summary


class AssignmentRule(AssignmentRuleBase):
    """Assigns new contacts. The first matching rule with available assignees applies; they take turns."""

    #: Empty matches any country.
    countries = models.JSONField(blank=True, default=list)
    sources = models.JSONField(blank=True, default=list)
