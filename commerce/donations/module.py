"""The donations module: one-time and recurring donations, and their campaigns."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="donations",
    title="Donations",
    description="Donations, donors, campaigns and fundraisers.",
    feature="donations",
    group="Commerce",
    events=(
        Event(
            "donation.received",
            "A donation is paid, including each renewal of a recurring donation.",
            document="commerce.donations.resources.DonationResource",
        ),
    ),
)
