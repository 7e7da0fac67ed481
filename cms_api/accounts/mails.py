"""The emails of the accounts module: subjects, placeholders and samples."""

from cms_api.core.module import Mail, Placeholder

_LINK = "https://example.org/accounts/"

_CONFIRM = Placeholder("The address of the confirmation page", _LINK + "confirm-email/MTI3/")
_RESET = Placeholder("The address of the password reset page", _LINK + "password/reset/")

MAILS = (
    Mail(
        "account_welcome",
        "Asks a new account holder to confirm their email address.",
        subject="Confirm your email address for {{ site }}",
        placeholders={"link": _CONFIRM},
        secrets=("link",),
    ),
    Mail(
        "account_confirm",
        "Asks an account holder to confirm a new email address.",
        subject="Confirm your email address for {{ site }}",
        placeholders={"link": _CONFIRM},
        secrets=("link",),
    ),
    Mail(
        "account_exists",
        "Tells someone who signs up, or changes their address, that an account with this address exists.",
        subject="You already have an account at {{ site }}",
        placeholders={"sign_in": Placeholder("The address of the sign-in page", _LINK + "login/"), "reset": _RESET},
    ),
    Mail(
        "account_unknown",
        "Tells someone who asked for a password reset that no account has this address.",
        subject="No account found at {{ site }}",
        placeholders={"sign_up": Placeholder("The address of the sign-up page", _LINK + "signup/")},
    ),
    Mail(
        "account_reset",
        "Sends the link to reset a password.",
        subject="Reset your {{ site }} password",
        placeholders={
            "link": Placeholder("The address of the page to choose a new password", _LINK + "password/reset/key/3f-c8/")
        },
        secrets=("link",),
    ),
    Mail(
        "account_invitation",
        "Tells someone that an account was created for them, with a link to choose a password.",
        subject="Your new account at {{ site }}",
        placeholders={
            "link": Placeholder("The address of the page to choose a password", _LINK + "password/reset/key/3f-c8/"),
            "reset": Placeholder("The address to request a new link", _LINK + "password/reset/"),
        },
        secrets=("link",),
    ),
    Mail(
        "account_changed",
        "Tells an account holder that their password or email address was changed.",
        subject="Your {{ site }} account was changed",
        placeholders={"change": Placeholder("The change, as a sentence", "Your password was changed."), "reset": _RESET},
    ),
)
