"""The mail log: resends failed mails and deletes old ones."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.core.wakeups import wake

from ..models import OutgoingMail
from ..selectors import QUEUE, RESENDABLE, WITHOUT_SECRETS
from ..types import RETENTION, MailState

SECRETS_REMOVED = (
    "This email had a one-time link or code, which has been removed from it, so it can't be sent again. Ask the recipient to "
    "request a new one."
)
#: Rows deleted in one transaction.
_BATCH_ROWS = 500


@transaction.atomic
def resend(*, mail: OutgoingMail, user: Any = None) -> bool:
    """Make a mail that failed, or is held back, due again, with all its retries; return whether it was one.

    Raises Invalid (`mail`) for one that has lost its secrets.
    """
    if OutgoingMail.objects.filter(WITHOUT_SECRETS, pk=mail.pk).exists():
        raise Invalid({"mail": SECRETS_REMOVED})
    found = OutgoingMail.objects.filter(RESENDABLE, pk=mail.pk)
    made_due = found.update(**OutgoingMail.values_to_requeue(), is_limited=False) == 1
    if made_due:
        # Not the subject: the audit log is kept forever.
        log(instance=mail, action="mail.resend", user=user, title=f"{mail.template} {mail.pk}")
        wake(QUEUE)
    return made_due


@transaction.atomic
def resend_failed(*, user: Any = None) -> int:
    """Resend every failed mail, after an outage that outlasted the retries; return how many there were.

    Left out are those that have lost their secrets, and those that were held back until they failed: somebody should look at
    them one by one.
    """
    failed = OutgoingMail.objects.filter(state=MailState.FAILED, is_limited=False).exclude(WITHOUT_SECRETS)
    return sum(resend(mail=mail, user=user) for mail in failed.defer("text", "html", "secret_content").iterator(_BATCH_ROWS))


def drop_old() -> None:
    """Delete finished mails after RETENTION: they contain personal messages."""
    old = OutgoingMail.objects.exclude(state=MailState.WAITING).filter(created_at__lt=timezone.now() - RETENTION)
    while keys := list(old.order_by("created_at").values_list("pk", flat=True)[:_BATCH_ROWS]):
        OutgoingMail.objects.filter(pk__in=keys).delete()
