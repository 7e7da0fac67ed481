"""The marketing module: who wants mail, and who wants it no more."""

from cms_api.core.module import Event, Module

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
    roles=("manager",),
)
