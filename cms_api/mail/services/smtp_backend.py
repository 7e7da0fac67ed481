"""The SMTP backend: Django's, which can also send mails whose envelope has no sender."""

from smtplib import SMTPRecipientsRefused, SMTPSenderRefused
from typing import Any

from django.core.mail.backends.smtp import EmailBackend
from django.core.mail.message import sanitize_address


class SmtpBackend(EmailBackend):
    """Sends a message with `null_sender` from `<>`, or from its usual sender to a server that refuses that."""

    def _send(self, email_message: Any) -> bool:
        if getattr(email_message, "null_sender", False) and self._send_without_sender(email_message):
            return True
        return bool(super()._send(email_message))  # type: ignore[misc]

    def _send_without_sender(self, email_message: Any) -> bool:
        recipients = [sanitize_address(each, "utf-8") for each in email_message.recipients()]
        content = email_message.message().as_bytes(linesep="\r\n")
        assert self.connection is not None
        try:
            self.connection.sendmail("", recipients, content)
        except SMTPSenderRefused:
            return False
        except SMTPRecipientsRefused as refusal:
            # Some servers wait for the recipient before they refuse the sender.
            if any(code == 550 and b"sender" in answer.lower() for code, answer in refusal.recipients.values()):
                return False
            raise
        return True
