"""The accounts module: accounts of visitors who sign in on the public site, not in the admin."""

from cms_api.core.module import Job, Mail, Module, Signal

_LINK = "https://example.org/accounts/"

MODULE = Module(
    name="accounts",
    title="Site accounts",
    description="Sign-up, sign-in, email addresses and passwords of visitors.",
    feature="accounts",
    is_support=True,
    pages="cms_api.accounts.urls.urlpatterns",
    viewsets=("cms_api.accounts.admin.SITE_ACCOUNTS",),
    ungated_viewsets=("cms_api.accounts.admin.SIGN_INS",),
    menu_group="settings",
    menu_order=32,
    mails=(
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
    ),
    signals=(
        Signal(
            "accounts.account_saved",
            "The first address of a site account is confirmed (then it is new), or the account's name or address changes.",
            "user: User, is_new: bool",
        ),
        Signal(
            "accounts.address_changed",
            "A confirmed address takes the place of the former one, before a mail about it is written.",
            "former: str, address: str",
        ),
    ),
    jobs=(
        Job("drop_unconfirmed_accounts", "cms_api.accounts.services.housekeeping.drop_unconfirmed", every=3600, always=True),
        Job("expire_sign_ins", "cms_api.accounts.services.sign_ins.expire_sign_ins", every=3600, always=True),
    ),
)
