"""A mail backend that writes each message to its own file, for development and tests."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class FileBackend(BaseEmailBackend):
    """Writes files to EMAIL_FILE_PATH, with names that sort by time; each file appears whole or not at all."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        folder = Path(settings.EMAIL_FILE_PATH)  # type: ignore[misc]
        folder.mkdir(parents=True, exist_ok=True)
        for message in email_messages:
            name = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{uuid.uuid4().hex[:8]}.eml"
            hidden = folder.parent / f".{name}"
            hidden.write_bytes(self._content(message))
            hidden.replace(folder / name)
        return len(email_messages)

    @staticmethod
    def _content(message: EmailMessage) -> bytes:
        content: Any = message.message()
        return bytes(content.as_bytes(linesep="\r\n"))
