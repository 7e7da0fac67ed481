"""The statements of a year that donors get by email."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from commerce.common.types import MAX_EMAIL

from ..types.donations import MAX_ERROR

#: It will be sent: it was asked for, and has not failed.
IS_WAITING = Q(sent_at__isnull=True, error="")


class EmailedStatement(models.Model):
    """The statement of a donor's donations of a year. It is sent once, unless staff ask for it again."""

    year = models.PositiveSmallIntegerField()
    email = models.EmailField(max_length=MAX_EMAIL)
    requested_at = models.DateTimeField()
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    sent_at = models.DateTimeField(null=True)
    #: Why it could not be sent.
    error = models.CharField(max_length=MAX_ERROR, blank=True, default="")

    class Meta:
        default_permissions = ()
        indexes = [models.Index("id", name="statement_to_send", condition=IS_WAITING)]
        constraints = [models.UniqueConstraint("year", "email", name="statement_once")]

    def __str__(self) -> str:
        return f"{self.email}, {self.year}"
