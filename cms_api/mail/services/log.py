"""The mail log: resends failed mails and deletes old ones."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.wakeups import wake

from ..models import OutgoingMail
from ..selectors import QUEUE
from ..types import RETENTION, MailState

#: Rows deleted in one transaction.
_AT_ONCE = 500


@transaction.atomic
def resend(*, mail: OutgoingMail, user: Any = None) -> bool:
    """Make a failed mail due again, the same message with all its retries; return whether it had failed."""
    made_due = _make_due(OutgoingMail.objects.filter(pk=mail.pk)) == 1
    if made_due:
        # Not the subject: the audit log is kept forever.
        log(instance=mail, action="mail.resend", user=user, title=f"{mail.template} {mail.pk}")
        wake(QUEUE)
    return made_due


@transaction.atomic
def resend_failed(*, user: Any = None) -> int:
    """Resend every failed mail, after an outage that outlasted the retries; return how many there were."""
    failed = OutgoingMail.objects.filter(state=MailState.FAILED)
    return sum(resend(mail=mail, user=user) for mail in failed.defer("text", "html").iterator(_AT_ONCE))


def _make_due(mails: QuerySet[OutgoingMail]) -> int:
    return mails.filter(state=MailState.FAILED).update(**OutgoingMail.requeued())


def drop_old() -> None:
    """Delete finished mails after RETENTION: they contain personal messages."""
    old = OutgoingMail.objects.exclude(state=MailState.WAITING).filter(created_at__lt=timezone.now() - RETENTION)
    while keys := list(old.order_by("created_at").values_list("pk", flat=True)[:_AT_ONCE]):
        OutgoingMail.objects.filter(pk__in=keys).delete()
