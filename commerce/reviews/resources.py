"""The wire shape of reviews."""

from rest_framework import serializers

from cms_api.http.serializers import RecordResource


class ReviewResource(RecordResource):
    """A customer review."""

    provider = serializers.ChoiceField(("google", "facebook", "yelp", "site"))
    author_name = serializers.CharField()
    author_email = serializers.EmailField(allow_null=True, help_text="Null for a synced review.")
    rating = serializers.IntegerField(min_value=1, max_value=5)
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
