"""Reasons and limits of points. No database access."""

FEATURE = "loyalty"

MAX_REASON = 30
MAX_REFERENCE = 100
MAX_NOTE = 300
#: Maximum points per entry.
MAX_POINTS = 1_000_000_000

REVIEW, SIGNUP, ADJUSTMENT = "review", "signup", "adjustment"

#: Labels of this module's reasons; other modules' reasons are shown as they are.
_WORDS = {REVIEW: "Review", SIGNUP: "Joined", ADJUSTMENT: "Adjustment"}


def reason_in_words(reason: str) -> str:
    return _WORDS.get(reason) or reason.replace("_", " ").capitalize()


def points_in_words(points: int) -> str:
    """Format points with a sign, such as `+50`."""
    return f"{points:+d}"
