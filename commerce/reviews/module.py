"""The reviews module: what customers say, here and elsewhere."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="reviews",
    title="Reviews",
    description="Reviews left on the site or synced from elsewhere, and their moderation.",
    feature="reviews",
    group="Commerce",
    events=(
        Event(
            "review.received",
            "A review arrives, from the site or from elsewhere.",
            document="commerce.reviews.resources.ReviewResource",
        ),
    ),
)
