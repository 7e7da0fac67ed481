"""The emails of the directory module: subjects, placeholders and samples."""

from cms_api.core.module import Mail, Placeholder

_LISTING = {
    "name": Placeholder("The owner's first name", "Dana"),
    "listing": Placeholder("The name of the listing", "Reyes Ceramics"),
}

_ACCOUNT = "https://example.org/accounts/listings/36/"

_URL = Placeholder("The address of the listing", "https://example.org/directory/reyes-ceramics")
_REASON = Placeholder("The reason; may be empty", "")
_RENEW = Placeholder("The address at which it is renewed", _ACCOUNT)

MAILS = (
    Mail(
        "listing_moderation",
        "Tells the business that a listing, a change or a claim awaits moderation.",
        subject="{{ listing }} awaits moderation",
        placeholders={
            "listing": _LISTING["listing"],
            "reason": Placeholder("A sentence that says what there is to decide", "A new listing was submitted."),
            "link": Placeholder("A link to the listing in the admin", "https://example.org/admin/listings/inspect/36/"),
        },
        to_staff=True,
    ),
    Mail(
        "listing_published",
        "Tells the owner that a listing is online.",
        subject="{{ listing }} is online",
        placeholders={**_LISTING, "url": _URL},
    ),
    Mail(
        "listing_approved",
        "Tells the owner that a listing is approved, and appears once its term is paid.",
        subject="{{ listing }} is approved",
        placeholders={**_LISTING, "url": Placeholder("The address at which the term is paid", _ACCOUNT)},
    ),
    Mail(
        "listing_declined",
        "Tells the owner that a submitted listing was not published.",
        subject="{{ listing }} was not published",
        placeholders={**_LISTING, "reason": Placeholder("The reason; may be empty", "We only list businesses in the valley.")},
    ),
    Mail(
        "listing_change_decided",
        "Tells the owner whether changes to a listing were published.",
        subject="Your changes to {{ listing }}",
        placeholders={
            **_LISTING,
            "outcome": Placeholder("`were published` or `were not published`", "were published"),
            "reason": _REASON,
            "url": _URL,
        },
    ),
    Mail(
        "listing_claim_code",
        "Sends the code with which a listing is claimed to the address of the listing.",
        subject="Your code for {{ listing }}: {{ code }}",
        placeholders={"listing": _LISTING["listing"], "code": Placeholder("The code", "480172")},
        secrets=("code",),
        required=("code",),
    ),
    Mail(
        "listing_claim_decided",
        "Tells somebody whether a claim of a listing was approved.",
        subject="Your claim of {{ listing }}",
        placeholders={
            **_LISTING,
            "outcome": Placeholder("A sentence that says what was decided", "The listing is yours now."),
            "reason": _REASON,
            "url": Placeholder("The address at which it goes on", _ACCOUNT),
        },
    ),
    Mail(
        "listing_paid",
        "Confirms a payment for a listing.",
        subject="Your payment for {{ listing }}",
        placeholders={
            **_LISTING,
            "plan": Placeholder("The name of the plan", "One year"),
            "amount": Placeholder("The amount paid", "$120.00"),
            "until": Placeholder("A sentence that says until when it is paid", "The listing is online until March 1, 2027."),
            "url": Placeholder("The address at which the owner edits the listing", _ACCOUNT),
        },
    ),
    Mail(
        "listing_ending",
        "Reminds the owner to renew a listing: 14 and 3 days before its term ends, and on the last day.",
        subject="{{ listing }} is listed until {{ until }}",
        placeholders={**_LISTING, "until": Placeholder("The last day of the term", "March 1, 2026"), "url": _RENEW},
    ),
    Mail(
        "listing_ended",
        "Tells the owner that the term of a listing has ended.",
        subject="{{ listing }} is no longer listed",
        placeholders={**_LISTING, "url": _RENEW},
    ),
    Mail(
        "listing_message",
        "Sends a visitor's message to the address of a listing.",
        subject="A message about {{ listing }}",
        placeholders={
            "listing": _LISTING["listing"],
            "name": Placeholder("The visitor's name", "Ruth Adeyemi"),
            "email": Placeholder("The visitor's address", "ruth@example.com"),
            "message": Placeholder("The message", "Do you have the blue bowls in two sizes?\nI would pick them up on Friday."),
            "url": _URL,
        },
        to_staff=True,
    ),
)
