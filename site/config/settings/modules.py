"""The modules of this installation, lowest first: a module may use those above it in this list, never those below."""

MODULES = [
    "cms_api.flags",
    "cms_api.auth",
    "cms_api.webhooks",
    "cms_api.media",
    "cms_api.content",
    "cms_api.gateway",
    "home",
]
