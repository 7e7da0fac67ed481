"""Demo mails for the log: each declared mail with its sample values, sent days ago, and one that failed."""

from collections.abc import Callable
from datetime import datetime, timedelta
from email.utils import formataddr

from django.utils import timezone

from cms_api.core import registry

from . import selectors
from .models import OutgoingMail
from .services.rendering import render
from .types import RETRY_DELAYS, MailState

_PEOPLE = (("ada@example.com", "Ada Novak"), ("ben@example.com", "Ben Okafor"), ("chen.li@example.com", "Li, Chen"))


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create every mail for a few recipients. None is due: demo data is never mailed."""
    for number, name in enumerate(registry.mails()):
        for days, (address, person) in enumerate(_PEOPLE, start=1):
            _write(f"{name}.{days}", name, address, person, timezone.now() - timedelta(days=days, hours=number % 24))
    if registry.mails():
        name = next(iter(registry.mails()))
        _write("failed", name, "nobody@example.com", "", timezone.now() - timedelta(hours=12), failed=True)


def _write(key: str, name: str, address: str, person: str, written: datetime, *, failed: bool = False) -> None:
    said = render(selectors.words(name), selectors.sample(name))
    outcome = {
        "state": MailState.FAILED if failed else MailState.SENT,
        "attempts": len(RETRY_DELAYS) + 1 if failed else 1,
        "failures": len(RETRY_DELAYS) + 1 if failed else 0,
        "error": "The recipient was refused: 450 4.2.2 Mailbox full" if failed else "",
        "finished_at": timezone.now() if failed else written,
    }
    OutgoingMail.objects.get_or_create(
        message_id=f"<demo.{key}@example.com>",
        defaults={
            **outcome,
            "template": name,
            "recipient": address,
            "recipient_name": person,
            "sender": formataddr((selectors.common_values()["site"], "office@example.com")),
            "subject": said.subject,
            "text": said.text,
            "html": said.html,
            "created_at": written,
        },
    )
