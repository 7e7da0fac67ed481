"""The wire shape of reviews."""

from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import RecordResource
from cms_api.http.wire import instant, record

from ..models import Review
from ..types import HIGHEST_RATING, LOWEST_RATING, Provider


class ReviewResource(RecordResource):
    """A customer review."""

    provider = serializers.ChoiceField(Provider.values)
    author_name = serializers.CharField()
    author_email = serializers.EmailField(allow_null=True, help_text="Null for a synced review.")
    rating = serializers.IntegerField(min_value=LOWEST_RATING, max_value=HIGHEST_RATING)
    title = serializers.CharField(allow_null=True)
    body = serializers.CharField(allow_null=True)
    reply = serializers.CharField(allow_null=True, help_text="The reply of the business.")
    is_visible = serializers.BooleanField(help_text="Whether it is not hidden.")
    pending = serializers.BooleanField(help_text="Whether it awaits moderation.")
    is_public = serializers.BooleanField(help_text="Whether the site shows it: visible and not pending.")
    left_at = serializers.DateTimeField()
    synced_at = serializers.DateTimeField(allow_null=True, help_text="Null for a review submitted on the site.")
    url = serializers.URLField(allow_null=True, help_text="The review's page at its provider.")

    example = {
        "id": 117,
        "provider": "site",
        "author_name": "Dana Reyes",
        "author_email": "dana.reyes@example.com",
        "rating": 5,
        "title": "A patient teacher",
        "body": "An hour and a half flew by, and my bowl even holds soup.",
        "reply": None,
        "is_visible": True,
        "pending": True,
        "is_public": False,
        "left_at": "2026-03-01T18:30:00+00:00",
        "synced_at": None,
        "url": None,
        "created_at": "2026-03-01T18:30:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


def review(row: Review) -> dict[str, Any]:
    return {
        **record(row),
        "provider": row.provider,
        "author_name": row.author_name,
        "author_email": row.author_email,
        "rating": row.rating,
        "title": row.title or None,
        "body": row.body or None,
        "reply": row.reply or None,
        "is_visible": row.is_visible,
        "pending": row.pending,
        "is_public": row.is_public,
        "left_at": instant(row.left_at),
        "synced_at": instant(row.synced_at),
        "url": row.url or None,
    }
