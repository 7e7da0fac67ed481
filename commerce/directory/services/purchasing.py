"""Purchases of terms and featured placements: started by owners, paid on the payment page, and applied to the listing."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.accounts.selectors import confirmed_address
from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.not_found import NotFound
from cms_api.flags.selectors import site_timezone
from cms_api.webhooks.services import emit
from commerce.payments.selectors import payment_refusal
from commerce.payments.services import close_payments, close_payments_later
from commerce.payments.types import Due
from commerce.sales.services import SalePayable, lapse_unpaid
from commerce.sales.types import Stage

from ..models import Listing, Plan, Purchase
from ..selectors.listings import admin_url
from ..selectors.ownership import offered_plans
from ..types.terms import COLUMNS, PAYABLE, PlanKind, PurchaseStatus, extend, is_endless, sale_refusal
from . import notices
from .changed import invalidate_listings, lock_listing

#: Purchases that nobody paid are cancelled after this time.
UNPAID_FOR = timedelta(days=7)


def start_purchase(*, listing: Listing, plan: Plan, user: Any) -> Purchase:
    """Return a purchase of the plan for an account's listing, to be paid on the payment page.

    One that the account has begun before is continued; with another plan, its payment page is closed. One that a former owner
    has begun is cancelled: money that arrives for it waits for a person. Must not be called in a transaction. Raises Invalid
    (`plan`), and NotFound unless the account owns the listing.
    """
    purchase, is_changed = _start(listing, plan, user)
    if is_changed:
        close_payments(payable=PAYABLE, record_id=purchase.pk)
    return purchase


@transaction.atomic
def _start(listing: Listing, plan: Plan, user: Any) -> tuple[Purchase, bool]:
    locked = lock_listing(listing.pk)
    if locked.owner_id != user.pk:
        raise NotFound
    offered = offered_plans().filter(pk=plan.pk).first()
    email = confirmed_address(user)
    if offered is None:
        raise Invalid({"plan": invalid_choice("plan")})
    if refusal := sale_refusal(locked, offered.kind, user.pk):
        raise Invalid({"plan": refusal})
    if not email:
        raise Invalid({"plan": "Confirm your email address first."})
    if refusal := payment_refusal(offered.price):
        raise Invalid({"plan": refusal})
    now = timezone.now()
    begun = Purchase.objects.select_for_update().filter(listing=locked, kind=offered.kind, status=PurchaseStatus.PENDING).first()
    if begun is not None and begun.buyer_id != user.pk:
        _cancel(begun)
        begun = None
    purchase = begun or Purchase(listing=locked, kind=offered.kind, created_at=now)
    if purchase.is_processing:
        raise Invalid({"plan": "Your payment is on its way. We'll write to you as soon as it has arrived."})
    values = {
        "listing_name": locked.name,
        "plan": offered,
        "plan_name": offered.name,
        "months": offered.months,
        "total_cents": offered.price_cents,
        "currency": offered.currency,
        "buyer": user,
        "email": email,
        "updated_at": now,
    }
    is_changed = purchase.pk is not None and (purchase.plan_id, purchase.total_cents) != (offered.pk, offered.price_cents)
    for name, value in values.items():
        setattr(purchase, name, value)
    purchase.save()
    return purchase, is_changed


class Purchases(SalePayable[Purchase]):
    """The purchases of owners. The listing is locked before the purchase."""

    model, payable, log_prefix = Purchase, PAYABLE, "directory"
    not_due = "This purchase has already been paid, or was cancelled."
    paid_status, refunded_status = PurchaseStatus.PAID, PurchaseStatus.REFUNDED
    stages = {
        PurchaseStatus.PENDING: Stage.PENDING,
        PurchaseStatus.PAID: Stage.PAID,
        PurchaseStatus.REFUNDED: Stage.REFUNDED,
        PurchaseStatus.CANCELLED: Stage.CANCELLED,
    }

    def lock(self, pk: int) -> Purchase | None:
        listing = Listing.objects.filter(purchases=pk).select_for_update(of=("self",), no_key=True).first()
        purchase = Purchase.objects.select_for_update(of=("self",)).filter(pk=pk).first()
        if purchase is not None and listing is not None:
            purchase.listing = listing
        return purchase

    def due(self, record: Purchase) -> Due:
        """Return what a plan costs; the money is for this plan alone."""
        self.check_due(record)
        return_path = f"{self.page(record)}?purchase={record.pk}"
        return self.due_with(record, return_path=return_path, purpose=_purpose(record))

    def check_due(self, record: Purchase) -> None:
        """Raise Invalid (`status`) if it is not pending, or its listing can't have it any more."""
        if not record.is_pending:
            raise Invalid({"status": self.not_due})
        _check_sale(record)

    def describe(self, record: Purchase) -> str:
        return f"{record.plan_name}: {record.listing_name}"

    def page(self, record: Purchase) -> str:
        """Return the path of the listing's page in the owner's account."""
        return reverse("directory_account_listing", args=[record.listing_id])

    def prepare_recording(self, sale: Purchase, user: Any) -> None:
        if sale.is_processing:
            raise Invalid({"status": "A payment for this purchase is on its way."})

    def check_refundable(self, record: Purchase) -> None:
        if record.status != PurchaseStatus.PAID:
            raise Invalid({"status": "Only a paid purchase can be refunded."})

    def become_paid(self, sale: Purchase, payment: Any = None) -> bool:
        """Extend the period of the locked listing, unless the money is for another plan."""
        if payment.purpose not in {"", _purpose(sale)}:
            return False
        listing, now = _check_sale(sale), timezone.now()
        until = getattr(listing, COLUMNS[PlanKind(sale.kind)])
        sale.starts_at = max(now, until) if until else now
        sale.ends_at = _end_of(sale, listing, sale.starts_at)
        self.mark_paid(sale, payment)
        _extend(listing, sale, sale.ends_at)
        emit("directory_listing.paid", sale)
        notices.send_paid(sale)
        notices.record_paid(sale)
        invalidate_listings()
        return True

    def log_paid(self, sale: Purchase, user: Any) -> None:
        """Note it in the history of the listing: a purchase has none."""
        data = {"cents": sale.total_cents, "currency": sale.currency, "plan": sale.plan_name}
        log(instance=sale.listing, action="directory.paid", user=user, data=data)

    def record_refund(self, record: Purchase, refund: Any) -> None:
        super().record_refund(record, refund)
        invalidate_listings()

    def add_up(self, record: Purchase, refund: Any) -> list[str]:
        """Add up what has gone back; a purchase that went back whole takes its period with it."""
        before = record.status
        changed = super().add_up(record, refund)
        if record.status != before and record.listing is not None:
            move = _give_back if record.status == PurchaseStatus.PAID else _take_back
            move(record, record.listing)
        return [*changed, "ends_at"]

    def alternatives(self, payment: Any) -> Sequence[tuple[int, str]]:
        """Return the buyer's other pending purchases of the same amount."""
        known = Purchase.objects.filter(pk=payment.record_id).values("email")
        same = {"currency": payment.currency, "total_cents": payment.amount_cents, "status": PurchaseStatus.PENDING}
        others = Purchase.objects.filter(email__in=known, listing__isnull=False, **same).exclude(pk=payment.record_id)
        return [(each.pk, str(each)) for each in others.order_by("-pk")[:100]]

    def url(self, pk: int) -> str:
        listing = Purchase.objects.filter(pk=pk).values_list("listing", flat=True).first()
        return admin_url(listing) if listing else reverse("listing_purchases:index")


