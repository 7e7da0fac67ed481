"""Reviews: providers and their files, statuses, what is reviewed, limits, and ratings. No database access."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db.models import TextChoices

from cms_api.core.errors import Invalid
from commerce.common.types.lenient import Unusable, read_json

#: Changes with every change of a public review; pages depend on it, or on the tag of what they are about.
VERSION = "reviews"

LOWEST_RATING, HIGHEST_RATING = 1, 5
RATINGS = range(LOWEST_RATING, HIGHEST_RATING + 1)
MAX_AUTHOR = 100
MAX_TITLE = 150
MAX_BODY = 5000
MAX_REPLY = 5000
MAX_REASON = 300
MAX_ID = 200
MAX_KEY = MAX_ID + 11
MAX_URL = 500
MAX_SUBJECT = 300
#: How long spam is kept, for somebody to find a mistake.
SPAM_RETENTION = timedelta(days=30)
#: The reason why a review is hidden that its provider no longer has.
REMOVED = "Removed at its provider."

#: The labels of the ratings on the form.
RATING_LABELS = {5: "Excellent", 4: "Good", 3: "Average", 2: "Poor", 1: "Terrible"}


class Provider(TextChoices):
    GOOGLE = "google", "Google"
    FACEBOOK = "facebook", "Facebook"
    YELP = "yelp", "Yelp"
    TRUSTPILOT = "trustpilot", "Trustpilot"
    #: Written on the site itself.
    SITE = "site", "This site"


#: Providers whose reviews are imported.
SYNCED = (Provider.GOOGLE, Provider.FACEBOOK, Provider.YELP, Provider.TRUSTPILOT)
#: Reviews in a JSON file.
MAX_ROWS = 20_000
#: The names of each value in ours, and in the APIs and exports of Google (Business Profile, Places, Takeout), Facebook, Yelp and
#: Trustpilot; dots lead into objects.
_DISPLAY_NAMES = ("authorAttribution.displayName", "consumer.displayName")
NAMES: Mapping[str, tuple[str, ...]] = {
    "provider_id": ("provider_id", "reviewId", "open_graph_story.id", "id", "author_url"),
    "author_name": ("author_name", "reviewer.displayName", "reviewer.name", "user.name", *_DISPLAY_NAMES),
    "rating": ("rating", "starRating", "stars", "recommendation_type"),
    "title": ("title",),
    "body": ("body", "comment", "review_text", "originalText.text", "text.text", "text"),
    "reply": ("reply", "reviewReply.comment", "companyReply.text"),
    "url": ("url", "googleMapsUri"),
    "left_at": ("left_at", "createTime", "created_time", "time_created", "publishTime", "createdAt", "time"),
}
#: The names of the list of reviews in the answers of the APIs.
LISTS = ("reviews", "data")


class ReviewStatus(TextChoices):
    """Derived from `is_visible` and `pending`, of which a review has at most one of three combinations."""

    PUBLIC = "public"
    PENDING = "pending"
    HIDDEN = "hidden"


class SubjectKind(TextChoices):
    """The kinds of records that a review may be about; a review without a subject is about the business."""

    PRODUCT = "product"
    EVENT = "event"
    SERVICE = "service"
    #: A business of the directory: not the site's own, so its reviews do not count for the site.
    LISTING = "listing"


#: Everybody may review these; the others are reviewed by customers, who are invited.
OPEN_KINDS = frozenset({SubjectKind.LISTING})


class InvitationState(TextChoices):
    WAITING = "waiting"
    SENT = "sent"
    #: Nobody is asked any more: it was cancelled, refunded, or the customer wants no invitations.
    SKIPPED = "skipped", "Not sent"


class Source(TextChoices):
    """The kinds of records after which customers are asked for a review. Rows store the value, so never change it."""

    ORDER = "order"
    APPOINTMENT = "appointment"
    TICKET_ORDER = "ticket_order"


@dataclass(frozen=True, slots=True)
class Subject:
    """A record that can be reviewed."""

    kind: str
    id: int
    name: str
    #: The path of its public page; empty while it has none.
    path: str = ""

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.id}"

    @property
    def tag(self) -> str:
        return subject_tag(self.kind, self.id)


def subject_tag(kind: str, pk: int) -> str:
    """Return the tag of pages that show the reviews of a record."""
    return f"reviews:{kind}:{pk}"


def provider_key(provider: str, provider_id: str) -> str:
    """Return the key of a synced review, which is unique: `google:AbFvOq`."""
    return f"{provider}:{provider_id}"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """How often each rating was given."""

    counts: Mapping[int, int]

    @property
    def count(self) -> int:
        return sum(self.counts.values())

    @property
    def average(self) -> Decimal | None:
        """Return the average with one decimal, rounded half up; None without reviews."""
        if not self.count:
            return None
        total = sum(rating * count for rating, count in self.counts.items())
        return (Decimal(total) / self.count).quantize(Decimal("0.1"), ROUND_HALF_UP)

    def percent(self, rating: int) -> int:
        """Return the share of a rating."""
        return round(100 * self.counts.get(rating, 0) / self.count) if self.count else 0


def stars(rating: Decimal | int) -> list[str]:
    """Return the five stars of a rating, each `full`, `half` or `empty`."""
    halves = int((Decimal(rating) * 2).to_integral_value(ROUND_HALF_UP))
    return ["full" if halves >= 2 * place else "half" if halves == 2 * place - 1 else "empty" for place in RATINGS]


def values_of_file(content: bytes) -> list[dict[str, str | None]]:
    """Return the values of each review in a JSON file: a list of reviews, or an answer of an API. Raises Invalid (`file`).

    It may be made to take much time or memory: run it apart.
    """
    try:
        found = read_json(content)
    except ValueError:
        raise Invalid({"file": "This is no JSON file."}) from None
    if isinstance(found, dict):
        found = found["result"] if isinstance(found.get("result"), dict) else found
        found = next((found[name] for name in LISTS if name in found), None)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Invalid({"file": "The file has no list of reviews."})
    if len(found) > MAX_ROWS:
        raise Invalid({"file": f"The file has more than {MAX_ROWS:,} reviews. Split it into several files."})
    return [{name: _storable(name, _first(row, paths)) for name, paths in NAMES.items()} | _id_of_resource(row) for row in found]


def _id_of_resource(row: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the id of a review whose name is a path of Google's, such as `places/A/reviews/B`, if it has no other."""
    name = row.get("name")
    _, is_path, key = name.rpartition("/reviews/") if isinstance(name, str) else ("", "", "")
    return {"provider_id": key} if is_path and key and not row.get("reviewId") and _storable("provider_id", key) else {}


def _storable(name: str, text: str | None) -> str | None:
    """Return a text with the halves of pairs in UTF-16 replaced, which programs leave where they cut one; an id is none then."""
    found = text and text.encode("utf-8", "replace").decode()
    return None if name == "provider_id" and found != text else found


def _first(row: Mapping[str, Any], paths: tuple[str, ...]) -> str | None:
    """Return the first value that is there and no object."""
    for path in paths:
        found: Any = row
        for key in path.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        if found is not None and not isinstance(found, dict | list | Unusable):
            return str(found)
    return None
