"""The marketing module: who wants mail, and who wants it no more."""

from cms_api.core.module import Event, Import, ImportColumn, ImportOption, Module

SUBSCRIBER = "commerce.marketing.resources.SubscriberResource"
RECORD = "commerce.marketing.resources.subscriber"

MODULE = Module(
    name="marketing",
    title="Marketing",
    description="Subscribers of mailings and sequences.",
    feature="marketing",
    group="Contacts",
    abilities={"marketing:read": "Read subscribers", "marketing:write": "Subscribe and unsubscribe people"},
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
    roles=("manager",),
)
