"""Writes of reviews and invitations."""

from .invitations import decline_invitations, skip_invitation
from .moderation import approve_review, hide_review, reply_to_review
from .submitting import submit_review
from .syncing import sync_reviews

__all__ = [
    "approve_review",
    "decline_invitations",
    "hide_review",
    "reply_to_review",
    "skip_invitation",
    "submit_review",
    "sync_reviews",
]
