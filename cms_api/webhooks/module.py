"""The webhooks module: who is told of what, and how it gets there."""

from cms_api.core.module import Job, Module, Route

MODULE = Module(
    name="webhooks",
    title="Webhooks",
    description="Signed HTTPS requests that tell integrations of changes.",
    feature="webhooks",
    group="Platform",
    abilities={"webhooks:manage": "List, create and delete webhook subscriptions"},
    routes=(
        Route("webhooks", "cms_api.webhooks.api.Webhooks", {"GET": "webhooks:manage", "POST": "webhooks:manage"}),
        Route("webhooks/<id:webhook>", "cms_api.webhooks.api.OneWebhook", {"DELETE": "webhooks:manage"}),
    ),
    jobs=(
        Job("deliver_due", "cms_api.webhooks.services.deliveries.deliver_for_a_while", every=3600),
        Job("drop_stale_deliveries", "cms_api.webhooks.services.deliveries.drop_stale", every=3600),
    ),
    runners=("cms_api.webhooks.services.deliveries.Senders",),
    viewsets=("cms_api.webhooks.admin.WEBHOOKS",),
)
