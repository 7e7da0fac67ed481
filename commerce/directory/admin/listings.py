"""Listings in the admin: the list, the form, moderation, and a page with everything about one."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, reverse
from django.utils import timezone
from django.utils.html import format_html
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets.button import BaseButton, Button
from wagtail.permissions import policy_registry

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn, person
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.core.time_zones import zone_label
from cms_api.fields.places import DAYS
from cms_api.http.wire import instant
from cms_api.text.search import matching
from commerce.common.admin.cells import link, paragraphs
from commerce.common.admin.hours import period_words
from commerce.common.selectors import format_money
from commerce.common.types.hours import Weekday
from commerce.crm.selectors import contact_page

from ..models import Category, Claim, Listing, ListingChange, Purchase
from ..resources.account import changed_parts
from ..selectors.listings import live, with_pictures
from ..selectors.ownership import changes, claims, pending_change, pending_claims, purchases_of
from ..services.saving import delete_listing, save_listing
from ..services.statuses import archive_listing, feature_listing, publish_listing, set_status
from ..services.submitting import approve_change, reject_change
from ..types.listings import LIVE, ChangeStatus, ListingStatus
from .claims import TONES as CLAIM_TONES
from .claims import ReasonForm
from .forms import PANELS, ListingForm, as_typed
from .purchases import TONES as PURCHASE_TONES
from .words import category_names, featured_words, hours_rows, is_over, owner_words, status_note, tone

#: The value of the status filter for published listings whose term has ended.
EXPIRED = "expired"
#: Purchases, and claims, that the page of a listing shows.
SHOWN_RECORDS = 20


def by_status(found: QuerySet[Listing], name: str, value: str) -> QuerySet[Listing]:
    now = timezone.now()
    if value == LIVE:
        return found.filter(live(now))
    if value == EXPIRED:
        return found.filter(status=ListingStatus.PUBLISHED, expires_at__lte=now)
    return found.filter(status=value)


def by_moderation(found: QuerySet[Listing], name: str, value: str) -> QuerySet[Listing]:
    waiting: QuerySet[Any] = changes(status=ChangeStatus.PENDING) if value == "change" else pending_claims()
    return found.filter(pk__in=waiting.order_by().values("listing"))


def by_owner(found: QuerySet[Listing], name: str, value: str) -> QuerySet[Listing]:
    for word in value.split()[:5]:
        found = found.filter(
            Q(owner__email__icontains=word) | Q(owner__first_name__icontains=word) | Q(owner__last_name__icontains=word)
        )
    return found


def has_status(*statuses: ListingStatus) -> Any:
    return lambda listing: listing.status in statuses


def is_submission(listing: Listing) -> bool:
    """Return whether a listing was submitted, and never published."""
    return listing.status == ListingStatus.PENDING and listing.published_at is None


def archive(listing: Listing, user: Any, values: Mapping[str, Any]) -> bool:
    return archive_listing(listing=listing, reason=values.get("reason", ""), user=user)


def reject(change: ListingChange, user: Any, values: Mapping[str, Any]) -> bool:
    return reject_change(change=change, reason=values["reason"], user=user)


def published_words(listing: Listing) -> str:
    if listing.is_expired(timezone.now()):
        return f"{listing} is published. Visitors see it once its term is paid."
    return f"{listing} is online."


APPROVE_CHANGE = Transition(
    "approve_change",
    "Approve changes",
    calling(approve_change, "change"),
    lambda change: f"The changes to {change.listing} are published. The owner has been emailed.",
    "These changes were already decided, or replaced by later ones.",
    offered=lambda change: change.is_pending,
)
REJECT_CHANGE = Transition(
    "reject_change",
    "Reject changes",
    reject,
    lambda change: f"The changes to {change.listing} are rejected. The owner has been emailed.",
    "These changes were already decided, or replaced by later ones.",
    offered=lambda change: change.is_pending,
    form=ReasonForm,
    on_page=True,
    serious=True,
    confirm="The listing stays as it is. The owner gets an email.",
)


def hours_column(day: str) -> Any:
    return lambda listing: (period_words(as_typed(listing.hours.get(day, ()))) or "closed") if listing.hours else ""


class ListingViewSet(RecordViewSet):
    model = Listing
    icon = "globe"
    menu_label = "Listings"
    menu_order = 10
    name = "listings"
    pages = ("add", "edit", "inspect", "delete", "history")
    create_template_name = edit_template_name = "directory_admin/form.html"
    inspect_template_name = "directory_admin/listing.html"
    delete_consequence = "Its claims and changes are deleted too. Its purchases are kept."
    list_display = (
        RecordColumn("name", label="Name", sort_key="sort_key"),
        StatusColumn("status", label="Status", tone=tone, note=status_note),
        Column("categories", label="Categories", accessor=category_names),
        Column("city", label="City"),
        Column("featured", label="Featured", accessor=featured_words),
        MomentColumn("expires_at", label="Expires", empty="Never"),
        NotedColumn(
            "owner",
            label="Owner",
            accessor=lambda each: person(each.owner),
            note=lambda each: each.owner.email if each.owner and person(each.owner) != each.owner.email else "",
        ),
        MomentColumn("created_at", label="Created"),
    )
    nulls_last = ("expires_at",)
    filters = {
        "status": filters.choice([(LIVE, "Live"), (EXPIRED, "Expired"), *ListingStatus.choices], method=by_status),
        "moderation": filters.choice(
            [("change", "A change"), ("claim", "A claim")], label="Awaiting your decision", method=by_moderation
        ),
        "category": filters.record(Category.objects.all(), field_name="categories", label="Category"),
        "featured": filters.choice([("True", "Featured"), ("False", "Not featured")]),
        "expires_at": filters.date_range("Expires"),
        "owner": filters.text("Owner's name or email", method=by_owner),
        "created_at": filters.date_range("Created"),
    }
    search = matching
    search_order = 197
    #: The headings are those of the import, which reads the file again.
    csv = {
        "Slug": "slug",
        "Name": "name",
        "Description": "description",
        "Categories": lambda each: "; ".join(category.name for category in each.categories.all()),
        "Status": "status",
        "Featured": lambda each: "yes" if each.featured else "no",
        "Expires": lambda each: instant(each.expires_at),
        "Street": "street",
        "Street, second line": "street2",
        "City": "city",
        "State or region": "state",
        "Postal code": "postal_code",
        "Country": "country",
        "Latitude": "latitude",
        "Longitude": "longitude",
        "Phone": "phone",
        "Email": "email",
        "Website": "website",
        "Time zone": "timezone",
        **{f"Hours on {label}": hours_column(day) for day, label in zip(DAYS, Weekday.labels, strict=True)},
        "Owner": lambda each: each.owner.email if each.owner else "",
        "Created": "created_at",
    }
    form = ListingForm
    panels = PANELS
    transitions = (
        Transition(
            "publish",
            "Publish",
            calling(publish_listing, "listing"),
            published_words,
            offered=has_status(ListingStatus.PENDING, ListingStatus.ARCHIVED),
        ),
        Transition(
            "feature",
            "Feature",
            calling(feature_listing, "listing", featured=True),
            "{record} is featured, without an end.",
            offered=lambda listing: not listing.featured,
        ),
        Transition(
            "stop_featuring",
            "Stop featuring",
            calling(feature_listing, "listing", featured=False),
            "{record} is no longer featured.",
            offered=lambda listing: listing.featured,
            confirm=lambda listing: (
                "The placement may have been paid for, and its end is not kept." if listing.featured_until else ""
            ),
        ),
        Transition(
            "unpublish",
            "Back to moderation",
            calling(set_status, "listing", status=ListingStatus.PENDING.value),
            "{record} is back in moderation. Visitors no longer see it.",
            offered=has_status(ListingStatus.PUBLISHED, ListingStatus.ARCHIVED),
        ),
        Transition(
            "decline",
            "Decline",
            archive,
            "{record} is declined and archived.",
            offered=is_submission,
            form=ReasonForm,
            on_page=True,
            serious=True,
            confirm="The listing is archived. Its owner gets an email. Payments are not refunded by this.",
        ),
        Transition(
            "archive",
            "Archive",
            archive,
            "{record} is archived. Visitors no longer see it.",
            offered=lambda listing: listing.status != ListingStatus.ARCHIVED and not is_submission(listing),
            serious=True,
            confirm="Visitors no longer see it. The owner is not emailed, and nothing is refunded.",
        ),
    )
    bulk_actions = (
        Bulk(
            "publish",
            "Publish",
            "published",
            "Owners whose listings are published for the first time are emailed.",
            each=calling(publish_listing, "listing"),
        ),
        Bulk(
            "archive",
            "Archive",
            "archived",
            "Visitors no longer see them. Owners whose submissions are declined by this are emailed.",
            each=calling(archive_listing, "listing"),
            serious=True,
        ),
    )
    create, update, delete = by_services(save_listing, "listing", delete_listing)

    def records(self) -> QuerySet[Listing]:
        waiting = ListingChange.objects.filter(listing=OuterRef("pk"), status=ChangeStatus.PENDING)
        found = Listing.objects.select_related("owner").prefetch_related("categories")
        return found.annotate(has_change=Exists(waiting))

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        policy = policy_registry.get_by_type(ListingChange)

        def part(route: str, transition: Transition) -> URLPattern:
            return self.part_pattern(
                f"changes/{route}/<id:pk>/", transition, parts=changes, home=lambda each: self.url(each.listing), policy=policy
            )

        return [part("approve", APPROVE_CHANGE), part("reject", REJECT_CHANGE)]

    def record_buttons(self, record: Listing, user: Any) -> list[BaseButton]:
        if not record.is_live(timezone.now()):
            return []
        return [Button("View page", url=reverse("directory_listing", args=[record.slug]), icon_name="view", priority=12)]

    def facts(self, record: Any) -> dict[str, Any]:
        owner = record.owner
        contact = contact_page(owner.email) if owner else ""
        website = format_html('<a href="{0}" rel="noopener">{0}</a>', record.website) if record.website else None
        place = f"{record.latitude:g}, {record.longitude:g}" if record.place else None
        return {
            "Status": " · ".join(filter(None, (record.get_status_display(), status_note(record)))),
            "Expires": record.expires_at or "Never",
            "Featured": featured_words(record) or "No",
            "Owner": owner_words(record) or "None",
            "Contact": link("Open in the CRM", contact) if contact else None,
            "Categories": category_names(record) or None,
            "Address": ", ".join(record.address_lines) or None,
            "Coordinates": place,
            "Phone": record.phone or None,
            "Email": record.email or None,
            "Website": website,
            "Description": paragraphs(record.description),
            "Published": record.published_at,
            "Created": record.created_at,
            "Changed": record.updated_at,
        }

    def inspect_context(self, record: Any, request: HttpRequest) -> dict[str, Any]:
        listing = with_pictures(Listing.objects.filter(pk=record.pk)).get()
        change = pending_change(record.pk) if record.has_change else None
        return {
            "change": change,
            "change_by": person(change.user) if change else "",
            "changed": changed_parts(listing, change) if change else [],
            "change_transitions": [APPROVE_CHANGE.bind(self, change), REJECT_CHANGE.bind(self, change)] if change else [],
            "hours": hours_rows(listing),
            "zone": zone_label(listing.timezone),
            "opening": _opening(listing),
            "images": _images(listing),
            "purchases": [_purchase_row(each) for each in purchases_of(record.pk)[:SHOWN_RECORDS]],
            "claims": [_claim_row(each) for each in claims().filter(listing=record.pk)[:SHOWN_RECORDS]],
            "is_over": is_over(record),
        }


def _opening(listing: Listing) -> str:
    """Return whether a listing is open now, by its stored opening."""
    if listing.opens_at is None or listing.closes_at is None:
        return ""
    return "Open now" if listing.opens_at <= timezone.now() < listing.closes_at else "Closed now"


def _images(listing: Listing) -> list[tuple[str, Any]]:
    """Return the images of a listing read `with_pictures`, each with its place."""
    named = [("Logo", listing.logo), ("Cover", listing.cover)]
    pictures = [("Picture", each.media) for each in listing.pictures.all()]
    return [(label, media.mediaimage) for label, media in (*named, *pictures) if media is not None]


def _tag(tones: Mapping[Any, str], status: str) -> str:
    return f"records__tag--{tones[status]}" if status in tones else ""


def _purchase_row(purchase: Purchase) -> dict[str, Any]:
    return {
        "purchase": purchase,
        "url": reverse("listing_purchases:inspect", args=[purchase.pk]),
        "amount": format_money(purchase.total),
        "classname": _tag(PURCHASE_TONES, purchase.status),
    }


def _claim_row(claim: Claim) -> dict[str, Any]:
    return {
        "claim": claim,
        "url": reverse("listing_claims:inspect", args=[claim.pk]),
        "name": person(claim.user),
        "classname": _tag(CLAIM_TONES, claim.status),
    }
