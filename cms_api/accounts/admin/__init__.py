"""Accounts in the admin: signing in, the list of staff, and the list of site accounts."""

from cms_api.adminkit.history import register_log_actions

from . import users  # noqa: F401  (its bulk actions are registered as it is imported)
from .sign_ins import SignInViewSet
from .site_accounts import SiteAccountViewSet

SITE_ACCOUNTS = SiteAccountViewSet()
SIGN_INS = SignInViewSet()

register_log_actions(
    {
        "accounts.deactivate": ("Deactivate account", "Deactivated"),
        "accounts.activate": ("Activate account", "Activated"),
    }
)
