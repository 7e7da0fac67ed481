"""The webhooks module: subscriptions, the outbox and delivery."""

from cms_api.core.module import Admin, Api, Job, Module, Queue, Route

from .mails import MAILS

MODULE = Module(
    name="webhooks",
    title="Webhooks",
    description="Signed HTTPS requests that notify integrations of changes.",
    feature="webhooks",
    api=Api(
        group="Platform",
        abilities={"webhooks:manage": "List, create and delete webhook subscriptions"},
        routes=(
            Route("webhooks", "cms_api.webhooks.api.Webhooks", {"GET": "webhooks:manage", "POST": "webhooks:manage"}),
            Route("webhooks/<id:webhook>", "cms_api.webhooks.api.OneWebhook", {"DELETE": "webhooks:manage"}),
        ),
    ),
    admin=Admin(
        viewsets=("cms_api.webhooks.admin.WEBHOOKS", "cms_api.webhooks.admin.DELIVERIES"),
        menu_group="api",
        menu_order=20,
        cards={"cms_api.webhooks.admin.cards.failing": "webhooks.change_endpoint"},
    ),
    mails=MAILS,
    jobs=(Job("drop_stale_deliveries", "cms_api.webhooks.services.deliveries.drop_stale", every=3600, always=True),),
    queues=(Queue("deliver_due", "cms_api.webhooks.services.deliveries.SENDING"),),
)
