"""Cuts quoted text off received emails, with a time limit."""

import logging

from cms_api.core.apart import Limits, ReadingFailed, run_apart

from ..types.bodies import NO_TEXT
from ..types.mail import IncomingMail
from ..types.quotes import above_marker, cut, cut_content, is_forwarded, normalize

logger = logging.getLogger(__name__)

LIMITS = Limits(cpu_seconds=10)
#: Texts of so many characters are cut in this process: even hostile ones take a fraction of a second.
_SHORT_CHARACTERS = 4_000


def answer_of(mail: IncomingMail) -> tuple[str, str]:
    """Return what an email says without what it quotes, and its full text, or an empty one if nothing was cut off.

    Of a forwarded email nothing is cut off.
    """
    text = normalize(mail.text) or NO_TEXT
    if mail.is_forward or is_forwarded(text):
        return text, ""
    answer = _cut(text)
    return answer, "" if answer == text else text


def _cut(text: str) -> str:
    if len(text) <= _SHORT_CHARACTERS:
        return cut(text)
    try:
        answer: str = run_apart(cut_content, text.encode(), limits=LIMITS)
    except ReadingFailed:
        logger.warning("The text of an email could not be cut: it took too long.")
        return above_marker(text) or text
    return answer.strip() or text
