"""Texts of the lists and pages of real estate."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from ..models import FeedRun, Property, PropertyPhoto
from ..types.listings import HiddenReason, PropertyStatus, RunStatus

TONES = {PropertyStatus.ACTIVE: "positive", PropertyStatus.PENDING: "info"}
RUN_TONES = {
    RunStatus.RUNNING: "info",
    RunStatus.PAUSED: "warning",
    RunStatus.FINISHED: "positive",
    RunStatus.FAILED: "critical",
}
#: Why a listing is hidden, in few words.
SHORT = {
    HiddenReason.NO_DISPLAY: "not for the internet",
    HiddenReason.COMING_SOON: "coming soon",
    HiddenReason.RELISTED: "listed again",
}


def tone(listing: Property) -> str:
    """Return the colour of a listing's status: one that is hidden does not have the colour of what is shown."""
    return TONES.get(PropertyStatus(listing.status), "") if listing.is_shown else ""


def short_hidden_note(listing: Property) -> str:
    """Return why a listing is hidden, for its row of the list."""
    return "" if listing.is_shown else f"Hidden: {SHORT[HiddenReason(listing.hidden_reason)]}"


def hidden_note(listing: Property) -> str:
    return "" if listing.is_shown else f"Hidden: {listing.get_hidden_reason_display()}"


def tag(status: Any) -> str:
    """Return the class of a run's status."""
    return f"records__tag--{RUN_TONES[status]}" if status in RUN_TONES else ""


def run_tone(run: FeedRun) -> str:
    return RUN_TONES.get(RunStatus(run.status), "")


def duration(run: FeedRun) -> str:
    """Return how long a run took, or has taken so far."""
    return length((run.finished_at or timezone.now()) - run.started_at)


def length(given: timedelta) -> str:
    """Return a time as `2 h 5 min`, `3 min 20 s` or `4 s`."""
    seconds = max(0, int(given.total_seconds()))
    if seconds < 1:
        return "Less than 1 s"
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    parts = [(hours, "h"), (minutes, "min"), (0 if hours else seconds, "s")]
    return " ".join(f"{number:,} {unit}" for number, unit in parts if number)


def photo_state(photo: PropertyPhoto) -> str:
    """Return how far the copying of a photo is."""
    if photo.is_linked:
        return "Linked at its source"
    if photo.image_id:
        return "Copied" if photo.next_attempt_at is None else "Copied, to be copied again"
    if photo.next_attempt_at is None:
        return f"Not copied: {photo.error or 'the copy was deleted from the media library'}"
    return f"Tried {photo.failures} times: {photo.error}" if photo.failures > 1 else _waiting(photo)


def _waiting(photo: PropertyPhoto) -> str:
    if photo.failures:
        return f"Tried once: {photo.error}"
    return f"Waiting to be copied: {photo.error}" if photo.error else "Waiting to be copied"
