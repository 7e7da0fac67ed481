"""The accounts module: accounts of visitors who sign in on the public site, not in the admin."""

from cms_api.core.module import Admin, Job, Module, Pages, Signal

from .mails import MAILS

MODULE = Module(
    name="accounts",
    title="Site accounts",
    description="Sign-up, sign-in, email addresses and passwords of visitors.",
    feature="accounts",
    is_support=True,
    pages=Pages(urls="cms_api.accounts.urls.urlpatterns"),
    admin=Admin(
        viewsets=("cms_api.accounts.admin.SITE_ACCOUNTS",),
        ungated_viewsets=("cms_api.accounts.admin.SIGN_INS",),
        menu_group="settings",
        menu_order=32,
    ),
    mails=MAILS,
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
