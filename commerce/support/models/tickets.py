"""Tickets and the log of their statuses."""

from collections.abc import Iterable

from django.conf import settings
from django.db import models
from django.db.models import Q

from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.types import MAX_EMAIL, MAX_NAME

from ..types.tickets import BEST_RATING, MAX_COMMENT, MAX_REASON, MAX_SUBJECT, Channel, Priority, TicketStatus
from .setup import Category, Tag


class Ticket(LinkedRecord, IndexedText, models.Model):
    """A request for help."""

    #: `SUP-1402`.
    number = models.CharField(max_length=24, unique=True, editable=False)
    subject = models.CharField(max_length=MAX_SUBJECT)
    status = models.CharField(max_length=10, choices=TicketStatus.choices, default=TicketStatus.OPEN, editable=False)
    priority = models.CharField(max_length=10, choices=Priority.choices, default=Priority.NORMAL)
    category = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.SET_NULL, related_name="tickets", db_index=False
    )
    tags = models.ManyToManyField(Tag, blank=True, related_name="tickets")
    channel = models.CharField(max_length=10, choices=Channel.choices, editable=False)
    #: The requester.
    name = models.CharField(max_length=2 * MAX_NAME, blank=True, default="")
    email = models.EmailField(max_length=MAX_EMAIL)
    #: The account that opened it.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        editable=False,
        db_index=False,
    )
    #: Internal messages count too.
    message_count = models.PositiveIntegerField(default=0, editable=False)
    is_spam = models.BooleanField("spam", default=False, editable=False)
    spam_reason = models.CharField(max_length=MAX_REASON, blank=True, default="", editable=False)
    #: When `ticket.created` fired; null for what was spam from the beginning.
    announced_at = models.DateTimeField(null=True, editable=False)
    first_response_at = models.DateTimeField(null=True, editable=False)
    #: Null once it is opened again, like `closed_at`. A ticket that is closed without being resolved counts as resolved then.
    resolved_at = models.DateTimeField(null=True, editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)
    last_message_at = models.DateTimeField(null=True, editable=False)
    #: Since when the requester has to answer: the latest public answer of staff while none of the requester followed.
    waiting_since = models.DateTimeField(null=True, editable=False)
    #: When the requester was reminded to answer.
    nudged_at = models.DateTimeField(null=True, editable=False)
    csat_sent_at = models.DateTimeField(null=True, editable=False)
    csat_rating = models.PositiveSmallIntegerField(null=True, editable=False)
    csat_comment = models.TextField(max_length=MAX_COMMENT, blank=True, default="", editable=False)
    csat_rated_at = models.DateTimeField(null=True, editable=False)
    #: The closed ticket of which this one is the continuation.
    follows = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="continued_by", editable=False)
    #: The ticket that has its messages now.
    merged_into = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="merged", editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        default_permissions = ("add", "view", "change")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="support_ticket_by_creation"),
            models.Index("updated_at", "id", name="support_ticket_by_change"),
            models.Index("last_message_at", "id", name="support_ticket_by_message"),
            models.Index("is_spam", "created_at", "id", name="support_ticket_listed"),
            models.Index("is_spam", "status", "created_at", "id", name="support_ticket_by_status"),
            models.Index("priority", "created_at", "id", name="support_ticket_by_priority"),
            models.Index("email", "created_at", "id", name="support_ticket_by_email"),
            models.Index("assignee", "created_at", "id", name="support_ticket_by_assignee"),
            models.Index("category", "created_at", "id", name="support_ticket_by_category"),
            models.Index("waiting_since", "id", name="support_ticket_waiting", condition=Q(status="pending", is_spam=False)),
            models.Index("nudged_at", "id", name="support_ticket_nudged", condition=Q(status="pending", is_spam=False)),
            models.Index("resolved_at", "id", name="support_ticket_resolved", condition=Q(status="resolved")),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(csat_rating__isnull=True) | Q(csat_rating__gte=1, csat_rating__lte=BEST_RATING),
                name="support_ticket_rating",
            ),
            models.CheckConstraint(
                condition=Q(status="closed", closed_at__isnull=False) | ~Q(status="closed") & Q(closed_at__isnull=True),
                name="support_ticket_closed_at",
            ),
        ]

    def leading_here(self) -> Iterable[LinkedRecord]:
        """Answers to a merged ticket, and to the closed one that this one follows, lead to this one."""
        targets = [pk for pk in (self.pk, self.follows_id) if pk is not None]
        return Ticket.objects.filter(Q(merged_into__in=targets) | Q(pk=self.follows_id, email=self.email))

    def __str__(self) -> str:
        return f"{self.number} {self.subject}"

    @property
    def is_closed(self) -> bool:
        return self.status == TicketStatus.CLOSED

    @property
    def requester(self) -> str:
        """Return the name of the requester, or else the address."""
        return self.name or self.email

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.number} {self.subject} {self.name} {self.email}"))


class StatusChange(models.Model):
    """An entry in the log of a ticket's statuses, from which the clocks are computed. The first is that of its creation."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="status_changes", db_index=False)
    status = models.CharField(max_length=10, choices=TicketStatus.choices)
    at = models.DateTimeField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        default_permissions = ()
        ordering = ["at", "id"]
        indexes = [models.Index("ticket", "at", "id", name="support_status_of_ticket")]

    def __str__(self) -> str:
        return f"{self.status}, {self.at}"
