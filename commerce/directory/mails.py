"""The emails of the directory module: subjects, placeholders and samples."""

from cms_api.core.module import Mail

_LISTING = {"name": "The owner's first name", "listing": "The name of the listing"}

_SAMPLE = {"name": "Dana", "listing": "Reyes Ceramics"}

_PAGE = "https://example.org/directory/reyes-ceramics"

_ACCOUNT = "https://example.org/accounts/listings/36/"

MAILS = (
    Mail(
        "listing_moderation",
        "Tells the business that a listing, a change or a claim awaits moderation.",
        subject="{{ listing }} awaits moderation",
        placeholders={
            "listing": _LISTING["listing"],
            "reason": "A sentence that says what there is to decide",
            "link": "A link to the listing in the admin",
        },
        sample={
            "listing": _SAMPLE["listing"],
            "reason": "A new listing was submitted.",
            "link": "https://example.org/admin/listings/inspect/36/",
        },
        to_staff=True,
    ),
    Mail(
        "listing_published",
        "Tells the owner that a listing is online.",
        subject="{{ listing }} is online",
        placeholders={**_LISTING, "url": "The address of the listing"},
        sample={**_SAMPLE, "url": _PAGE},
    ),
    Mail(
        "listing_approved",
        "Tells the owner that a listing is approved, and appears once its term is paid.",
        subject="{{ listing }} is approved",
        placeholders={**_LISTING, "url": "The address at which the term is paid"},
        sample={**_SAMPLE, "url": _ACCOUNT},
    ),
    Mail(
        "listing_declined",
        "Tells the owner that a submitted listing was not published.",
        subject="{{ listing }} was not published",
        placeholders={**_LISTING, "reason": "The reason; may be empty"},
        sample={**_SAMPLE, "reason": "We only list businesses in the valley."},
    ),
    Mail(
        "listing_change_decided",
        "Tells the owner whether changes to a listing were published.",
        subject="Your changes to {{ listing }}",
        placeholders={
            **_LISTING,
            "outcome": "`were published` or `were not published`",
            "reason": "The reason; may be empty",
            "url": "The address of the listing",
        },
        sample={**_SAMPLE, "outcome": "were published", "reason": "", "url": _PAGE},
    ),
    Mail(
        "listing_claim_code",
        "Sends the code with which a listing is claimed to the address of the listing.",
        subject="Your code for {{ listing }}: {{ code }}",
        placeholders={"listing": _LISTING["listing"], "code": "The code"},
        secrets=("code",),
        sample={"listing": _SAMPLE["listing"], "code": "480172"},
        required=("code",),
    ),
    Mail(
        "listing_claim_decided",
        "Tells somebody whether a claim of a listing was approved.",
        subject="Your claim of {{ listing }}",
        placeholders={
            **_LISTING,
            "outcome": "A sentence that says what was decided",
            "reason": "The reason; may be empty",
            "url": "The address at which it goes on",
        },
        sample={**_SAMPLE, "outcome": "The listing is yours now.", "reason": "", "url": _ACCOUNT},
    ),
    Mail(
        "listing_paid",
        "Confirms a payment for a listing.",
        subject="Your payment for {{ listing }}",
        placeholders={
            **_LISTING,
            "plan": "The name of the plan",
            "amount": "The amount paid",
            "until": "A sentence that says until when it is paid",
            "url": "The address at which the owner edits the listing",
        },
        sample={
            **_SAMPLE,
            "plan": "One year",
            "amount": "$120.00",
            "until": "The listing is online until March 1, 2027.",
            "url": _ACCOUNT,
        },
    ),
    Mail(
        "listing_ending",
        "Reminds the owner to renew a listing: 14 and 3 days before its term ends, and on the last day.",
        subject="{{ listing }} is listed until {{ until }}",
        placeholders={**_LISTING, "until": "The last day of the term", "url": "The address at which it is renewed"},
        sample={**_SAMPLE, "until": "March 1, 2026", "url": _ACCOUNT},
    ),
    Mail(
        "listing_ended",
        "Tells the owner that the term of a listing has ended.",
        subject="{{ listing }} is no longer listed",
        placeholders={**_LISTING, "url": "The address at which it is renewed"},
        sample={**_SAMPLE, "url": _ACCOUNT},
    ),
    Mail(
        "listing_message",
        "Sends a visitor's message to the address of a listing.",
        subject="A message about {{ listing }}",
        placeholders={
            "listing": _LISTING["listing"],
            "name": "The visitor's name",
            "email": "The visitor's address",
            "message": "The message",
            "url": "The address of the listing",
        },
        sample={
            "listing": _SAMPLE["listing"],
            "name": "Ruth Adeyemi",
            "email": "ruth@example.com",
            "message": "Do you have the blue bowls in two sizes?\nI would pick them up on Friday.",
            "url": _PAGE,
        },
        to_staff=True,
    ),
)
