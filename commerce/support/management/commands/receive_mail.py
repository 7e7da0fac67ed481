"""`manage.py receive_mail`: receives one email from standard input, for mail servers."""

import logging
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from cms_api.core.commands import refuse_unfinished
from cms_api.flags.selectors import is_on

from ...services import receive_mail
from ...types.mail import MAX_MAIL_BYTES

logger = logging.getLogger(__name__)

#: Exit codes of mail programs (sysexits.h): the server returns a refused email, and tries again after a temporary failure.
EXIT_REFUSED, EXIT_TEMPORARY = 65, 75


class Command(BaseCommand):
    help = "Receives one email from standard input, and opens a support ticket or adds a message to one."
    # The mail server waits, and the database may be away.
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--recipient", action="append", default=[], help="The address that the server delivers it to.")

    def handle(self, *args: Any, recipient: list[str], **options: Any) -> None:
        raw = sys.stdin.buffer.read(MAX_MAIL_BYTES + 1)
        if not raw.strip() or len(raw) > MAX_MAIL_BYTES:
            self._exit(EXIT_REFUSED, "The email is empty." if not raw.strip() else "The email is too large.")
        try:
            refuse_unfinished()
            if not is_on("support"):
                self._exit(EXIT_TEMPORARY, "The ticket system is switched off.")
            receive_mail(raw=raw, recipients=recipient)
        except Exception:
            logger.exception("An email could not be received.")
            self._exit(EXIT_TEMPORARY, "The email could not be received. It will be tried again.")

    def _exit(self, code: int, sentence: str) -> None:
        self.stderr.write(sentence)
        sys.exit(code)
