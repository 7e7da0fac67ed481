"""Tells the modules that make something of site accounts of a new one, and of one that is called or reached otherwise now."""

from django.contrib.auth.models import User

from cms_api.core import registry

from .. import selectors


def tell_followers(*, user: User, is_new: bool) -> None:
    """Called in the transaction of the change. An editor's account is none that was made on the site, and so never new."""
    user.refresh_from_db()
    is_new = is_new and not selectors.is_editor(user)
    for follower in registry.account_followers():
        registry.load(follower)(user, is_new)
