"""Deactivate, activate and delete site accounts. Accounts of staff are refused; Wagtail's own pages change those."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from wagtail.log_actions import log

from cms_api.core.locks import get_row

from .. import selectors


@transaction.atomic
def set_active(*, account: User, active: bool, user: Any = None) -> bool:
    """Let an account sign in, or end that with its sessions. Returns whether anything changed."""
    changed = selectors.site_accounts().filter(pk=account.pk, is_active=not active).update(is_active=active)
    if changed:
        account.is_active = active
        log(instance=account, action="accounts.activate" if active else "accounts.deactivate", user=user)
    return bool(changed)


@transaction.atomic
def delete_account(*, account: User, user: Any = None) -> None:
    """Delete a site account with everything that belongs to it. Raises NotFound if it is gone, or staff by now."""
    found = get_row(selectors.site_accounts(), account.pk)
    log(instance=found, action="wagtail.delete", user=user, deleted=True)
    get_user_model().objects.filter(pk=found.pk).delete()
