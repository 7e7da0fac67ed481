"""Claims in the admin: accounts that ask for a listing."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn, TransitionsColumn, person
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from commerce.common.admin.amounts import RecordActionForm
from commerce.common.admin.cells import link, paragraphs

from ..models import Claim
from ..selectors.listings import admin_url
from ..selectors.ownership import claims, pending_claims
from ..services.claims import approve_claim, reject_claim
from ..types.listings import MAX_REASON, ClaimMethod, ClaimStatus

TONES = {ClaimStatus.PENDING: "warning", ClaimStatus.APPROVED: "positive"}
#: The value of the filter for claims that staff decide about.
TO_DECIDE = "to_decide"


class ReasonForm(RecordActionForm):
    reason = forms.CharField(
        required=False,
        max_length=MAX_REASON,
        widget=AdminAutoHeightTextInput(attrs={"rows": 3}),
        help_text="Optional. It is in the email.",
    )


def by_status(found: QuerySet[Claim], name: str, value: str) -> QuerySet[Claim]:
    return found.filter(pk__in=pending_claims().order_by().values("pk")) if value == TO_DECIDE else found.filter(status=value)


def awaits_code(claim: Claim) -> bool:
    """Return whether the code of a claim has not been entered yet: nobody else decides about it."""
    return claim.is_pending and bool(claim.code_digest)


def reject(claim: Claim, user: Any, values: Mapping[str, Any]) -> bool:
    return reject_claim(claim=claim, reason=values["reason"], user=user)


class ClaimViewSet(RecordViewSet):
    model = Claim
    icon = "key"
    menu_label = "Claims"
    menu_order = 50
    name = "listing_claims"
    url_prefix = "listings/claims"
    pages = ("inspect",)
    list_display = (
        RecordColumn("listing", label="Listing", accessor=lambda each: each.listing.name),
        NotedColumn("user", label="Account", accessor=lambda each: person(each.user), note=lambda each: each.user.email),
        StatusColumn(
            "status",
            label="Status",
            tone=lambda each: TONES.get(ClaimStatus(each.status), ""),
            note=lambda each: "Code not entered yet" if awaits_code(each) else "",
        ),
        NotedColumn("method", label="Method", accessor="get_method_display"),
        MomentColumn("created_at", label="Created"),
        TransitionsColumn(
            "decide", label="Decide", accessor=lambda each: "", shown=lambda each: each.is_pending and not awaits_code(each)
        ),
    )
    filters = {
        "status": filters.choice([(TO_DECIDE, "Awaiting your decision"), *ClaimStatus.choices], method=by_status),
        "method": filters.choice(ClaimMethod.choices),
        "created_at": filters.date_range("Created"),
    }
    transitions = (
        Transition(
            "approve",
            "Approve",
            calling(approve_claim, "claim"),
            lambda claim: f"{person(claim.user)} owns {claim.listing.name} now, and has been emailed.",
            "This claim was already decided.",
            offered=lambda claim: claim.is_pending and not awaits_code(claim),
            confirm=lambda claim: (
                f"{person(claim.user)} ({claim.user.email}) becomes the owner of {claim.listing.name} and can edit it. "
                "Other claims of the listing are rejected."
            ),
        ),
        Transition(
            "reject",
            "Reject",
            reject,
            lambda claim: f"The claim of {person(claim.user)} is rejected. They have been emailed.",
            "This claim was already decided.",
            offered=lambda claim: claim.is_pending,
            form=ReasonForm,
            on_page=True,
            serious=True,
            confirm="The account gets an email. It can claim the listing again.",
        ),
    )

    def records(self) -> QuerySet[Claim]:
        return claims()

    def facts(self, record: Claim) -> dict[str, Any]:
        note = "code not entered yet" if awaits_code(record) else ""
        return {
            "Status": " · ".join(filter(None, (record.get_status_display(), note))),
            "Listing": link(record.listing, admin_url(record.listing_id)),
            "Address of the listing": ", ".join(record.listing.address_lines) or None,
            "Email of the listing": record.listing.email or None,
            "Phone of the listing": record.listing.phone or None,
            "Account": person(record.user),
            "Email of the account": record.user.email,
            "Method": record.get_method_display(),
            "Message": paragraphs(record.message),
            "Reason": record.reason or None,
            "Wrong codes": record.attempts or None,
            "Created": record.created_at,
            "Decided": record.decided_at,
        }
