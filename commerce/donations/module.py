"""The donations module: gifts, once and again, and the campaigns they are for."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="donations",
    title="Donations",
    description="Donations, their donors, campaigns and fundraisers.",
    feature="donations",
    group="Commerce",
    events=(
        Event(
            "donation.received",
            "A donation is paid, also each renewal of a recurring one.",
            document="commerce.donations.resources.DonationResource",
        ),
    ),
)
