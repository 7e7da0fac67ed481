"""Tells the modules that make something of site accounts of a new one, and of one that is called or reached otherwise now."""

from django.contrib.auth.models import User

from cms_api.core import registry
from cms_api.flags.selectors import is_on

from .. import selectors


def tell_followers(*, user: User, is_new: bool) -> None:
    """Called in the transaction of the change. An editor's account is none that was made on the site, and so never new."""
    user.refresh_from_db()
    is_new = is_new and not selectors.is_editor(user)
    for follower in registry.account_followers():
        registry.load(follower)(user, is_new)


def tell_of_address(*, former: str, address: str) -> None:
    """Called in the transaction in which a confirmed address takes another's place, before a mail of the change is written.

    Who keeps records by the address locks them in an order of their own, and a mail may lock one of them. Nobody is told where
    there was no address before, or it stays.
    """
    if former in ("", address):
        return
    for module, follower in registry.address_followers():
        if is_on(module.feature):
            registry.load(follower)(former, address)
