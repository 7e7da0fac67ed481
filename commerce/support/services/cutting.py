"""Cuts quoted text off received emails, with a time limit."""

import logging
import subprocess
import sys
from pathlib import Path

import commerce

from ..types.bodies import NO_TEXT
from ..types.mail import IncomingMail
from ..types.quotes import above_marker, cut, is_forwarded, normalized

logger = logging.getLogger(__name__)

#: Seconds that cutting a long text may take.
PATIENCE = 10
#: Texts of so many characters are cut in this process: even hostile ones take a fraction of a second.
_SHORT = 4_000
_ROOT = Path(commerce.__path__[0]).parent


def answer_of(mail: IncomingMail) -> tuple[str, str]:
    """Return what an email says without what it quotes, and its full text, or an empty one if nothing was cut off.

    Of a forwarded email nothing is cut off.
    """
    text = normalized(mail.text) or NO_TEXT
    if mail.is_forward or is_forwarded(text):
        return text, ""
    answer = _cut(text)
    return answer, "" if answer == text else text


def _cut(text: str) -> str:
    if len(text) <= _SHORT:
        return cut(text)
    command = [sys.executable, "-P", "-m", "commerce.support.types.quotes"]
    environment = {"PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    try:
        done = subprocess.run(
            command, input=text.encode(), env=environment, cwd=_ROOT, capture_output=True, timeout=PATIENCE, check=True
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        logger.warning("The text of an email could not be cut: it took too long.")
        return above_marker(text) or text
    return done.stdout.decode().strip() or text
