"""The Retry-After header of other servers."""

from datetime import datetime
from email.utils import parsedate_to_datetime


def retry_after_seconds(header: str, now: datetime) -> float | None:
    """Return a Retry-After header in seconds, from a number of seconds or an HTTP date; None if it is neither."""
    text = header.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
        return max(0.0, (moment - now).total_seconds()) if moment.tzinfo else None
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
