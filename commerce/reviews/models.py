"""Reviews, invitations to write one, and addresses that want no invitations. Written by `services` alone."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.text import Truncator

from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.types import MAX_EMAIL, MAX_NAME

from .types import (
    HIGHEST_RATING,
    LOWEST_RATING,
    MAX_AUTHOR,
    MAX_BODY,
    MAX_KEY,
    MAX_REASON,
    MAX_REPLY,
    MAX_SUBJECT,
    MAX_TITLE,
    MAX_URL,
    InvitationState,
    Provider,
    ReviewStatus,
    Source,
    Subject,
    SubjectKind,
)

PUBLIC = Q(is_visible=True, pending=False)
#: Of the business and of what it offers, from which the average of the site is calculated.
COUNTED = PUBLIC & ~Q(subject_kind=SubjectKind.LISTING)
PENDING = Q(pending=True)
HIDDEN = Q(is_visible=False)


class Invitation(LinkedRecord):
    """Asks a customer once, after an order, an appointment or an event, for reviews of it."""

    source = models.CharField(max_length=20, choices=Source.choices)
    record_id = models.BigIntegerField()
    #: The records that the customer can review besides the business: `[{"kind": "product", "id": 7, "name": "Mug"}]`.
    subjects = models.JSONField(default=list)
    name = models.CharField(max_length=2 * MAX_NAME, blank=True, default="")
    email = models.EmailField(max_length=MAX_EMAIL)
    state = models.CharField(max_length=10, choices=InvitationState.choices, default=InvitationState.WAITING)
    #: Why it was not sent.
    reason = models.CharField(max_length=MAX_REASON, blank=True, default="")
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        default_permissions = ("view", "change")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="invitation_by_creation"),
            models.Index("state", "created_at", "id", name="invitation_by_state"),
            models.Index("email", "created_at", "id", name="invitation_by_email"),
            models.Index("due_at", "id", name="invitation_due", condition=Q(state="waiting")),
        ]
        constraints = [models.UniqueConstraint("source", "record_id", name="invitation_once")]

    def __str__(self) -> str:
        return f"Invitation of {self.name or self.email}"

    @property
    def about(self) -> list[Subject]:
        return [Subject(**each) for each in self.subjects]


class OptOut(models.Model):
    """An address that gets no invitations."""

    email = models.EmailField(max_length=MAX_EMAIL, unique=True)
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.email


class Review(IndexedText, models.Model):
    provider = models.CharField(max_length=10, choices=Provider.choices, default=Provider.SITE, editable=False)
    #: The provider and its own id, as `types.provider_key` joins them; null for a review written on the site.
    provider_key = models.CharField(max_length=MAX_KEY, null=True, unique=True, editable=False)
    author_name = models.CharField("author", max_length=MAX_AUTHOR)
    #: Null for a synced review. Never shown on a page.
    author_email = models.EmailField("email", max_length=MAX_EMAIL, null=True)
    rating = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=MAX_TITLE, blank=True, default="")
    #: Plain text.
    body = models.TextField("review", max_length=MAX_BODY, blank=True, default="")
    #: Its subject; empty if that is the business as a whole.
    subject_kind = models.CharField(max_length=10, choices=SubjectKind.choices, blank=True, default="", editable=False)
    subject_id = models.BigIntegerField(null=True, editable=False)
    #: Its name when the review was written.
    subject_name = models.CharField(max_length=MAX_SUBJECT, blank=True, default="", editable=False)
    #: The invitation whose link was followed: a customer wrote it.
    invitation = models.ForeignKey(
        Invitation, null=True, on_delete=models.PROTECT, related_name="reviews", db_index=False, editable=False
    )
    reply = models.TextField(max_length=MAX_REPLY, blank=True, default="")
    replied_at = models.DateTimeField(null=True, editable=False)
    is_visible = models.BooleanField(default=True, editable=False)
    pending = models.BooleanField(default=False, editable=False)
    hidden_reason = models.CharField(max_length=MAX_REASON, blank=True, default="", editable=False)
    #: Hidden by the spam traps.
    is_spam = models.BooleanField(default=False, editable=False)
    #: Whether its author got loyalty points for it, which pages disclose.
    received_points = models.BooleanField(default=False, editable=False)
    left_at = models.DateTimeField(editable=False)
    #: When an import last found it at its provider, and when one no longer did.
    synced_at = models.DateTimeField(null=True, editable=False)
    removed_at = models.DateTimeField(null=True, editable=False)
    #: Its page at the provider.
    url = models.CharField("URL", max_length=MAX_URL, blank=True, default="", editable=False)
    decided_at = models.DateTimeField(null=True, editable=False)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        # No `delete`: hidden reviews are kept.
        default_permissions = ("add", "view", "change")
        ordering = ["-left_at", "-id"]
        indexes = [
            models.Index("left_at", "id", name="review_by_date"),
            models.Index("created_at", "id", name="review_by_creation"),
            models.Index("updated_at", "id", name="review_by_change"),
            models.Index("rating", "left_at", "id", name="review_by_rating"),
            models.Index("provider", "left_at", "id", name="review_by_provider"),
            # With the rating, so that averages are calculated without reading the rows.
            models.Index("left_at", "id", "rating", name="review_public", condition=COUNTED),
            models.Index("subject_kind", "subject_id", "left_at", "id", "rating", name="review_of_subject", condition=PUBLIC),
            models.Index("left_at", "id", name="review_pending", condition=PENDING),
            models.Index("left_at", "id", name="review_hidden", condition=HIDDEN),
            models.Index("decided_at", name="review_spam", condition=Q(is_spam=True)),
        ]
        constraints = [
            models.UniqueConstraint("invitation", "subject_kind", "subject_id", name="review_once_invited"),
            models.UniqueConstraint("invitation", name="business_review_once_invited", condition=Q(subject_kind="")),
            models.CheckConstraint(condition=Q(rating__gte=LOWEST_RATING, rating__lte=HIGHEST_RATING), name="review_rating"),
            models.CheckConstraint(condition=Q(pending=False) | Q(is_visible=True), name="review_has_one_status"),
            models.CheckConstraint(condition=Q(is_spam=False) | Q(is_visible=False), name="review_spam_is_hidden"),
            models.CheckConstraint(
                condition=Q(subject_kind="", subject_id__isnull=True) | (~Q(subject_kind="") & Q(subject_id__isnull=False)),
                name="review_subject",
            ),
            models.CheckConstraint(
                condition=Q(provider="site", provider_key__isnull=True) | (~Q(provider="site") & Q(provider_key__isnull=False)),
                name="review_provider",
            ),
        ]

    def __str__(self) -> str:
        return f"Review by {self.author_name}"

    @property
    def is_public(self) -> bool:
        return self.is_visible and not self.pending

    @property
    def status(self) -> ReviewStatus:
        if not self.is_visible:
            return ReviewStatus.HIDDEN
        return ReviewStatus.PENDING if self.pending else ReviewStatus.PUBLIC

    @property
    def excerpt(self) -> str:
        return self.title or Truncator(" ".join(self.body.split())).chars(80)

    @property
    def search_text(self) -> str:
        return " ".join(
            unique_words(f"{self.author_name} {self.author_email or ''} {self.title} {self.body} {self.subject_name}")
        )
