"""The emails of the donations module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

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

MAILS = (
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
)
