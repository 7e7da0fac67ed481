"""The imports' cards on the admin home."""

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from cms_api.adminkit.cards import RECENT_AGE, Card, count_up_to_max

from ..models import ImportRun
from ..selectors import kinds_of
from ..types import State


def count_failed(request: HttpRequest) -> Card:
    since = timezone.now() - RECENT_AGE
    runs = ImportRun.objects.filter(kind__in=kinds_of(request.user), state=State.FAILED, created_at__gte=since)
    return Card(
        "Imports failed",
        reverse("imports:index") + f"?state={State.FAILED}",
        text="They stopped before the last row. Resume them, or import the file again.",
        icon="upload",
        count=count_up_to_max(runs),
        urgent=True,
    )
