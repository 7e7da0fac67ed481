"""Reviews in the admin: moderation, replies, and imports from providers."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import BaseButton, HeaderButton

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk, ListingAction
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn, TransitionsColumn
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.http.wire import instant
from cms_api.text.search import matching
from commerce.common.admin.amounts import RecordActionForm
from commerce.common.admin.cells import link
from commerce.crm.selectors import contact_page

from ..models import Review
from ..selectors import STATUSES, find_subject, reviews
from ..services import approve_review, hide_review, reply_to_review
from ..types import HIGHEST_RATING, MAX_REASON, MAX_REPLY, RATINGS, Provider, ReviewStatus
from .importing import ImportView

TONES = {ReviewStatus.PUBLIC: "positive", ReviewStatus.PENDING: "warning"}
PUBLISHED = "They are shown on the site immediately. Members receive the loyalty bonus once, whatever the rating."
HIDDEN = "They are kept, and no longer shown. Don't hide reviews because they are bad."


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=MAX_REASON, help_text="Kept in the review's history, such as “Insults a member of our staff”."
    )


class HideForm(ReasonForm, RecordActionForm):
    pass


class ReplyForm(RecordActionForm):
    reply = forms.CharField(
        max_length=MAX_REPLY,
        required=False,
        widget=AdminAutoHeightTextInput(attrs={"rows": 6}),
        help_text="Shown with the review. Leave empty to remove it.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reply"].initial = self.record.reply


def hide(review: Review, user: Any, values: Mapping[str, Any]) -> bool:
    return hide_review(review=review, reason=values["reason"], user=user)


def reply(review: Review, user: Any, values: Mapping[str, Any]) -> bool:
    return reply_to_review(review=review, reply=values["reply"], user=user)


def reply_note(review: Review) -> str:
    """Return the consequence of a reply."""
    if review.author_email and review.replied_at is None:
        return "The author also gets the reply by email."
    if review.provider != Provider.SITE:
        return f"The reply is shown on this site only, not at {review.get_provider_display()}."
    return ""


def rating_text(review: Review) -> str:
    return "★" * review.rating + "☆" * (HIGHEST_RATING - review.rating)


class ReviewAction(ListingAction):
    def get_name(self, record: Review) -> str:
        return f"{record.author_name}: {record.excerpt}"


class ReviewViewSet(RecordViewSet):
    model = Review
    icon = "pick"
    menu_label = "Reviews"
    menu_order = 10
    name = "reviews"
    url_prefix = "reviews"
    pages = ("inspect", "history")
    inspect_template_name = "reviews_admin/review.html"
    ordering = ("-left_at", "-id")
    list_display = (
        RecordColumn("excerpt", label="Review", accessor=lambda each: each.excerpt or "No text"),
        Column("rating", label="Rating", accessor=rating_text, sort_key="rating"),
        NotedColumn("author_name", label="Author", note=lambda each: each.author_email or ""),
        NotedColumn(
            "provider",
            label="Source",
            accessor=lambda each: each.get_provider_display(),
            note=lambda each: each.subject_name,
        ),
        StatusColumn(
            "status", label="Status", accessor=lambda each: each.status.label, tone=lambda each: TONES.get(each.status, "")
        ),
        MomentColumn("left_at", label="Left"),
        TransitionsColumn("decide", label="Moderate", accessor=lambda each: "", shown=lambda each: each.pending),
    )
    filters = {
        "status": filters.choice(
            ReviewStatus.choices, label="Status", method=lambda found, name, value: found.filter(STATUSES[value])
        ),
        "provider": filters.choice(Provider.choices, label="Source"),
        "rating": filters.choice([(str(each), f"{each} stars" if each > 1 else "1 star") for each in reversed(RATINGS)]),
        "left_at": filters.date_range("Left"),
    }
    search = matching
    search_order = 195
    csv = {
        "Provider": "provider",
        "Author": "author_name",
        "Email": lambda each: each.author_email or "",
        "Rating": "rating",
        "Title": "title",
        "Review": "body",
        "About": "subject_name",
        "Reply": "reply",
        "Status": lambda each: each.status.value,
        "Left": lambda each: instant(each.left_at),
    }
    transitions = (
        Transition(
            "approve",
            "Approve",
            calling(approve_review, "review"),
            "Review approved and published.",
            "This review was already public.",
            offered=lambda each: not each.is_public,
        ),
        Transition(
            "hide",
            "Hide",
            hide,
            "Review hidden.",
            "This review was already hidden.",
            offered=lambda each: each.is_visible,
            serious=True,
            form=HideForm,
            on_page=True,
            confirm="It is kept, and no longer shown. Don't hide a review because it is bad.",
        ),
        Transition(
            "reply",
            "Reply",
            reply,
            "Reply saved.",
            form=ReplyForm,
            on_page=True,
            confirm=reply_note,
        ),
    )
    bulk_actions = (
        Bulk("approve", "Approve", "approved", PUBLISHED, each=calling(approve_review, "review")),
        Bulk("hide", "Hide", "hidden", HIDDEN, each=hide, serious=True, form=ReasonForm),
    )
    bulk_action_class = ReviewAction

    def records(self) -> QuerySet[Review]:
        return reviews()

    def get_urlpatterns(self) -> list[URLPattern]:
        return [*super().get_urlpatterns(), path("import/", self.construct_view(ImportView), name="import")]

    def list_buttons(self, user: Any) -> list[BaseButton]:
        if not user.has_perm("reviews.add_review"):
            return []
        return [HeaderButton("Import", url=reverse(self.get_url_name("import")), icon_name="upload")]

    def facts(self, record: Review) -> dict[str, Any]:
        contact = contact_page(record.author_email or "")
        return {
            "Status": record.status.label,
            "Reason": record.hidden_reason or None,
            "Rating": rating_text(record),
            "Author": record.author_name,
            "Email": record.author_email,
            "Contact": link("Open in the CRM", contact) if contact else None,
            "About": _about(record),
            "Source": link(record.get_provider_display(), record.url) if record.url else record.get_provider_display(),
            "Verified customer": "Yes, by an invitation" if record.invitation_id else None,
            "Loyalty points": "Received" if record.received_points else None,
            "Left": record.left_at,
            "Last synced": record.synced_at,
            "Removed at its provider": record.removed_at,
        }

    def inspect_context(self, record: Review, request: HttpRequest) -> dict[str, Any]:
        return {"public_url": reverse("reviews") if record.is_public else ""}


def _about(record: Review) -> Any:
    """Return what a review is about, with a link to its public page; None for the business."""
    if record.subject_id is None:
        return None
    subject = find_subject(record.subject_kind, record.subject_id)
    return link(subject.name, subject.path) if subject else record.subject_name
