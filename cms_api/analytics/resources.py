"""The wire shapes of reports."""

from rest_framework import serializers

from cms_api.http.serializers import CurrencyField, Resource


class FiguresResource(Resource):
    """The totals of a range of days."""

    locals()["from"] = serializers.DateField(help_text="First day, in the site's time zone.")
    to = serializers.DateField(help_text="Last day, which is included.")
    visitors = serializers.IntegerField(
        min_value=0, help_text="Sum of the visitors of each day: somebody who comes on two days counts twice."
    )
    pageviews = serializers.IntegerField(min_value=0)
    sessions = serializers.IntegerField(min_value=0, help_text="A session ends after 30 minutes without an event.")
    bounce_rate = serializers.FloatField(
        min_value=0, max_value=1, help_text="Share of sessions with one page view and nothing else."
    )
    avg_duration_seconds = serializers.IntegerField(min_value=0, help_text="From the first to the last event; 0 for a bounce.")
    conversions = serializers.IntegerField(min_value=0)

    example = {
        "from": "2026-02-01",
        "to": "2026-03-02",
        "visitors": 1840,
        "pageviews": 5210,
        "sessions": 2105,
        "bounce_rate": 0.4219,
        "avg_duration_seconds": 143,
        "conversions": 87,
    }


class SummaryResource(FiguresResource):
    """The totals of a range, and of as many days before it."""

    previous = FiguresResource()

    example = {
        **FiguresResource.example,
        "previous": {**FiguresResource.example, "from": "2026-01-02", "to": "2026-01-31", "visitors": 1702},
    }


class PointResource(Resource):
    """The figures of an hour, a day, a week or a month."""

    date = serializers.CharField(help_text="The day, the Monday of the week, the first of the month, or the instant of the hour.")
    visitors = serializers.IntegerField(min_value=0)
    pageviews = serializers.IntegerField(min_value=0)
    sessions = serializers.IntegerField(min_value=0)

    example = {"date": "2026-03-01", "visitors": 61, "pageviews": 174, "sessions": 70}


class PageReportResource(Resource):
    """The figures of a page."""

    path = serializers.CharField()
    title = serializers.CharField(allow_null=True)
    pageviews = serializers.IntegerField(min_value=0)
    visitors = serializers.IntegerField(min_value=0)
    avg_duration_seconds = serializers.IntegerField(min_value=0, help_text="How long the page was looked at, on average.")

    example = {
        "path": "/events",
        "title": "Events",
        "pageviews": 960,
        "visitors": 512,
        "avg_duration_seconds": 48,
    }


class ReferrerResource(Resource):
    """The figures of a site that links here."""

    referrer = serializers.CharField(help_text="The host, without `www.`")
    visitors = serializers.IntegerField(min_value=0)
    pageviews = serializers.IntegerField(min_value=0)

    example = {"referrer": "news.example.com", "visitors": 120, "pageviews": 341}


class SourceResource(Resource):
    """The figures of a source of visits."""

    source = serializers.CharField(  # type: ignore[assignment]
        help_text="`utm_source`, else the referring site; `direct` if there is none."
    )
    medium = serializers.CharField(allow_null=True)
    campaign = serializers.CharField(allow_null=True)
    visitors = serializers.IntegerField(min_value=0)
    conversions = serializers.IntegerField(min_value=0)

    example = {"source": "newsletter", "medium": "email", "campaign": "spring", "visitors": 210, "conversions": 19}


class ConversionResource(Resource):
    """The figures of a goal."""

    goal = serializers.CharField(help_text="`form`, `subscription`, `order`, `booking`, `ticket` or `donation`.")
    conversions = serializers.IntegerField(min_value=0)
    conversion_rate = serializers.FloatField(min_value=0, help_text="The share of visitors who reached the goal.")
    value_cents = serializers.IntegerField(help_text="Sum of the amounts, in minor units.")
    currency = CurrencyField(allow_null=True, help_text="Null for goals without an amount.")

    example = {"goal": "order", "conversions": 24, "conversion_rate": 0.0125, "value_cents": 118400, "currency": "usd"}
