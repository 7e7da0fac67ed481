"""Endpoints, the outbox, and all deliveries with their attempts."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from cms_api.core.leases import Leased, Retried

from .types import DeliveryStatus, new_secret


class Endpoint(Leased):
    """A URL to which selected events are sent, by the one worker that has its lease."""

    url = models.CharField(max_length=2048)
    events = models.JSONField(default=list)
    description = models.CharField(max_length=255, blank=True, default="")
    enabled = models.BooleanField(default=True)
    secret = models.CharField(max_length=64, default=new_secret, editable=False)
    #: Also signs until `previous_secret_until`, after a rotation.
    previous_secret = models.CharField(max_length=64, blank=True, default="", editable=False)
    previous_secret_until = models.DateTimeField(null=True, editable=False)
    #: Failed deliveries since the last success.
    failure_count = models.PositiveIntegerField(default=0, editable=False)
    disabled_at = models.DateTimeField(null=True, editable=False)
    disabled_reason = models.CharField(max_length=255, blank=True, default="", editable=False)
    last_delivery_at = models.DateTimeField(null=True, editable=False)
    last_response_code = models.PositiveSmallIntegerField(null=True, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "webhook"
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.url


class OutboxEvent(models.Model):
    """An event as it was when it happened; written in the transaction of the change itself."""

    kind = models.CharField(max_length=60)
    occurred_at = models.DateTimeField(db_index=True)
    #: The JSON of `data`, byte for byte as it is sent.
    payload = models.BinaryField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.kind


class Delivery(Retried):
    """The delivery of an event to an endpoint. Its id is the `delivery_id` by which a receiver can drop duplicates."""

    PENDING = {"status": DeliveryStatus.PENDING}
    SUCCEEDED = {"status": DeliveryStatus.DELIVERED}
    FAILED = {"status": DeliveryStatus.FAILED}

    event = models.ForeignKey(OutboxEvent, on_delete=models.CASCADE, related_name="deliveries")
    #: Without a constraint: an event may be written while its subscription is being deleted, and must not fail.
    endpoint = models.ForeignKey(
        Endpoint, on_delete=models.CASCADE, related_name="deliveries", db_index=False, db_constraint=False
    )
    #: The default is in the database, for processes that were started before the column was added.
    lost = models.PositiveIntegerField(default=0, db_default=0)
    status = models.CharField(max_length=10, choices=DeliveryStatus.choices, default=DeliveryStatus.PENDING)
    response_code = models.PositiveSmallIntegerField(null=True)
    duration_ms = models.PositiveIntegerField(null=True)
    answer = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        verbose_name_plural = "deliveries"
        ordering = ["-id"]
        indexes = [
            models.Index("endpoint", "id", name="delivery_log"),
            models.Index("endpoint", "next_attempt_at", name="delivery_due", condition=Q(status="pending")),
        ]

    def __str__(self) -> str:
        return f"Delivery {self.pk}"


class Attempt(models.Model):
    """One call to an endpoint and its outcome."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="log")
    number = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    response_code = models.PositiveSmallIntegerField(null=True)
    duration_ms = models.PositiveIntegerField()
    answer = models.TextField(blank=True, default="")
    error = models.CharField(max_length=500, blank=True, default="")

    class Meta:
        default_permissions = ()
        ordering = ["number", "id"]

    def __str__(self) -> str:
        return f"Attempt {self.number} of delivery {self.delivery_id}"
