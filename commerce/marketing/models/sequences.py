"""Email sequences, their steps and enrolments."""

from datetime import timedelta

from django.db import models
from django.db.models import Q
from modelcluster.fields import ParentalKey
from modelcluster.models import ClusterableModel
from wagtail.fields import RichTextField

from cms_api.mail.types import MAX_SUBJECT
from commerce.common.types import MAX_TAG

from ..types import MAX_SEQUENCE, MAX_SLUG, EnrolmentState, Trigger, Unit, delay_of
from .subscribers import Subscriber

#: Features of the step editor.
FEATURES = ["h2", "h3", "bold", "italic", "ul", "ol", "link", "hr"]


class Sequence(ClusterableModel):
    """A series of emails sent to each enrolled subscriber. Written by `services` only."""

    name = models.CharField(max_length=MAX_SEQUENCE)
    #: Used by other modules; never changes.
    slug = models.SlugField(max_length=MAX_SLUG, unique=True)
    #: While off, nothing is sent, and subscribers are only enrolled by hand.
    enabled = models.BooleanField(default=False)
    trigger = models.CharField("enrolment trigger", max_length=10, choices=Trigger.choices, default=Trigger.MANUAL)
    #: The tag that enrols subscribers, with the tag trigger; otherwise empty.
    tag = models.CharField(max_length=MAX_TAG, blank=True, default="")
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class SequenceStep(models.Model):
    """An email of a sequence."""

    sequence = ParentalKey(Sequence, on_delete=models.CASCADE, related_name="steps")
    position = models.PositiveIntegerField(default=0, editable=False)
    delay = models.PositiveIntegerField("wait", default=1)
    unit = models.CharField(max_length=7, choices=Unit.choices, default=Unit.DAYS)
    subject = models.CharField(max_length=MAX_SUBJECT)
    #: Wagtail rich text with placeholders.
    body = RichTextField("text", features=FEATURES)

    sort_order_field = "position"

    class Meta:
        default_permissions = ()
        verbose_name = "step"
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return self.subject

    @property
    def wait(self) -> timedelta:
        return delay_of(self.delay, self.unit)

    @property
    def wait_in_words(self) -> str:
        return f"{self.delay} {self.unit if self.delay != 1 else self.unit.removesuffix('s')}"


class Enrolment(models.Model):
    """A subscriber's progress in a sequence; one row per subscriber and sequence, so that nobody gets it twice."""

    sequence = models.ForeignKey(Sequence, on_delete=models.CASCADE, related_name="enrolments")
    subscriber = models.ForeignKey(Subscriber, on_delete=models.CASCADE, related_name="enrolments")
    state = models.CharField(max_length=8, choices=EnrolmentState.choices, default=EnrolmentState.ACTIVE)
    #: Set while active. Without a database constraint: if the step is deleted while its email is written, the following step is
    #: sent.
    next_step = models.ForeignKey(
        SequenceStep, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", editable=False
    )
    #: When the next step is due; null unless active.
    next_at = models.DateTimeField(null=True, editable=False)
    #: When the previous step was sent, or the subscriber enrolled; the next step's delay starts here.
    since = models.DateTimeField(editable=False)
    #: Ids of the steps sent, in order.
    sent = models.JSONField(default=list, editable=False)
    enrolled_at = models.DateTimeField(editable=False)

    class Meta:
        default_permissions = ()
        ordering = ["-enrolled_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["sequence", "subscriber"], name="enrolled_once")]
        indexes = [
            models.Index(fields=["sequence", "next_at", "id"], name="enrolment_due", condition=Q(state="active")),
            models.Index(fields=["sequence", "state"], name="enrolment_by_state"),
            models.Index(fields=["sequence", "-enrolled_at", "-id"], name="enrolment_by_date"),
        ]

    def __str__(self) -> str:
        return f"{self.subscriber}: {self.sequence}"
