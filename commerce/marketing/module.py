"""The marketing module: subscribers, lists and email sequences."""

from cms_api.core.module import Block, Event, Import, ImportColumn, ImportOption, Job, Mail, Module, Route, Row

SUBSCRIBER = "commerce.marketing.resources.SubscriberResource"
RECORD = "commerce.marketing.resources.subscriber"

#: Placeholders of every email sent by `services.mailing.mail_subscriber`, in addition to its own.
MAILING = {
    "unsubscribe_url": "The address of the unsubscribe page",
    "preferences_url": "The address of the email preferences page",
}
MAILING_SAMPLE = {
    "unsubscribe_url": "https://example.org/unsubscribe/530:sample",
    "preferences_url": "https://example.org/subscriptions/530:sample",
}

MODULE = Module(
    name="marketing",
    title="Marketing",
    description="Subscribers, mailing lists and email sequences.",
    feature="marketing",
    group="Contacts",
    abilities={"marketing:read": "Read subscribers", "marketing:write": "Subscribe and unsubscribe people"},
    routes=(
        Route(
            "marketing/subscribers",
            "commerce.marketing.api.Subscribers",
            {"GET": "marketing:read", "POST": "marketing:write"},
        ),
        Route("marketing/subscribers/<ref:subscriber>", "commerce.marketing.api.OneSubscriber", {"GET": "marketing:read"}),
        Route(
            "marketing/subscribers/<ref:subscriber>/unsubscribe",
            "commerce.marketing.api.Unsubscribe",
            {"POST": "marketing:write"},
        ),
    ),
    rows=(Row("newsletter", "commerce.marketing.rows.NewsletterBlock"),),
    pages="commerce.marketing.urls.urlpatterns",
    events=(
        Event(
            "subscriber.created",
            "Someone becomes an active subscriber: through the API, an import, or a form and its confirmation link.",
            document=SUBSCRIBER,
            resource=RECORD,
        ),
        Event(
            "subscriber.unsubscribed",
            "Someone unsubscribes or is unsubscribed.",
            document=SUBSCRIBER,
            resource=RECORD,
            sample={
                "status": "unsubscribed",
                "unsubscribed_at": "2026-03-20T06:50:00+00:00",
                "updated_at": "2026-03-20T06:50:00+00:00",
            },
        ),
    ),
    imports=(
        Import(
            "subscribers",
            "Subscribers",
            columns=(
                ImportColumn("email", "Email", required=True, also=("mail", "email address", "e-mail 1 - value", "email 1")),
                ImportColumn("first_name", "First name", also=("given name", "forename")),
                ImportColumn("last_name", "Last name", also=("family name", "surname")),
                ImportColumn("name", "Full name", "Split into first and last name if those are empty.", also=("display name",)),
                ImportColumn("tags", "Tags", "Separate tags with commas or semicolons.", also=("tag", "labels", "groups")),
                ImportColumn("source", "Source", "Where the subscriber came from. Defaults to “import”."),
            ),
            options=(
                ImportOption("all_tags", "Tags for everyone in this file", "Separate tags with commas or semicolons."),
                ImportOption(
                    "confirmed",
                    "These people have agreed to receive emails",
                    "They become active subscribers without a confirmation email.",
                    must_be_ticked=True,
                ),
            ),
            read="commerce.marketing.services.importing.read",
            write="commerce.marketing.services.importing.write",
            permission="marketing.add_subscriber",
            help="Unsubscribed people stay unsubscribed. Existing subscribers only get their blank fields filled in.",
        ),
    ),
    mails=(
        Mail(
            "subscription_confirm",
            "Asks new subscribers to confirm their address. They receive nothing else until they do.",
            subject="Confirm your subscription",
            placeholders={
                "lists": "The chosen lists; empty if there were none",
                "confirm_url": "The address of the confirmation page",
            },
            secrets=("confirm_url",),
            sample={
                "lists": Block(
                    "You'll hear about:\n- Workshops\n- Concerts",
                    "<p>You'll hear about:</p><ul><li>Workshops</li><li>Concerts</li></ul>",
                ),
                "confirm_url": "https://example.org/subscribe/confirm/sample",
            },
        ),
        Mail(
            "subscription_exists",
            "Tells someone who signs up again that they're already subscribed.",
            subject="You're already subscribed",
            placeholders={"more": "The newly chosen lists with a link to add them; empty if there are none", **MAILING},
            secrets=("more",),
            sample={
                "more": Block(
                    "Follow the link to add these lists:\n- Concerts\nhttps://example.org/subscribe/confirm/sample",
                    "<p>Follow the link to add these lists:</p><ul><li>Concerts</li></ul>"
                    '<p><a href="https://example.org/subscribe/confirm/sample">Add these lists</a></p>',
                ),
                **MAILING_SAMPLE,
            },
        ),
        Mail(
            "sequence_step",
            "Wraps each step of a sequence. The text of the step itself is edited in the sequence.",
            subject="{{ subject }}",
            required=("body", "unsubscribe_url"),
            placeholders={"subject": "The subject of the step", "body": "The text of the step", **MAILING},
            sample={
                "subject": "Getting started",
                "body": Block(
                    "Hello Dana,\n\nClay forgives nearly everything.", "<p>Hello Dana,</p><p>Clay forgives nearly everything.</p>"
                ),
                **MAILING_SAMPLE,
            },
        ),
    ),
    listens={"forms.submission_received": "commerce.marketing.services.signup.capture"},
    sitemap="commerce.marketing.feeds.sections",
    footer_links="commerce.marketing.feeds.footer_links",
    jobs=(
        Job("send_sequences", "commerce.marketing.services.sending.send_due_steps", every=60, reaches_people=True),
        Job("drop_pending_subscribers", "commerce.marketing.services.housekeeping.drop_pending", every=3600, always=True),
    ),
    viewsets=("commerce.marketing.admin.MARKETING",),
    menu_group="contacts",
    menu_order=30,
    roles=("manager",),
    demo="commerce.marketing.demo.load",
)
