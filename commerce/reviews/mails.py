"""The emails of the reviews module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

MAILS = (
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
)
