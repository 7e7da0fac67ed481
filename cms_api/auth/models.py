"""Tokens, rate limit counters (if the database stores them), and responses stored under idempotency keys."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def usable(self) -> "ApiTokenQuerySet":
        alive = models.Q(expires_at=None) | models.Q(expires_at__gt=timezone.now())
        return self.filter(alive, revoked_at=None)

    def filter_abandoned(self) -> "ApiTokenQuerySet":
        """Return the usable tokens whose creator could not create them any more. Nobody has created those of commands."""
        is_deleted = models.Q(created_by=None) & ~models.Q(creator_name="")
        is_nobody = models.Q(created_by__is_active=False) | models.Q(created_by__is_superuser=False)
        return self.usable().filter(is_deleted | is_nobody)


class ApiToken(models.Model):
    """A bearer token; its plaintext is shown once and never stored."""

    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    last_four = models.CharField(max_length=4, editable=False)
    abilities = models.JSONField(default=list)
    #: The name of a declared `Restriction`, and the record that it is limited to; empty for a token without one.
    restriction = models.CharField(max_length=40, blank=True, default="")
    scope_id = models.BigIntegerField(null=True, editable=False)
    #: The record's title when the token was made: the record may be gone.
    scope_title = models.CharField(max_length=255, blank=True, default="", editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    #: The user name of the creator, whose account may be gone; empty for a token that a command created.
    creator_name = models.CharField(max_length=150, blank=True, default="", editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    #: Set on a token that has just been created, to be shown once.
    plaintext = ""

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = "API token"
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def creator_is_gone(self) -> str:
        """Return why its creator could not create it any more: `deleted`, `deactivated` or `no longer an admin`; empty if not."""
        if self.created_by is None:
            return "deleted" if self.creator_name else ""
        if not self.created_by.is_active:
            return "deactivated"
        return "" if self.created_by.is_superuser else "no longer an admin"

    @property
    def state(self) -> str:
        """`active`, `expired` or `revoked`."""
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at and self.expires_at <= timezone.now() else "active"


class Budget(models.Model):
    """The requests a token or an address has made in the current window; used if there is neither Redis nor SQLite."""

    key = models.CharField(max_length=100, primary_key=True)
    used = models.BigIntegerField()
    resets_at = models.FloatField(db_index=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.key


class IdempotencyRecord(models.Model):
    """The first response to a POST with an Idempotency-Key. Former releases left `status` empty while that request ran."""

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="+")
    #: SHA-256 of path and key.
    scope = models.CharField(max_length=64)
    #: SHA-256 of the body.
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.BinaryField(default=b"")
    started_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["token", "scope"], name="idempotency_once")]

    def __str__(self) -> str:
        return f"{self.token_id}/{self.scope}"
