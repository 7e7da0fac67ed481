"""The reviews module: reviews from the site and from other providers, with moderation and invitations."""

from cms_api.core.module import Addition, Block, Event, Import, ImportColumn, Job, Mail, Module, Route, Row, SettingKey

_API = "commerce.reviews.api."
_ADDITIONS = "commerce.reviews.views.additions."

MODULE = Module(
    name="reviews",
    title="Reviews",
    description="Customer reviews from the site and other providers, with moderation.",
    feature="reviews",
    group="Commerce",
    abilities={"reviews:read": "Read reviews", "reviews:write": "Approve and hide reviews"},
    routes=(
        Route("reviews", f"{_API}Reviews", {"GET": "reviews:read"}),
        Route("reviews/<id:review>", f"{_API}OneReview", {"GET": "reviews:read"}),
        Route("reviews/<id:review>/approve", f"{_API}ApproveReview", {"POST": "reviews:write"}),
        Route("reviews/<id:review>/hide", f"{_API}HideReview", {"POST": "reviews:write"}),
    ),
    pages="commerce.reviews.urls.urlpatterns",
    additions=(
        Addition("shop.product", f"{_ADDITIONS}to_product"),
        Addition("content.item", f"{_ADDITIONS}to_item"),
        Addition("booking.service", f"{_ADDITIONS}to_service"),
        Addition("directory.listing", f"{_ADDITIONS}to_listing"),
    ),
    rows=(Row("reviews", "commerce.reviews.rows.ReviewsBlock"),),
    sitemap="commerce.reviews.feeds.sections",
    footer_links="commerce.reviews.feeds.footer_links",
    events=(
        Event(
            "review.received",
            "A review is submitted on the site or synced from another provider.",
            document="commerce.reviews.resources.records.ReviewResource",
            resource="commerce.reviews.resources.records.review",
        ),
    ),
    listens={
        "order.status_changed": "commerce.reviews.services.invitations.invite_buyer",
        "booking.completed": "commerce.reviews.services.invitations.invite_customer",
        "ticket_order.paid": "commerce.reviews.services.invitations.invite_visitor",
    },
    mails=(
        Mail(
            "review_invitation",
            "Asks a customer for a review, once after each order, appointment or event.",
            subject="How was your {{ record }}?",
            placeholders={
                "name": "The customer's name",
                "record": "The order, the appointment, or the visit to an event",
                "bonus": "The loyalty points for a review; may be empty",
                "url": "The page on which the customer writes the review",
                "unsubscribe_url": "The page on which the customer declines further invitations",
            },
            sample={
                "name": "Dana Reyes",
                "record": "order ORD-1204",
                "bonus": "Members receive 50 loyalty points for a published review, whatever the rating.",
                "url": "https://example.org/reviews/invitations/7:6Jt0pWq3",
                "unsubscribe_url": "https://example.org/reviews/unsubscribe/7:6Jt0pWq3",
            },
            required=("url", "unsubscribe_url"),
        ),
        Mail(
            "review_received",
            "Notifies the business of a review awaiting moderation. Replies go to its author.",
            subject="New review by {{ author }}",
            placeholders={
                "author": "The author's name",
                "review": "The rating, the text and what it is about, as a table",
                "link": "A link to the review in the admin",
            },
            sample={
                "author": "Dana Reyes",
                "review": Block(
                    "Rating: 5 of 5 stars\nReview: My bowl even holds soup.",
                    '<table><tr><th scope="row">Rating</th><td>5 of 5 stars</td></tr>'
                    '<tr><th scope="row">Review</th><td>My bowl even holds soup.</td></tr></table>',
                ),
                "link": Block(
                    "Moderate the review: https://example.org/admin/reviews/inspect/117/",
                    '<a href="https://example.org/admin/reviews/inspect/117/">Moderate the review</a>',
                ),
            },
            to_staff=True,
        ),
        Mail(
            "review_answered",
            "Sends the author of a review the reply of the business.",
            subject="{{ site }} replied to your review",
            placeholders={"name": "The author's name", "review": "The review", "reply": "The reply"},
            sample={
                "name": "Dana Reyes",
                "review": "An hour and a half flew by, and my bowl even holds soup.",
                "reply": "Thank you, Dana!\nThe glaze you chose comes out of the kiln on Friday.",
            },
        ),
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
    imports=(
        Import(
            "reviews",
            "Reviews",
            columns=(
                ImportColumn("provider", "Provider", "Google, Facebook or Yelp.", required=True, also=("source", "platform")),
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
    jobs=(
        Job(
            "send_review_invitations",
            "commerce.reviews.services.invitations.send_due_invitations",
            every=300,
            reaches_people=True,
        ),
        Job("clear_spam_reviews", "commerce.reviews.services.moderation.clear_spam_reviews", every=24 * 3600),
    ),
    viewsets=("commerce.reviews.admin.REVIEWS",),
    cards=("commerce.reviews.admin.cards.pending",),
    menu_group="service",
    menu_order=40,
    roles=("manager",),
    demo="commerce.reviews.demo.load",
)
