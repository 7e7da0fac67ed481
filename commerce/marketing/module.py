"""The marketing module: subscribers, lists and email sequences."""

from cms_api.core.module import Admin, Api, Event, Import, ImportColumn, ImportOption, Job, Module, Pages, Records, Route, Row

from .mails import MAILS

SUBSCRIBER = "commerce.marketing.resources.SubscriberResource"

RECORD = "commerce.marketing.resources.subscriber"

MODULE = Module(
    name="marketing",
    title="Marketing",
    description="Subscribers, mailing lists and email sequences.",
    feature="marketing",
    api=Api(
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
    ),
    pages=Pages(
        urls="commerce.marketing.urls.urlpatterns",
        sitemap="commerce.marketing.feeds.sections",
        footer_links="commerce.marketing.feeds.footer_links",
        rows=(Row("newsletter", "commerce.marketing.rows.NewsletterBlock"),),
    ),
    admin=Admin(
        viewsets=("commerce.marketing.admin.MARKETING",),
        menu_group="contacts",
        menu_order=30,
        roles=("manager",),
    ),
    records=Records(
        imports=(
            Import(
                "subscribers",
                "Subscribers",
                columns=(
                    ImportColumn("email", "Email", required=True, also=("mail", "email address", "e-mail 1 - value", "email 1")),
                    ImportColumn("first_name", "First name", also=("given name", "forename")),
                    ImportColumn("last_name", "Last name", also=("family name", "surname")),
                    ImportColumn(
                        "name", "Full name", "Split into first and last name if those are empty.", also=("display name",)
                    ),
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
        demo="commerce.marketing.demo.load",
    ),
    mails=MAILS,
    listens={"forms.submission_received": "commerce.marketing.services.signup.capture"},
    jobs=(
        Job("send_sequences", "commerce.marketing.services.sending.send_due_steps", every=60, reaches_people=True),
        Job("drop_pending_subscribers", "commerce.marketing.services.housekeeping.drop_pending", every=3600, always=True),
    ),
)
