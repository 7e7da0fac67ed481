"""The emails of the reviews module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

_AUTHOR = Placeholder("The author's name", "Dana Reyes")

MAILS = (
    Mail(
        "review_invitation",
        "Asks a customer for a review, once after each order, appointment or event.",
        subject="How was your {{ record }}?",
        placeholders={
            "name": Placeholder("The customer's name", "Dana Reyes"),
            "record": Placeholder("The order, the appointment, or the visit to an event", "order ORD-1204"),
            "bonus": Placeholder(
                "The loyalty points for a review; may be empty",
                "Members receive 50 loyalty points for a published review, whatever the rating.",
            ),
            "url": Placeholder(
                "The page on which the customer writes the review", "https://example.org/reviews/invitations/7:6Jt0pWq3"
            ),
            "unsubscribe_url": Placeholder(
                "The page on which the customer declines further invitations",
                "https://example.org/reviews/unsubscribe/7:6Jt0pWq3",
            ),
        },
        required=("url", "unsubscribe_url"),
    ),
    Mail(
        "review_received",
        "Notifies the business of a review awaiting moderation. Replies go to its author.",
        subject="New review by {{ author }}",
        placeholders={
            "author": _AUTHOR,
            "review": Placeholder(
                "The rating, the text and what it is about, as a table",
                Block(
                    "Rating: 5 of 5 stars\nReview: My bowl even holds soup.",
                    '<table><tr><th scope="row">Rating</th><td>5 of 5 stars</td></tr>'
                    '<tr><th scope="row">Review</th><td>My bowl even holds soup.</td></tr></table>',
                ),
            ),
            "link": Placeholder(
                "A link to the review in the admin",
                Block(
                    "Moderate the review: https://example.org/admin/reviews/inspect/117/",
                    '<a href="https://example.org/admin/reviews/inspect/117/">Moderate the review</a>',
                ),
            ),
        },
        to_staff=True,
    ),
    Mail(
        "review_answered",
        "Sends the author of a review the reply of the business.",
        subject="{{ site }} replied to your review",
        placeholders={
            "name": _AUTHOR,
            "review": Placeholder("The review", "An hour and a half flew by, and my bowl even holds soup."),
            "reply": Placeholder("The reply", "Thank you, Dana!\nThe glaze you chose comes out of the kiln on Friday."),
        },
    ),
)
