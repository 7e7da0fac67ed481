"""The accounts module: people who are no editors and sign in on the public site."""

from cms_api.core.module import Job, Mail, Module, Signal

_LINK = "https://example.org/accounts/"

MODULE = Module(
    name="accounts",
    title="Site accounts",
    description="Accounts of visitors: signing up and in, their address and password. There while another module needs them.",
    pages="cms_api.accounts.urls.urlpatterns",
    mails=(
        Mail(
            "account_welcome",
            "Asks whoever has signed up to confirm that the address is theirs.",
            subject="{{ site }}: please confirm your address",
            placeholders={"link": "Where the address is confirmed"},
            sample={"link": _LINK + "confirm-email/MTI3/"},
        ),
        Mail(
            "account_confirm",
            "Asks the holder of an account to confirm an address, such as a new one.",
            subject="{{ site }}: please confirm this address",
            placeholders={"link": "Where the address is confirmed"},
            sample={"link": _LINK + "confirm-email/MTI3/"},
        ),
        Mail(
            "account_exists",
            "Tells somebody who signs up, or takes on an address, that there is an account with it.",
            subject="{{ site }}: you have an account",
            placeholders={"sign_in": "Where one signs in", "reset": "Where one asks for a new password"},
            sample={"sign_in": _LINK + "login/", "reset": _LINK + "password/reset/"},
        ),
        Mail(
            "account_unknown",
            "Tells somebody who asked for a new password that there is no account with this address.",
            subject="{{ site }}: there is no account with this address",
            placeholders={"sign_up": "Where one signs up"},
            sample={"sign_up": _LINK + "signup/"},
        ),
        Mail(
            "account_reset",
            "Leads to a page where a new password is chosen.",
            subject="{{ site }}: choose a new password",
            placeholders={"link": "Where a new password is chosen"},
            sample={"link": _LINK + "password/reset/key/3f-c8/"},
        ),
        Mail(
            "account_invitation",
            "Tells somebody that an account was made for them, and leads to a page where they choose a password.",
            subject="{{ site }}: choose a password for your account",
            placeholders={"link": "Where a password is chosen", "reset": "Where one asks for a new link when it has expired"},
            sample={"link": _LINK + "password/reset/key/3f-c8/", "reset": _LINK + "password/reset/"},
        ),
        Mail(
            "account_changed",
            "Tells the holder of an account that its password or address was changed.",
            subject="{{ site }}: your account was changed",
            placeholders={"change": "What was changed, as a sentence", "reset": "Where one asks for a new password"},
            sample={"change": "The password of your account was changed.", "reset": _LINK + "password/reset/"},
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
    jobs=(Job("drop_unconfirmed_accounts", "cms_api.accounts.services.housekeeping.drop_unconfirmed", every=3600),),
)
