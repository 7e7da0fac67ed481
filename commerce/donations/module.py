"""The donations module: one-time and recurring donations, campaigns and fundraisers."""

from cms_api.core.module import AccountPage, Block, Event, Job, Mail, Module, Route, Row, SettingKey

_API = "commerce.donations.api."
_NAME = {"name": "The donor's first name"}
_SAMPLE = {"name": "Dana"}
_RECEIPT = {
    **_NAME,
    "number": "The number of the receipt",
    "amount": "The amount, with the covered fee",
    "purpose": "The campaign and the designation; may be empty",
    "tribute": "In whose honor or memory; may be empty",
    "summary": "The amounts",
}
_RECEIPT_SAMPLE = {
    **_SAMPLE,
    "number": "DON-1205",
    "amount": "$51.75",
    "purpose": "A kiln for the mill, Youth workshops",
    "tribute": "In memory of Alma Reyes",
    "summary": Block(
        "Donation: $50.00\nTransaction fee covered: $1.75\nTotal: $51.75",
        "<table><tr><td>Donation</td><td>$50.00</td></tr><tr><td>Transaction fee covered</td><td>$1.75</td></tr>"
        "<tr><th>Total</th><td>$51.75</td></tr></table>",
    ),
}
_CARD = {
    **_NAME,
    "amount": "The amount, with the covered fee",
    "card": "The stored card, such as “Visa •••• 4242”",
    "url": "The page on which the donor can pay with another card, or cancel",
}
_CARD_SAMPLE = {
    **_SAMPLE,
    "amount": "$51.75",
    "card": "Visa •••• 4242",
    "url": "https://example.org/donations/manage/12:6Jt0pWq3/",
}
_CHANGE = {
    **_NAME,
    "donation": "The new amount and how often it is charged",
    "former": "The former amount and how often it was charged",
    "days": "The days for which the link works",
}
_CHANGE_SAMPLE = {**_SAMPLE, "donation": "$80.00 a month", "former": "$50.00 a month", "days": "7"}

