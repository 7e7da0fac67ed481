"""The listings of an account: submitting, changing, paying and archiving them."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from cms_api.accounts.selectors import has_confirmed_address
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.not_found import found_or_404
from cms_api.http.query import whole_number
from commerce.common.selectors import format_money
from commerce.common.views import account_records, errors_of
from commerce.payments.selectors import is_ready, received_words
from commerce.payments.views import redirect_to_payment

from ..models import Listing, Purchase
from ..resources.account import changed_parts, day_of, pictures_of, purchase_row, standing
from ..selectors.listings import listings_of, owned_listing
from ..selectors.ownership import bought_by, is_term_required, offered_plans, owned_purchase, pending_change, purchases_of
from ..services.account import change_with_pictures, submit_with_pictures
from ..services.purchasing import start_purchase
from ..services.submitting import archive_own_listing
from ..types.listings import ListingStatus
from ..types.terms import PAYABLE, PurchaseStatus, is_endless
from .forms import ListingForm

#: Purchases on the page of a listing, the latest ones.
SHOWN_PURCHASES = 20
SUBMITTED = "Thank you! We'll email you when your listing has been reviewed."
SAVED = "Your changes have been saved."
MODERATED = "Your changes have been saved. Those to the name, the categories or the address appear once we've reviewed them."
ARCHIVED = "Your listing has been archived."
IS_ARCHIVED = "This listing is archived. Contact us to have it listed again."


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    """The form for a new listing, or a link to sign in for guests."""
    is_sent = request.method == "POST"
    if not request.user.is_authenticated:
        return render(request, "directory/submit_guest.html", status=403 if is_sent else 200)
    form = ListingForm(request.POST if is_sent else None, request.FILES if is_sent else None)
    if form.is_valid():
        try:
            listing = submit_with_pictures(user=request.user, values=form.values(), uploads=form.uploads())
        except TooManyAttempts:
            response = render(request, "directory/submit_limit.html", status=429)
            response.headers["Retry-After"] = str(24 * 3600)
            return response
        except Invalid as refusal:
            form.refuse(refusal.errors)
        else:
            messages.success(request, SUBMITTED)
            return redirect("directory_account_listing", listing.pk)
    errors = errors_of(form)
    shown = {"form": form, "errors": errors, "is_term_required": is_term_required()}
    return render(request, "directory/submit.html", shown, status=422 if errors else 200)


@login_required
@require_safe
def listings(request: HttpRequest) -> HttpResponse:
    """The listings of the signed-in visitor, by name."""
    now = timezone.now()
    can_renew = is_term_required()

    def row(listing: Any) -> tuple[Any, ...]:
        path = reverse("directory_account_listing", args=[listing.pk])
        is_renewable = can_renew and listing.status != ListingStatus.ARCHIVED and listing.expires_at is not None
        word = ("Renew" if listing.was_paid else "Pay") if is_renewable else ""
        return listing, path, standing(listing, now), word

    return account_records(request, "directory/account_listings.html", listings_of(request.user), row)


@login_required
@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest, listing: int) -> HttpResponse:
    """A listing for its owner: how it stands, what can be bought for it, and the form that changes it."""
    found = found_or_404(owned_listing(request.user, listing))
    is_archived = found.status == ListingStatus.ARCHIVED
    if request.method == "POST" and is_archived:
        messages.error(request, IS_ARCHIVED)
        return redirect("directory_account_listing", found.pk)
    is_sent = request.method == "POST"
    change = pending_change(found.pk)
    form = ListingForm(request.POST if is_sent else None, request.FILES if is_sent else None, listing=found, change=change)
    if form.is_valid():
        try:
            _change(request, found, form)
            return redirect("directory_account_listing", found.pk)
        except Invalid as refusal:
            form.refuse(refusal.errors)
    errors = errors_of(form)
    now = timezone.now()
    images, pictures = pictures_of(found)
    paid_or_due = purchases_of(found.pk).exclude(status=PurchaseStatus.PENDING, is_processing=False)
    being_paid = set(paid_or_due.filter(is_processing=True).values_list("kind", flat=True))
    shown = {
        "listing": found,
        "standing": standing(found, now),
        "is_live": found.is_live(now),
        "is_archived": is_archived,
        "is_reviewed": found.published_at is not None,
        "term": _term(found),
        "featured_until": day_of(found.featured_until) if found.featured and found.featured_until else "",
        "changed": changed_parts(found, change) if change else [],
        "plans": [] if is_archived else [each for each in _plans(found) if each["plan"].kind not in being_paid],
        "can_pay": is_ready(),
        "is_confirmed": has_confirmed_address(request.user),
        "purchases": [purchase_row(each) for each in paid_or_due[:SHOWN_PURCHASES]],
        "paid": _find_paid(request, found),
        "received": received_words(PAYABLE, *bought_by(request.user, found.pk).values_list("pk", flat=True)),
        "form": None if is_archived else form,
        "errors": errors,
        "images": images,
        "pictures": pictures,
    }
    return render(request, "directory/account_listing.html", shown, status=422 if errors else 200)


def _change(request: HttpRequest, found: Listing, form: ListingForm) -> None:
    """Raises Invalid, and Http404 if the listing has another owner by now."""
    change = change_with_pictures(
        listing=found, user=request.user, values=form.values(), uploads=form.uploads(), removed=form.removed
    )
    messages.success(request, MODERATED if change else SAVED)


def _term(found: Any) -> str:
    """Return what is paid for in a sentence; empty for a listing without a term."""
    if found.expires_at is None:
        return ""
    if not found.was_paid:
        return "Not paid yet" if found.is_expired(timezone.now()) else f"Until {day_of(found.expires_at)}"
    if found.published_at is None:
        return "Paid. Begins when we publish your listing"
    return f"{'Ended on' if found.is_expired(timezone.now()) else 'Until'} {day_of(found.expires_at)}"


def _plans(found: Listing) -> list[dict[str, Any]]:
    """Return what can be bought: terms, then featured placements, without what the listing has without an end."""
    return [
        {
            "plan": plan,
            "price": format_money(plan.price),
            "path": reverse("directory_account_buy", args=[found.pk, plan.pk]),
        }
        for plan in offered_plans().order_by("-kind", "position", "id")
        if not is_endless(found, plan.kind)
    ]


def _find_paid(request: HttpRequest, found: Listing) -> Purchase | None:
    """Return the purchase from whose payment the owner comes back, once it is paid."""
    pk = whole_number(request.GET.get("purchase", ""))
    purchase = owned_purchase(request.user, pk) if pk is not None and pk < 2**63 else None
    return purchase if purchase and purchase.listing_id == found.pk and purchase.status == PurchaseStatus.PAID else None


@login_required
@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: HttpRequest, listing: int) -> HttpResponse:
    """Asks for confirmation; a POST archives the listing."""
    found = found_or_404(owned_listing(request.user, listing))
    if found.status == ListingStatus.ARCHIVED:
        return redirect("directory_account_listing", found.pk)
    if request.method == "POST":
        archive_own_listing(listing=found, user=request.user)
        messages.success(request, ARCHIVED)
        return redirect("directory_account_listing", found.pk)
    return render(request, "directory/account_archive.html", {"listing": found})


@login_required
@cache_control(private=True, no_store=True)
@require_POST
def buy(request: HttpRequest, listing: int, plan: int) -> HttpResponse:
    """Leads to the payment page of a plan for the listing."""
    found = found_or_404(owned_listing(request.user, listing))
    chosen = found_or_404(next((each["plan"] for each in _plans(found) if each["plan"].pk == plan), None))
    page = reverse("directory_account_listing", args=[found.pk])
    try:
        purchase = start_purchase(listing=found, plan=chosen, user=request.user)
    except Invalid as refusal:
        messages.error(request, refusal.message)
        return redirect(page)
    return redirect_to_payment(request, payable=PAYABLE, record_id=purchase.pk, back=page)
