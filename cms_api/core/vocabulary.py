"""The closed list of the product's feature and ability names.

A listed name can be switched or granted even if its module is not installed (yet), so that set-up scripts and tokens
outlive the list of installed modules. A module cannot declare a name that is missing here.
"""

FEATURES = (
    "api",
    "crm",
    "marketing",
    "shop",
    "booking",
    "invoicing",
    "donations",
    "events",
    "support",
    "projects",
    "reviews",
    "directory",
    "real_estate",
    "analytics",
    "webhooks",
    "members",
    "loyalty",
    "restaurant",
)

_READ_AND_WRITE = (
    "content",
    "media",
    "forms",
    "crm",
    "marketing",
    "shop",
    "booking",
    "invoicing",
    "donations",
    "ticketing",
    "support",
    "projects",
    "reviews",
    "directory",
    "analytics",
)

ABILITIES = (
    *(f"{module}:{verb}" for module in _READ_AND_WRITE for verb in ("read", "write")),
    "real_estate:read",
    "webhooks:manage",
)
