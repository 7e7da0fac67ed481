"""The figures of a range beside those of the range before, as people read them."""

from collections.abc import Mapping
from dataclasses import dataclass

from .labels import change, change_in_points, duration, number, percent
from .reports import figures

FIGURES = (
    ("Visitors", "visitors", number),
    ("Page views", "pageviews", number),
    ("Sessions", "sessions", number),
    ("Bounce rate", "bounce_rate", percent),
    ("Duration", "avg_duration_seconds", duration),
    ("Conversions", "conversions", number),
)


@dataclass(frozen=True, slots=True)
class Compared:
    title: str
    figure: str
    #: The change in words, and the figure of the range before; that is empty if nobody came then.
    change: str
    before: str = ""
    #: `good`, `bad` or nothing.
    tone: str = ""


def compare(now: Mapping[str, int], before: Mapping[str, int], *, without_bounces: bool = False) -> list[Compared]:
    """Return the figures of the sums of a range and of the range before; there is no rate of bounces that are excluded."""
    current, previous = figures(now), figures(before)
    found = []
    for title, name, show in FIGURES:
        if without_bounces and name == "bounce_rate":
            continue
        if not previous[name] and not before["sessions"]:
            found.append(Compared(title, show(current[name]), "none before"))
            continue
        is_rate = name == "bounce_rate"
        words, direction = (change_in_points if is_rate else change)(current[name], previous[name])
        tone = {1: "bad" if is_rate else "good", -1: "good" if is_rate else "bad", 0: ""}[direction]
        found.append(Compared(title, show(current[name]), words, show(previous[name]), tone))
    return found
