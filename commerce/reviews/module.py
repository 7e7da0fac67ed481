"""The reviews module: reviews from the site and from other providers, with moderation and invitations."""

from cms_api.core.module import (
    Addition,
    Admin,
    Api,
    Event,
    Import,
    ImportColumn,
    Job,
    Module,
    Pages,
    Records,
    Route,
    Row,
    SettingKey,
)

from .mails import MAILS

_API = "commerce.reviews.api."
_ADDITIONS = "commerce.reviews.views.additions."

MODULE = Module(
    name="reviews",
    title="Reviews",
    description="Customer reviews from the site and other providers, with moderation.",
    feature="reviews",
    api=Api(
        group="Commerce",
        abilities={"reviews:read": "Read reviews", "reviews:write": "Approve and hide reviews"},
        routes=(
            Route("reviews", f"{_API}Reviews", {"GET": "reviews:read"}),
            Route("reviews/<id:review>", f"{_API}OneReview", {"GET": "reviews:read"}),
            Route("reviews/<id:review>/approve", f"{_API}ApproveReview", {"POST": "reviews:write"}),
            Route("reviews/<id:review>/hide", f"{_API}HideReview", {"POST": "reviews:write"}),
        ),
        events=(
            Event(
                "review.received",
                "A review is submitted on the site or synced from another provider.",
                document="commerce.reviews.resources.records.ReviewResource",
                resource="commerce.reviews.resources.records.review",
            ),
        ),
    ),
    pages=Pages(
        urls="commerce.reviews.urls.urlpatterns",
        sitemap="commerce.reviews.feeds.sections",
        footer_links="commerce.reviews.feeds.footer_links",
        rows=(Row("reviews", "commerce.reviews.rows.ReviewsBlock"),),
        additions=(
            Addition("shop.product", f"{_ADDITIONS}to_product"),
            Addition("content.item", f"{_ADDITIONS}to_item"),
            Addition("booking.service", f"{_ADDITIONS}to_service"),
            Addition("directory.listing", f"{_ADDITIONS}to_listing"),
        ),
    ),
    admin=Admin(
        viewsets=("commerce.reviews.admin.REVIEWS",),
        menu_group="service",
        menu_order=40,
        cards={"commerce.reviews.admin.cards.pending": "reviews.change_review"},
        roles=("manager",),
    ),
    records=Records(
        imports=(
            Import(
                "reviews",
                "Reviews",
                columns=(
                    ImportColumn(
                        "provider",
                        "Provider",
                        "Google, Facebook, Yelp or Trustpilot.",
                        required=True,
                        also=("source", "platform"),
                    ),
                    ImportColumn(
                        "provider_id", "Review ID", "The provider's own.", required=True, also=("id", "review_id", "reviewId")
                    ),
                    ImportColumn("rating", "Rating", "1 to 5.", required=True, also=("stars", "star rating")),
                    ImportColumn("left_at", "Date", required=True, also=("left at", "create time", "created", "time created")),
                    ImportColumn("author_name", "Author", also=("author name", "name", "reviewer")),
                    ImportColumn("title", "Title"),
                    ImportColumn("body", "Text", also=("review", "comment", "review text")),
                    ImportColumn("reply", "Reply", "The reply of the business.", also=("owner response", "response")),
                    ImportColumn("url", "URL", also=("link",)),
                    ImportColumn("removed", "Removed", "Yes if the provider has removed it; it is then hidden."),
                ),
                read="commerce.reviews.services.reading.read",
                write="commerce.reviews.services.syncing.write",
                permission="reviews.add_review",
                help="Known reviews are updated. Reviews that you have hidden stay hidden.",
            ),
        ),
        demo="commerce.reviews.demo.load",
    ),
    settings=(
        SettingKey(
            "reviews.send_invitations",
            bool,
            True,
            "Every customer is asked once for a review after an order is fulfilled or an appointment is completed.",
            title="Ask customers for reviews",
        ),
        SettingKey(
            "reviews.invitation_days",
            int,
            7,
            "Days between the order, appointment or event and the email.",
            title="Days before asking for a review",
        ),
    ),
    mails=MAILS,
    listens={
        "order.status_changed": "commerce.reviews.services.invitations.invite_buyer",
        "booking.completed": "commerce.reviews.services.invitations.invite_customer",
        "ticket_order.paid": "commerce.reviews.services.invitations.invite_visitor",
    },
    jobs=(
        Job(
            "send_review_invitations",
            "commerce.reviews.services.invitations.send_due_invitations",
            every=300,
            reaches_people=True,
        ),
        Job("clear_spam_reviews", "commerce.reviews.services.moderation.clear_spam_reviews", every=24 * 3600),
    ),
)
