"""The emails of the marketing module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

#: Placeholders of every email sent by `services.mailing.mail_subscriber`, in addition to its own.
MAILING = {
    "unsubscribe_url": Placeholder("The address of the unsubscribe page", "https://example.org/unsubscribe/530:sample"),
    "preferences_url": Placeholder("The address of the email preferences page", "https://example.org/subscriptions/530:sample"),
}


MAILS = (
    Mail(
        "subscription_confirm",
        "Asks new subscribers to confirm their address. They receive nothing else until they do.",
        subject="Confirm your subscription",
        placeholders={
            "lists": Placeholder(
                "The chosen lists; empty if there were none",
                Block(
                    "You'll hear about:\n- Workshops\n- Concerts",
                    "<p>You'll hear about:</p><ul><li>Workshops</li><li>Concerts</li></ul>",
                ),
            ),
            "confirm_url": Placeholder("The address of the confirmation page", "https://example.org/subscribe/confirm/sample"),
        },
        secrets=("confirm_url",),
    ),
    Mail(
        "subscription_exists",
        "Tells someone who signs up again that they're already subscribed.",
        subject="You're already subscribed",
        placeholders={
            "more": Placeholder(
                "The newly chosen lists with a link to add them; empty if there are none",
                Block(
                    "Follow the link to add these lists:\n- Concerts\nhttps://example.org/subscribe/confirm/sample",
                    "<p>Follow the link to add these lists:</p><ul><li>Concerts</li></ul>"
                    '<p><a href="https://example.org/subscribe/confirm/sample">Add these lists</a></p>',
                ),
            ),
            **MAILING,
        },
        secrets=("more",),
    ),
    Mail(
        "sequence_step",
        "Wraps each step of a sequence. The text of the step itself is edited in the sequence.",
        subject="{{ subject }}",
        required=("body", "unsubscribe_url"),
        placeholders={
            "subject": Placeholder("The subject of the step", "Getting started"),
            "body": Placeholder(
                "The text of the step",
                Block(
                    "Hello Dana,\n\nClay forgives nearly everything.", "<p>Hello Dana,</p><p>Clay forgives nearly everything.</p>"
                ),
            ),
            **MAILING,
        },
    ),
)
