"""The webhooks module: subscriptions, the outbox and delivery."""

from cms_api.core.module import Job, Mail, Module, Queue, Route

MODULE = Module(
    name="webhooks",
    title="Webhooks",
    description="Signed HTTPS requests that notify integrations of changes.",
    feature="webhooks",
    group="Platform",
    abilities={"webhooks:manage": "List, create and delete webhook subscriptions"},
    routes=(
        Route("webhooks", "cms_api.webhooks.api.Webhooks", {"GET": "webhooks:manage", "POST": "webhooks:manage"}),
        Route("webhooks/<id:webhook>", "cms_api.webhooks.api.OneWebhook", {"DELETE": "webhooks:manage"}),
    ),
    mails=(
        Mail(
            "webhook_disabled",
            "Notifies admins that a webhook was disabled because its receiver failed.",
            subject="A webhook of {{ site }} was disabled",
            placeholders={
                "url": "The webhook's host, such as https://example.com",
                "reason": "The reason it was disabled",
                "webhooks_url": "The address of the webhooks page in the admin",
            },
            sample={
                "url": "https://example.com",
                "reason": "The receiver answered 410 Gone.",
                "webhooks_url": "https://example.org/admin/webhooks/",
            },
            to_staff=True,
        ),
    ),
    jobs=(Job("drop_stale_deliveries", "cms_api.webhooks.services.deliveries.drop_stale", every=3600, always=True),),
    queues=(Queue("deliver_due", "cms_api.webhooks.services.deliveries.SENDING"),),
    viewsets=("cms_api.webhooks.admin.WEBHOOKS", "cms_api.webhooks.admin.DELIVERIES"),
    menu_group="api",
    menu_order=20,
    cards=("cms_api.webhooks.admin.cards.failing",),
)
