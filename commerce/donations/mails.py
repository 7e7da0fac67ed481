"""The emails of the donations module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

_NUMBER = Placeholder("The number of the receipt", "DON-1205")
_AMOUNT = Placeholder("The amount, with the covered fee", "$51.75")
_PURPOSE = Placeholder("The campaign and the designation; may be empty", "A kiln for the mill, Youth workshops")
_SUPPORTER = Placeholder("The name of the supporter", "Noor de Vries")
_FUNDRAISER = Placeholder("The name of the fundraiser", "Noor runs for the kiln")

_NAME = {"name": Placeholder("The donor's first name", "Dana")}

_RECEIPT = {
    **_NAME,
    "number": _NUMBER,
    "amount": _AMOUNT,
    "purpose": _PURPOSE,
    "tribute": Placeholder("In whose honor or memory; may be empty", "In memory of Alma Reyes"),
    "summary": Placeholder(
        "The amounts",
        Block(
            "Donation: $50.00\nTransaction fee covered: $1.75\nTotal: $51.75",
            "<table><tr><td>Donation</td><td>$50.00</td></tr><tr><td>Transaction fee covered</td><td>$1.75</td></tr>"
            "<tr><th>Total</th><td>$51.75</td></tr></table>",
        ),
    ),
}

_CARD = {
    **_NAME,
    "amount": _AMOUNT,
    "card": Placeholder("The stored card, such as “Visa •••• 4242”", "Visa •••• 4242"),
    "url": Placeholder(
        "The page on which the donor can pay with another card, or cancel", "https://example.org/donations/manage/12:6Jt0pWq3/"
    ),
}

_CHANGE = {
    **_NAME,
    "donation": Placeholder("The new amount and how often it is charged", "$80.00 a month"),
    "former": Placeholder("The former amount and how often it was charged", "$50.00 a month"),
    "days": Placeholder("The days for which the link works", "7"),
}

MAILS = (
    Mail(
        "donation_received",
        "Thanks a donor, with the receipt as PDF.",
        subject="Thank you for your donation, {{ name }}",
        placeholders={
            **_RECEIPT,
            "url": Placeholder("The page of the donation", "https://example.org/donations/thanks/205:6Jt0pWq3/"),
        },
    ),
    Mail(
        "donation_renewed",
        "Confirms each payment of a recurring donation, with the receipt as PDF.",
        subject="Receipt {{ number }} for your donation",
        placeholders={
            **_RECEIPT,
            "url": Placeholder(
                "The page on which the donor can change or cancel it", "https://example.org/donations/manage/12:6Jt0pWq3/"
            ),
        },
    ),
    Mail(
        "donation_tribute",
        "Tells somebody that a donation was made in honor or in memory of a person. The amount is not mentioned.",
        subject="{{ donor }} has made a donation {{ tribute }}",
        placeholders={
            "donor": Placeholder("The donor's name, or “Somebody”", "Dana Reyes"),
            "tribute": Placeholder("“In memory of Alma Reyes”", "In memory of Alma Reyes"),
            "purpose": _PURPOSE,
            "message": Placeholder("The donor's message; may be empty", "She taught us all to throw."),
        },
    ),
    Mail(
        "donation_declined",
        "Tells a donor that the stored card was declined, and will be charged again.",
        subject="Your donation of {{ amount }} couldn't be charged",
        placeholders=_CARD,
    ),
    Mail(
        "donation_paused",
        "Tells a donor that a recurring donation is paused because the card was declined too often.",
        subject="Your recurring donation is paused",
        placeholders=_CARD,
    ),
    Mail(
        "donation_cancelled",
        "Confirms that a recurring donation is cancelled.",
        subject="Your recurring donation is cancelled",
        placeholders={**_NAME, "donation": Placeholder("The amount and how often it was charged", "$51.75 a month")},
    ),
    Mail(
        "donation_raise_asked",
        "Asks a donor to confirm that a recurring donation should be higher from now on.",
        subject="Confirm your new donation: {{ donation }}",
        placeholders={
            **_CHANGE,
            "url": Placeholder("The link that confirms the change", "https://example.org/donations/changes/eyJ0b2t/"),
        },
        secrets=("url",),
        required=("url",),
    ),
    Mail(
        "donation_changed",
        "Tells a donor that the amount of a recurring donation has changed.",
        subject="Your donation is now {{ donation }}",
        placeholders={
            **_CHANGE,
            "url": Placeholder("The link that undoes the change", "https://example.org/donations/changes/eyJ0b2t/"),
        },
        secrets=("url",),
        required=("url",),
    ),
    Mail(
        "donation_refunded",
        "Tells a donor about a refund.",
        subject="Refund of donation {{ number }}",
        placeholders={**_NAME, "number": _NUMBER, "amount": Placeholder("The amount that goes back", "$51.75")},
    ),
    Mail(
        "donation_statement",
        "Sends a donor the statement of a year as PDF.",
        subject="Your donations in {{ year }}",
        placeholders={**_NAME, "year": Placeholder("The year", "2026")},
    ),
    Mail(
        "donation_notice",
        "Tells staff about a new donation; renewals are not mentioned.",
        subject="New donation: {{ amount }} from {{ donor }}",
        placeholders={
            "donor": Placeholder("The donor's name", "Dana Reyes"),
            "amount": _AMOUNT,
            "frequency": Placeholder("“Once”, “Monthly” or “Yearly”", "Monthly"),
            "purpose": _PURPOSE,
            "message": Placeholder("The donor's message; may be empty", "Keep the wheels turning."),
            "admin_url": Placeholder(
                "The address of the donation in the admin", "https://example.org/admin/donations/inspect/205/"
            ),
        },
        to_staff=True,
    ),
    Mail(
        "fundraiser_submitted",
        "Asks staff to approve a fundraiser.",
        subject="Please approve: {{ fundraiser }}",
        placeholders={
            "organizer": _SUPPORTER,
            "fundraiser": _FUNDRAISER,
            "campaign": Placeholder("The name of the campaign", "A kiln for the mill"),
            "admin_url": Placeholder(
                "The address of the fundraisers in the admin", "https://example.org/admin/donations/fundraisers/"
            ),
        },
        to_staff=True,
    ),
    Mail(
        "fundraiser_published",
        "Tells a supporter that the page of a fundraiser is public.",
        subject="Your fundraiser is online: {{ fundraiser }}",
        placeholders={
            "name": _SUPPORTER,
            "fundraiser": _FUNDRAISER,
            "url": Placeholder(
                "The page of the fundraiser", "https://example.org/donate/a-kiln-for-the-mill/noor-runs-for-the-kiln"
            ),
            "edit_url": Placeholder(
                "The page on which the supporter can change it", "https://example.org/donations/fundraisers/4:6Jt0pWq3/"
            ),
        },
    ),
)
