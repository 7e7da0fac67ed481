"""Tickets: statuses, priorities, limits, and short answers that only say thanks. No database access."""

import re
from collections.abc import Mapping

from django.db.models import TextChoices

from cms_api.text.folding import fold

#: The series of numbers.
SERIES = "SUP"
FIRST_NUMBER = 1001
#: Tickets that wait for staff: a view of lists, and no status.
AWAITING_STAFF = "awaiting_staff"
#: The author of answers that an integration sends.
TEAM = "Support team"

MAX_SUBJECT = 200
MAX_BODY = 100_000
MAX_COMMENT = 2000
MAX_REASON = 200
MAX_TITLE = 100
MAX_FILES = 50
MAX_FILE_NAME = 200
MAX_FILE_TYPE = 100
#: For each file that people attach on pages; files in emails may be as large as the email.
MAX_FILE_BYTES = 10 * 1024 * 1024
MAX_WORDS = 50
#: The highest number of minutes of a target: a year.
MAX_TARGET_MINUTES = 366 * 24 * 60
BEST_RATING = 5


class TicketStatus(TextChoices):
    #: Waits for staff.
    OPEN = "open"
    #: Waits for the requester.
    PENDING = "pending"
    RESOLVED = "resolved"
    CLOSED = "closed"


class Priority(TextChoices):
    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    URGENT = "urgent"


class AuthorType(TextChoices):
    STAFF = "staff"
    CUSTOMER = "customer"
    SYSTEM = "system"


class Channel(TextChoices):
    """How a message arrived."""

    EMAIL = "email"
    WEBSITE = "website"
    ADMIN = "admin", "Admin"
    API = "api", "API"
    SYSTEM = "system"


class MailOutcome(TextChoices):
    """The result of receiving an email."""

    OPENED = "opened", "Opened a ticket"
    REPLIED = "replied", "Added to a ticket"
    QUARANTINED = "quarantined", "Opened a ticket marked as spam"
    BOUNCED = "bounced", "Delivery failure noted"
    IGNORED = "ignored", "Automatic email, ignored"
    LOOPED = "looped", "Sent by this site, ignored"


#: After a customer's message, a ticket of one of these is open.
REOPENED = (TicketStatus.PENDING, TicketStatus.RESOLVED)
#: The clocks stop in every other status.
RUNNING = (TicketStatus.OPEN,)
#: Placeholders of canned answers, and their descriptions.
PLACEHOLDERS: Mapping[str, str] = {
    "name": "The requester's first name",
    "number": "The number of the ticket",
    "subject": "The subject of the ticket",
    "agent": "The name of the person who answers",
    "site": "The site's name",
}

_THANKS = re.compile(
    r"(many |ok |okay |great |perfect |super )*"
    r"(thanks?|thank you|thx|cheers|merci|danke|dankeschon|vielen dank|gracias|muchas gracias|grazie|obrigad[oa]|bedankt|dank je"
    r"|tack|tak|dziekuje|dekuji)"
    r"( (so|very) much| a lot| again| everybody| all| beaucoup| sehr| schon| mille| wel| (you|for) .{0,30})?"
)
_NO_WORD = re.compile(r"[\W_]+")
#: Longer texts say more than thanks.
_LONGEST_THANKS = 80


def is_thanks(text: str) -> bool:
    """Return whether a text is nothing but short thanks, in one of a few languages."""
    if len(text) > _LONGEST_THANKS or "?" in text:
        return False
    return bool(_THANKS.fullmatch(_NO_WORD.sub(" ", fold(text)).strip()))


def first_words(text: str) -> str:
    """Return the beginning of a message as a subject: its first line that is not blank."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= MAX_SUBJECT else line[: MAX_SUBJECT - 1].rstrip() + "…"
