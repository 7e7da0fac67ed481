"""Notifies modules that derive data from site accounts of new accounts and of changed names and addresses."""

from django.contrib.auth.models import User

from cms_api.flags.services import notify

from .. import selectors


def notify_account(*, user: User, is_new: bool) -> None:
    """Notify listeners, in the transaction of the change. An editor's account is not created on the site, so it is never new."""
    user.refresh_from_db()
    notify("accounts.account_saved", user, is_new and not selectors.belongs_to_staff(user))


def notify_address(*, former: str, address: str) -> None:
    """Notify listeners in the transaction in which a confirmed address replaces another; a first address sends nothing.

    Call this before queueing a mail about the change and before updating the account: listeners may wait for everything that
    writes contacts, which in turn may wait for either (ADR 19).
    """
    if former not in ("", address):
        notify("accounts.address_changed", former, address)
