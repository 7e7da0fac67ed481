"""The emails of the accounts module: subjects, placeholders and samples."""

from cms_api.core.module import Mail

_LINK = "https://example.org/accounts/"

MAILS = (
    Mail(
        "account_welcome",
        "Asks a new account holder to confirm their email address.",
        subject="Confirm your email address for {{ site }}",
        placeholders={"link": "The address of the confirmation page"},
        secrets=("link",),
        sample={"link": _LINK + "confirm-email/MTI3/"},
    ),
    Mail(
        "account_confirm",
        "Asks an account holder to confirm a new email address.",
        subject="Confirm your email address for {{ site }}",
        placeholders={"link": "The address of the confirmation page"},
        secrets=("link",),
        sample={"link": _LINK + "confirm-email/MTI3/"},
    ),
    Mail(
        "account_exists",
        "Tells someone who signs up, or changes their address, that an account with this address exists.",
        subject="You already have an account at {{ site }}",
        placeholders={"sign_in": "The address of the sign-in page", "reset": "The address of the password reset page"},
        sample={"sign_in": _LINK + "login/", "reset": _LINK + "password/reset/"},
    ),
    Mail(
        "account_unknown",
        "Tells someone who asked for a password reset that no account has this address.",
        subject="No account found at {{ site }}",
        placeholders={"sign_up": "The address of the sign-up page"},
        sample={"sign_up": _LINK + "signup/"},
    ),
    Mail(
        "account_reset",
        "Sends the link to reset a password.",
        subject="Reset your {{ site }} password",
        placeholders={"link": "The address of the page to choose a new password"},
        secrets=("link",),
        sample={"link": _LINK + "password/reset/key/3f-c8/"},
    ),
    Mail(
        "account_invitation",
        "Tells someone that an account was created for them, with a link to choose a password.",
        subject="Your new account at {{ site }}",
        placeholders={"link": "The address of the page to choose a password", "reset": "The address to request a new link"},
        secrets=("link",),
        sample={"link": _LINK + "password/reset/key/3f-c8/", "reset": _LINK + "password/reset/"},
    ),
    Mail(
        "account_changed",
        "Tells an account holder that their password or email address was changed.",
        subject="Your {{ site }} account was changed",
        placeholders={"change": "The change, as a sentence", "reset": "The address of the password reset page"},
        sample={"change": "Your password was changed.", "reset": _LINK + "password/reset/"},
    ),
)