MODULE = Module(
    name="donations",
    title="Donations",
    description="Donations, donors, campaigns and fundraisers.",
    feature="donations",
    uses=("accounts", "payments"),
    group="Commerce",
    abilities={"donations:read": "Read donations", "donations:write": "Change donations"},
    routes=(
        Route("donations", f"{_API}Donations", {"GET": "donations:read"}),
        Route("donations/<id:donation>", f"{_API}OneDonation", {"GET": "donations:read"}),
    ),
    pages="commerce.donations.urls.urlpatterns",
    account_pages=(AccountPage("Donations", "View your donations", "/accounts/donations/"),),
    payables={"donation": "commerce.donations.services.paying.DONATIONS"},
    events=(
        Event(
            "donation.received",
            "A donation is paid, including each renewal of a recurring donation.",
            document="commerce.donations.resources.donations.DonationResource",
            resource="commerce.donations.resources.donations.donation",
        ),
    ),
    mails=(
        Mail(
            "donation_received",
            "Thanks a donor, with the receipt as PDF.",
            subject="Thank you for your donation, {{ name }}",
            placeholders={**_RECEIPT, "url": "The page of the donation"},
            sample={**_RECEIPT_SAMPLE, "url": "https://example.org/donations/thanks/205:6Jt0pWq3/"},
        ),
        Mail(
            "donation_renewed",
            "Confirms each payment of a recurring donation, with the receipt as PDF.",
            subject="Receipt {{ number }} for your donation",
            placeholders={**_RECEIPT, "url": "The page on which the donor can change or cancel it"},
            sample={**_RECEIPT_SAMPLE, "url": "https://example.org/donations/manage/12:6Jt0pWq3/"},
        ),
        Mail(
            "donation_tribute",
            "Tells somebody that a donation was made in honor or in memory of a person. The amount is not mentioned.",
            subject="{{ donor }} has made a donation {{ tribute }}",
            placeholders={
                "donor": "The donor's name, or “Somebody”",
                "tribute": "“In memory of Alma Reyes”",
                "purpose": "The campaign and the designation; may be empty",
                "message": "The donor's message; may be empty",
            },
            sample={
                "donor": "Dana Reyes",
                "tribute": "In memory of Alma Reyes",
                "purpose": "A kiln for the mill, Youth workshops",
                "message": "She taught us all to throw.",
            },
        ),
        Mail(
            "donation_declined",
            "Tells a donor that the stored card was declined, and will be charged again.",
            subject="Your donation of {{ amount }} couldn't be charged",
            placeholders=_CARD,
            sample=_CARD_SAMPLE,
        ),
        Mail(
            "donation_paused",
            "Tells a donor that a recurring donation is paused because the card was declined too often.",
            subject="Your recurring donation is paused",
            placeholders=_CARD,
            sample=_CARD_SAMPLE,
        ),
        Mail(
            "donation_cancelled",
            "Confirms that a recurring donation is cancelled.",
            subject="Your recurring donation is cancelled",
            placeholders={**_NAME, "donation": "The amount and how often it was charged"},
            sample={**_SAMPLE, "donation": "$51.75 a month"},
        ),
        Mail(
            "donation_raise_asked",
            "Asks a donor to confirm that a recurring donation should be higher from now on.",
            subject="Confirm your new donation: {{ donation }}",
            placeholders={**_CHANGE, "url": "The link that confirms the change"},
            secrets=("url",),
            sample={**_CHANGE_SAMPLE, "url": "https://example.org/donations/changes/eyJ0b2t/"},
            required=("url",),
        ),
        Mail(
            "donation_changed",
            "Tells a donor that the amount of a recurring donation has changed.",
            subject="Your donation is now {{ donation }}",
            placeholders={**_CHANGE, "url": "The link that undoes the change"},
            secrets=("url",),
            sample={**_CHANGE_SAMPLE, "url": "https://example.org/donations/changes/eyJ0b2t/"},
            required=("url",),
        ),
        Mail(
            "donation_refunded",
            "Tells a donor about a refund.",
            subject="Refund of donation {{ number }}",
            placeholders={**_NAME, "number": "The number of the receipt", "amount": "The amount that goes back"},
            sample={**_SAMPLE, "number": "DON-1205", "amount": "$51.75"},
        ),
        Mail(
            "donation_statement",
            "Sends a donor the statement of a year as PDF.",
            subject="Your donations in {{ year }}",
            placeholders={**_NAME, "year": "The year"},
            sample={**_SAMPLE, "year": "2026"},
        ),
        Mail(
            "donation_notice",
            "Tells staff about a new donation; renewals are not mentioned.",
            subject="New donation: {{ amount }} from {{ donor }}",
            placeholders={
                "donor": "The donor's name",
                "amount": "The amount, with the covered fee",
                "frequency": "“Once”, “Monthly” or “Yearly”",
                "purpose": "The campaign and the designation; may be empty",
                "message": "The donor's message; may be empty",
                "admin_url": "The address of the donation in the admin",
            },
            sample={
                "donor": "Dana Reyes",
                "amount": "$51.75",
                "frequency": "Monthly",
                "purpose": "A kiln for the mill, Youth workshops",
                "message": "Keep the wheels turning.",
                "admin_url": "https://example.org/admin/donations/inspect/205/",
            },
            to_staff=True,
        ),
        Mail(
            "fundraiser_submitted",
            "Asks staff to approve a fundraiser.",
            subject="Please approve: {{ fundraiser }}",
            placeholders={
                "organizer": "The name of the supporter",
                "fundraiser": "The name of the fundraiser",
                "campaign": "The name of the campaign",
                "admin_url": "The address of the fundraisers in the admin",
            },
            sample={
                "organizer": "Noor de Vries",
                "fundraiser": "Noor runs for the kiln",
                "campaign": "A kiln for the mill",
                "admin_url": "https://example.org/admin/donations/fundraisers/",
            },
            to_staff=True,
        ),
        Mail(
            "fundraiser_published",
            "Tells a supporter that the page of a fundraiser is public.",
            subject="Your fundraiser is online: {{ fundraiser }}",
            placeholders={
                "name": "The name of the supporter",
                "fundraiser": "The name of the fundraiser",
                "url": "The page of the fundraiser",
                "edit_url": "The page on which the supporter can change it",
            },
            sample={
                "name": "Noor de Vries",
                "fundraiser": "Noor runs for the kiln",
                "url": "https://example.org/donate/a-kiln-for-the-mill/noor-runs-for-the-kiln",
                "edit_url": "https://example.org/donations/fundraisers/4:6Jt0pWq3/",
            },
        ),
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
    rows=(Row("donate", "commerce.donations.rows.DonateBlock"),),
    sitemap="commerce.donations.feeds.sections",
    searches=("commerce.donations.feeds.CAMPAIGNS",),
    footer_links="commerce.donations.feeds.footer_links",
    viewsets=("commerce.donations.admin.DONATIONS",),
    media_usage="commerce.donations.services.media_usage.MEDIA_USAGE",
    cards=("commerce.donations.admin.cards.donations", "commerce.donations.admin.cards.fundraisers"),
    first_steps=("commerce.donations.admin.cards.add_campaign",),
    menu_group="sales",
    menu_order=60,
    roles=("manager",),
    demo="commerce.donations.demo.load",
    numbers={"DON": 1001},
    jobs=(
        Job("renew_donations", "commerce.donations.services.renewing.renew_donations", every=300, reaches_people=True),
        Job("send_donation_statements", "commerce.donations.services.mailing.send_statements", every=300, reaches_people=True),
        Job("fail_abandoned_donations", "commerce.donations.services.housekeeping.fail_abandoned_donations", every=3600),
    ),
)
