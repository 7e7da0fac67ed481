"""The real estate module: property listings imported from feeds of multiple listing services."""

from cms_api.core.module import Module

MODULE = Module(
    name="real_estate",
    title="Real estate",
    description="Property listings imported from MLS feeds.",
    feature="real_estate",
    group="Commerce",
    abilities={"real_estate:read": "Read property listings."},
)
