"""The SMTP backend: Django's, which can also send mails whose envelope has no sender, and waits for no reply for ever."""

import socket
from contextlib import suppress
from smtplib import SMTP, SMTP_SSL, SMTPRecipientsRefused, SMTPSenderRefused, SMTPServerDisconnected
from threading import Event, Timer
from typing import Any

from django.core.mail.backends.smtp import EmailBackend
from django.core.mail.message import sanitize_address

#: Seconds for a reply if there is no EMAIL_TIMEOUT.
DEFAULT_TIMEOUT_SECONDS = 60.0


class LimitedReplies(SMTP):
    """Allows the timeout for a whole reply: a server that sends a byte now and then would stop all mail."""

    def getreply(self) -> tuple[int, bytes]:
        is_late = Event()

        def end() -> None:
            is_late.set()
            # It ends whatever waits for the socket.
            with suppress(OSError):
                if self.sock is not None:
                    self.sock.shutdown(socket.SHUT_RDWR)

        # Without EMAIL_TIMEOUT, it is no number.
        timer = Timer(self.timeout if isinstance(self.timeout, int | float) else DEFAULT_TIMEOUT_SECONDS, end)
        timer.daemon = True
        timer.start()
        try:
            reply = super().getreply()
        finally:
            timer.cancel()
        if is_late.is_set():
            self.close()
            raise SMTPServerDisconnected("The reply took too long")
        return reply


class LimitedSslReplies(LimitedReplies, SMTP_SSL):
    """The same over TLS from the beginning."""


class SmtpBackend(EmailBackend):
    """Sends a message with `null_sender` from `<>`, or from its usual sender to a server that refuses that."""

    @property
    def connection_class(self) -> type[SMTP]:
        return LimitedSslReplies if self.use_ssl else LimitedReplies

    def send_messages(self, email_messages: Any) -> int:
        if not email_messages:
            return 0
        is_new_connection = self.open()
        try:
            return sum(self._send_one(each) for each in email_messages)
        finally:
            if is_new_connection:
                self.close()

    def _send_one(self, message: Any) -> int:
        # Without a connection, which `fail_silently` allows, Django sends nothing.
        if self.connection and getattr(message, "null_sender", False) and self._send_without_sender(message):
            return 1
        return super().send_messages([message]) or 0

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
