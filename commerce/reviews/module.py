"""The reviews module: customer reviews from the site and from other providers."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="reviews",
    title="Reviews",
    description="Customer reviews from the site and other providers, with moderation.",
    feature="reviews",
    group="Commerce",
    events=(
        Event(
            "review.received",
            "A review is submitted on the site or synced from another provider.",
            document="commerce.reviews.resources.ReviewResource",
        ),
    ),
)
