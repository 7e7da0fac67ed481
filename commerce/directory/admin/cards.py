"""The admin home's cards for the directory, and its first step."""

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.cards import Card, Kind, Step, count_up_to_max

from ..models import Listing
from ..selectors.ownership import changes, pending_claims
from ..types.listings import ChangeStatus, ListingStatus
from .claims import TO_DECIDE
from .listings import EXPIRED


def pending_listings(request: HttpRequest) -> Card:
    """Submitted listings that wait for moderation."""
    return Card(
        "Listings awaiting moderation",
        set_query_params(reverse("listings:index"), {"status": ListingStatus.PENDING.value}),
        text="Publish or decline them.",
        icon="globe",
        count=count_up_to_max(Listing.objects.filter(status=ListingStatus.PENDING)),
    )


def pending_changes(request: HttpRequest) -> Card:
    """Changes by owners that wait for moderation."""
    return Card(
        "Changes of listings awaiting moderation",
        set_query_params(reverse("listings:index"), {"moderation": "change"}),
        text="Owners changed the name, the categories or the address.",
        icon="edit",
        count=count_up_to_max(changes(status=ChangeStatus.PENDING)),
    )


def claims(request: HttpRequest) -> Card:
    """Claims that staff decide about."""
    return Card(
        "Claims of listings to decide",
        set_query_params(reverse("listing_claims:index"), {"status": TO_DECIDE}),
        text="Somebody says that a listing is theirs.",
        icon="key",
        count=count_up_to_max(pending_claims()),
    )


def expired_listings(request: HttpRequest) -> Card:
    """Published listings whose term has ended."""
    expired = Listing.objects.filter(status=ListingStatus.PUBLISHED, expires_at__lte=timezone.now())
    return Card(
        "Listings whose term has ended",
        set_query_params(reverse("listings:index"), {"status": EXPIRED}),
        text="Owners can renew them. Archive those that won't come back.",
        icon="time",
        count=count_up_to_max(expired),
        order=200,
    )


def create(request: HttpRequest) -> Card:
    return Card("Directory listing", reverse("listings:add"), Kind.CREATE, icon="globe")


def add_listing(request: HttpRequest) -> Step:
    text = "Its categories, address and hours. Or import a spreadsheet."
    return Step("Add a directory listing", reverse("listings:add"), text, done=Listing.objects.exists(), order=75)
