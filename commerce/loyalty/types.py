"""What points are given and taken for: rules that need no database."""

FEATURE = "loyalty"

MAX_REASON = 30
MAX_REFERENCE = 100
MAX_NOTE = 300
#: Of one entry.
MAX_POINTS = 1_000_000_000

REVIEW, SIGNUP, ADJUSTMENT = "review", "signup", "adjustment"

#: How the reasons of this module are called; other modules' are shown as they are written.
_WORDS = {REVIEW: "Review", SIGNUP: "Joined", ADJUSTMENT: "Adjustment"}


def reason_in_words(reason: str) -> str:
    return _WORDS.get(reason) or reason.replace("_", " ").capitalize()


def points_in_words(points: int) -> str:
    """With a sign, such as `+50`."""
    return f"{points:+d}"
