"""The marketing module: who wants mail, and who wants it no more."""

from cms_api.core.module import Block, Event, Import, ImportColumn, ImportOption, Job, Mail, Module, Route

SUBSCRIBER = "commerce.marketing.resources.SubscriberResource"
RECORD = "commerce.marketing.resources.subscriber"

#: What every mail has that goes out by `services.mailing.mail_subscriber`, besides its own placeholders.
MAILING = {
    "unsubscribe_url": "The address at which the reader unsubscribes",
    "preferences_url": "The address at which the reader chooses what to hear of",
}
MAILING_SAMPLE = {
    "unsubscribe_url": "https://example.org/unsubscribe/530:sample",
    "preferences_url": "https://example.org/subscriptions/530:sample",
}

MODULE = Module(
    name="marketing",
    title="Marketing",
    description="Subscribers of mailings and sequences.",
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
    pages="commerce.marketing.urls.urlpatterns",
    events=(
        Event(
            "subscriber.created",
            "Somebody subscribes: over the API, by an import, or in a form and then by the link that is mailed.",
            document=SUBSCRIBER,
            resource=RECORD,
        ),
        Event(
            "subscriber.unsubscribed",
            "Somebody unsubscribes, or is unsubscribed.",
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
                ImportColumn(
                    "name", "Full name", "Taken apart where there is no first and no last name.", also=("display name",)
                ),
                ImportColumn("tags", "Tags", "Several between commas or semicolons.", also=("tag", "labels", "groups")),
                ImportColumn("source", "Source", "Where the subscriber came from; “import” where it is empty."),
            ),
            options=(
                ImportOption("all_tags", "Tags for all of them", "Several between commas or semicolons."),
                ImportOption(
                    "confirmed",
                    "These people have agreed to get mail",
                    "They get mail from now on, without being asked again.",
                    must_be_ticked=True,
                ),
            ),
            read="commerce.marketing.services.importing.read",
            write="commerce.marketing.services.importing.write",
            permission="marketing.add_subscriber",
            help="Who unsubscribed stays so. Of who is there already only what is blank is filled in.",
        ),
    ),
    mails=(
        Mail(
            "subscription_confirm",
            "Asks whoever signed up whether the address is theirs. Until they say so, nobody writes to them.",
            subject="Please confirm your subscription",
            placeholders={
                "lists": "The lists that were chosen; empty where there was nothing to choose",
                "confirm_url": "The address at which the subscription is confirmed",
            },
            sample={
                "lists": Block(
                    "It is about:\n- Workshops\n- Concerts", "<p>It is about:</p><ul><li>Workshops</li><li>Concerts</li></ul>"
                ),
                "confirm_url": "https://example.org/subscribe/confirm/sample",
            },
        ),
        Mail(
            "subscription_exists",
            "Tells whoever signs up again that they are subscribed already.",
            subject="You are subscribed already",
            placeholders={"more": "The lists that were newly chosen, with a link that adds them; empty without any", **MAILING},
            sample={
                "more": Block(
                    "To hear of these as well, follow the link:\n- Concerts\nhttps://example.org/subscribe/confirm/sample",
                    "<p>To hear of these as well, follow the link:</p><ul><li>Concerts</li></ul>"
                    '<p><a href="https://example.org/subscribe/confirm/sample">Add them</a></p>',
                ),
                **MAILING_SAMPLE,
            },
        ),
        Mail(
            "sequence_step",
            "A step of a sequence, whose own words are written with the sequence; this is what stands around them.",
            subject="{{ subject }}",
            placeholders={"subject": "The subject of the step", "body": "The text of the step", **MAILING},
            sample={
                "subject": "How to begin",
                "body": Block(
                    "Hello Dana,\n\nclay forgives nearly everything.", "<p>Hello Dana,</p><p>clay forgives nearly everything.</p>"
                ),
                **MAILING_SAMPLE,
            },
        ),
    ),
    listens={"forms.submission_received": "commerce.marketing.services.signup.capture"},
    sitemap="commerce.marketing.feeds.sections",
    jobs=(
        Job("send_sequences", "commerce.marketing.services.sending.send_due_steps", every=60),
        Job("drop_pending_subscribers", "commerce.marketing.services.housekeeping.drop_pending", every=3600),
    ),
    viewsets=("commerce.marketing.admin.MARKETING",),
    roles=("manager",),
    demo="commerce.marketing.demo.load",
)