PURCHASES = Purchases()


def _purpose(purchase: Purchase) -> str:
    """Return the plan that is paid for; money for another one is not applied."""
    return f"plan:{purchase.plan_id}"


def _check_sale(purchase: Purchase) -> Listing:
    """Return the listing. Raises Invalid (`status`) if nothing can be paid for it any more, or not by the buyer."""
    listing = purchase.listing
    refusal = sale_refusal(listing, purchase.kind, purchase.buyer_id)
    if listing is None or refusal:
        raise Invalid({"status": refusal})
    return listing


def _end_of(purchase: Purchase, listing: Listing, start: datetime) -> datetime:
    """Return the end of a period from its start; the months are counted from the first of the periods in a row."""
    zone, first = site_timezone(), start
    paid = listing.purchases.filter(kind=purchase.kind, status=PurchaseStatus.PAID).exclude(pk=purchase.pk)
    starts = dict(paid.values_list("ends_at", "starts_at"))
    while (before := starts.pop(first, None)) is not None:
        first = before
    return extend(None, purchase.months, now=start, zone=zone, day=first.astimezone(zone).day)


def _extend(listing: Listing, purchase: Purchase, until: Any) -> None:
    if purchase.kind == PlanKind.TERM:
        listing.expires_at, listing.reminded_days, listing.ended_notice_at = until, None, None
    else:
        listing.featured_until, listing.featured = until, until > timezone.now()
    listing.updated_at = timezone.now()
    listing.save()


def _take_back(purchase: Purchase, listing: Listing) -> None:
    """Take the period of a refunded purchase off its listing, which ends now if it would have ended before; both are locked.

    A period that is over takes nothing from those that were paid for after it.
    """
    until, now = getattr(listing, COLUMNS[PlanKind(purchase.kind)]), timezone.now()
    if until is None or purchase.starts_at is None or purchase.ends_at is None or purchase.ends_at <= now:
        return
    rest = max(min(until, now), until - (purchase.ends_at - purchase.starts_at))
    if rest < until:
        # The purchase keeps what was used.
        purchase.ends_at -= until - rest
        _extend(listing, purchase, rest)


def _give_back(purchase: Purchase, listing: Listing) -> None:
    """Give a listing what `_take_back` took, as the refund has failed after all; both are locked."""
    until, now = getattr(listing, COLUMNS[PlanKind(purchase.kind)]), timezone.now()
    if purchase.starts_at is None or purchase.ends_at is None:
        return
    ends_at = _end_of(purchase, listing, purchase.starts_at)
    taken, purchase.ends_at = ends_at - purchase.ends_at, ends_at
    # One that has it without an end by now keeps that.
    if taken and not is_endless(listing, purchase.kind):
        _extend(listing, purchase, (until or now) + taken)


def cancel_unpaid() -> int:
    """Cancel purchases that nobody has paid for days; return how many."""
    old = Purchase.objects.filter(status=PurchaseStatus.PENDING, is_processing=False, updated_at__lt=timezone.now() - UNPAID_FOR)
    return lapse_unpaid(PURCHASES, old.order_by("pk"), _cancel)


def _cancel(purchase: Purchase) -> None:
    """Cancel a locked purchase, and close its payment page."""
    purchase.status, purchase.is_processing, purchase.updated_at = PurchaseStatus.CANCELLED, False, timezone.now()
    purchase.save(update_fields=["status", "is_processing", "updated_at"])
    close_payments_later(payable=PAYABLE, record_id=purchase.pk)
