"""The donations module: one-time and recurring donations, campaigns and fundraisers."""

from cms_api.core.module import AccountPage, Admin, Api, Event, Job, Module, Pages, Records, Route, Row, SettingKey

from .mails import MAILS

_API = "commerce.donations.api."

MODULE = Module(
    name="donations",
    title="Donations",
    description="Donations, donors, campaigns and fundraisers.",
    feature="donations",
    uses=("accounts", "payments"),
    api=Api(
        group="Commerce",
        abilities={"donations:read": "Read donations", "donations:write": "Change donations"},
        routes=(
            Route("donations", f"{_API}Donations", {"GET": "donations:read"}),
            Route("donations/<id:donation>", f"{_API}OneDonation", {"GET": "donations:read"}),
        ),
        events=(
            Event(
                "donation.received",
                "A donation is paid, including each renewal of a recurring donation.",
                document="commerce.donations.resources.donations.DonationResource",
                resource="commerce.donations.resources.donations.donation",
            ),
        ),
    ),
    pages=Pages(
        urls="commerce.donations.urls.urlpatterns",
        account_pages=(AccountPage("Donations", "View your donations", "/accounts/donations/"),),
        sitemap="commerce.donations.feeds.sections",
        searches=("commerce.donations.feeds.CAMPAIGNS",),
        footer_links="commerce.donations.feeds.footer_links",
        rows=(Row("donate", "commerce.donations.rows.DonateBlock"),),
    ),
    admin=Admin(
        viewsets=("commerce.donations.admin.DONATIONS",),
        menu_group="sales",
        menu_order=60,
        cards={
            "commerce.donations.admin.cards.donations": "donations.view_donation",
            "commerce.donations.admin.cards.declined_cards": "donations.change_recurringdonation",
            "commerce.donations.admin.cards.fundraisers": "donations.change_fundraiser",
        },
        first_steps={"commerce.donations.admin.cards.add_campaign": "donations.add_campaign"},
        roles=("manager",),
    ),
    records=Records(
        payables={"donation": "commerce.donations.services.paying.DONATIONS"},
        numbers={"DON": 1001},
        media_usage="commerce.donations.services.media_usage.MEDIA_USAGE",
        demo="commerce.donations.demo.load",
    ),
    settings=(
        SettingKey("donations.minimum_cents", int, 100, "In minor units: 100 for 1.00.", title="Smallest donation"),
        SettingKey(
            "donations.maximum_cents",
            int,
            1_000_000,
            "Of one payment, in minor units: 1000000 for 10,000.00. Staff can record larger ones.",
            title="Largest donation",
        ),
        SettingKey(
            "donations.offer_fee_cover",
            bool,
            True,
            "Donors can add the fee of the payment provider to their donation.",
            title="Let donors cover the fee",
        ),
        SettingKey(
            "donations.fee_basis_points",
            int,
            290,
            "The share of the payment provider in hundredths of a percent: 290 for 2.9%.",
            title="Fee in hundredths of a percent",
        ),
        SettingKey(
            "donations.fee_fixed_cents",
            int,
            30,
            "The fixed amount of the payment provider for each payment, in minor units.",
            title="Fixed fee",
        ),
        SettingKey(
            "donations.designations",
            str,
            "",
            "Purposes to choose from for donations without a campaign, with a semicolon between them.",
            title="Designations",
        ),
        SettingKey(
            "donations.receipt_text",
            str,
            "",
            "Printed on receipts and statements, such as your tax-exempt number.",
            title="Text on receipts",
        ),
        SettingKey(
            "donations.approve_fundraisers",
            bool,
            True,
            "Fundraisers of supporters are public once you approve them.",
            title="Approve fundraisers",
        ),
    ),
    mails=MAILS,
    jobs=(
        Job("renew_donations", "commerce.donations.services.renewing.renew_donations", every=300, reaches_people=True),
        Job("send_donation_statements", "commerce.donations.services.mailing.send_statements", every=300, reaches_people=True),
        Job("fail_abandoned_donations", "commerce.donations.services.housekeeping.fail_abandoned_donations", every=3600),
    ),
)
