"""The modules of this installation, lowest first: a module may use those above it in this list, never those below."""

MODULES = [
    "cms_api.flags",
    "cms_api.auth",
    "cms_api.mail",
    "cms_api.accounts",
    "cms_api.webhooks",
    "cms_api.media",
    "cms_api.content",
    "cms_api.forms",
    "cms_api.comments",
    "cms_api.analytics",
    "cms_api.gateway",
    "events",
    "commerce.common",
    "commerce.imports",
    "commerce.crm",
    "commerce.marketing",
    "commerce.payments",
    "commerce.members",
    "commerce.loyalty",
    "commerce.invoicing",
    "commerce.shop",
    "commerce.restaurant",
    "commerce.booking",
    "commerce.ticketing",
    "commerce.donations",
    "commerce.directory",
    "commerce.real_estate",
    "commerce.projects",
    "commerce.reviews",
    "commerce.support",
    "home",
]

# Planned modules: their webhook events can be subscribed to and are documented, but are not emitted yet.
ANNOUNCED_MODULES: list[str] = []
