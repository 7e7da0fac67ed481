"""Emails about reviews."""

from django.conf import settings

from cms_api.core.module import Block
from cms_api.mail.services import queue, queue_to_business
from cms_api.mail.types import Visitor, particulars, quote_without_links

from ..models import Invitation, Review
from ..selectors import DECLINE_LINK, INVITATION_LINK, admin_url, bonus_text
from ..types import HIGHEST_RATING


def send_invitation(invitation: Invitation, title: str) -> None:
    """Ask a customer for a review, with links to the form, and to decline further invitations.

    Anyone may have entered the address: free orders and tickets count as paid without staff or money.
    """
    decline = DECLINE_LINK.url(invitation)
    queue(
        template="review_invitation",
        to=[invitation.email],
        context={
            "name": invitation.name or "there",
            "record": title,
            "bonus": bonus_text(),
            "url": INVITATION_LINK.url(invitation),
            "unsubscribe_url": decline,
        },
        headers={"List-Unsubscribe": f"<{decline}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
        entered_by=Visitor(),
    )


def notify_staff(review: Review) -> None:
    """Tell the business of a review that awaits moderation."""
    url = settings.BASE_URL + admin_url(review.pk)
    said = (
        ("Rating", f"{review.rating} of {HIGHEST_RATING} stars"),
        ("About", review.subject_name),
        ("Title", review.title),
        ("Review", review.body),
    )
    queue_to_business(
        template="review_received",
        context={
            "author": review.author_name,
            "review": particulars([(name, text) for name, text in said if text]),
            "link": Block(f"Moderate the review: {url}", f'<a href="{url}">Moderate the review</a>'),
        },
        reply_to=review.author_email or "",
    )


def send_reply(review: Review) -> None:
    """Send the answer of the business to the author of a review, if the address is known. Anyone may have entered it."""
    if not review.author_email:
        return
    quoted = quote_without_links(review.body or review.title)
    context = {"name": review.author_name, "review": quoted, "reply": review.reply}
    queue(template="review_answered", to=[review.author_email], context=context, entered_by=Visitor())
