"""A mail backend that shows each message in at most five lines, for a site that is tried out."""

import re
from typing import Any

from django.core.mail import EmailMessage
from django.core.mail.backends import console

#: Characters of the text that are shown.
TEXT_LENGTH = 200
_LINK = re.compile(r"https?://\S+")
#: The beginning of the signature of an email.
_SIGNATURE = "\n-- \n"


class ConsoleBackend(console.EmailBackend):
    """Writes whom a message is for, its subject, the beginning of its text, its links and the names of its files."""

    def write_message(self, message: EmailMessage) -> None:
        text = message.body.partition(_SIGNATURE)[0]
        shown = {
            "Email to": ", ".join(message.recipients()),
            "Subject": message.subject,
            "Text": _shorten(_LINK.sub("", text)),
            "Links": " ".join(dict.fromkeys(_LINK.findall(text))),
            "Files": ", ".join(filter(None, map(_name_of, message.attachments))),
        }
        lines = [f"{label + ':':<9} {_clean(value)}" for label, value in shown.items() if value]
        self.stream.write("\n" + "\n".join(lines) + "\n")


def _clean(value: object) -> str:
    """Return a value in one line, without what a terminal would obey."""
    return "".join(filter(str.isprintable, " ".join(str(value).split())))


def _shorten(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= TEXT_LENGTH else f"{words[:TEXT_LENGTH].rstrip()} …"


def _name_of(attachment: Any) -> str:
    """Return the name of an attachment, which is a tuple that begins with it, or a part of MIME."""
    return str(attachment.get_filename() or "") if hasattr(attachment, "get_filename") else str(attachment[0] or "")
