"""The marketing module: who wants mail, and who wants it no more."""

from cms_api.core.module import Event, Module

SUBSCRIBER = "commerce.marketing.resources.SubscriberResource"

MODULE = Module(
    name="marketing",
    title="Marketing",
    description="Subscribers of mailings and sequences.",
    feature="marketing",
    group="Contacts",
    events=(
        Event("subscriber.created", "Somebody subscribes: over the API, in a form or by an import.", document=SUBSCRIBER),
        Event(
            "subscriber.unsubscribed",
            "Somebody unsubscribes, or is unsubscribed.",
            document=SUBSCRIBER,
            sample={
                "status": "unsubscribed",
                "unsubscribed_at": "2026-03-20T06:50:00+00:00",
                "updated_at": "2026-03-20T06:50:00+00:00",
            },
        ),
    ),
)
