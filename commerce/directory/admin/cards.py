"""The admin home's cards for the directory, and its first step."""

from collections.abc import Iterator

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from wagtail.admin.utils import set_query_params
from wagtail.permissions import policy_registry

from cms_api.adminkit.cards import Card, Kind, Step, count_up_to_max

from ..models import Claim, Listing, ListingChange
from ..selectors.ownership import changes, pending_claims
from ..types.listings import ChangeStatus, ListingStatus
from .claims import TO_DECIDE
from .listings import EXPIRED


def listings(request: HttpRequest) -> Iterator[Card]:
    """Submitted listings, and changes of owners, that wait for moderation (two statements)."""
    url = reverse("listings:index")
    if policy_registry.get_by_type(Listing).user_has_permission(request.user, "change"):
        pending = Listing.objects.filter(status=ListingStatus.PENDING)
        yield Card(
            "Listings awaiting moderation",
            set_query_params(url, {"status": ListingStatus.PENDING.value}),
            text="Publish or decline them.",
            icon="globe",
            count=count_up_to_max(pending),
        )
    if policy_registry.get_by_type(ListingChange).user_has_permission(request.user, "change"):
        yield Card(
            "Changes of listings awaiting moderation",
            set_query_params(url, {"moderation": "change"}),
            text="Owners changed the name, the categories or the address.",
            icon="edit",
            count=count_up_to_max(changes(status=ChangeStatus.PENDING)),
        )


def claims(request: HttpRequest) -> Iterator[Card]:
    """Claims that staff decide about, and published listings whose term has ended (two statements)."""
    if policy_registry.get_by_type(Claim).user_has_permission(request.user, "change"):
        yield Card(
            "Claims of listings to decide",
            set_query_params(reverse("listing_claims:index"), {"status": TO_DECIDE}),
            text="Somebody says that a listing is theirs.",
            icon="key",
            count=count_up_to_max(pending_claims()),
        )
    if policy_registry.get_by_type(Listing).user_has_permission(request.user, "change"):
        expired = Listing.objects.filter(status=ListingStatus.PUBLISHED, expires_at__lte=timezone.now())
        yield Card(
            "Listings whose term has ended",
            set_query_params(reverse("listings:index"), {"status": EXPIRED}),
            text="Owners can renew them. Archive those that won't come back.",
            icon="time",
            count=count_up_to_max(expired),
            order=200,
        )


def create(request: HttpRequest) -> Card | None:
    if not policy_registry.get_by_type(Listing).user_has_permission(request.user, "add"):
        return None
    return Card("Directory listing", reverse("listings:add"), Kind.CREATE, icon="globe")


def add_listing(request: HttpRequest) -> Step | None:
    if not policy_registry.get_by_type(Listing).user_has_permission(request.user, "add"):
        return None
    text = "Its categories, address and hours. Or import a spreadsheet."
    return Step("Add a directory listing", reverse("listings:add"), text, done=Listing.objects.exists(), order=75)
