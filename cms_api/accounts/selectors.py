"""Reads of site accounts: availability, account pages, lookups by address, and addresses."""

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission, User
from django.db.models import QuerySet

from cms_api.auth.selectors import is_editor as is_editor
from cms_api.auth.selectors import owns_address as owns_address
from cms_api.core import registry
from cms_api.core.module import AccountPage
from cms_api.fields.texts import EMAIL_LIMIT
from cms_api.flags.selectors import is_on

from .models import SiteAccount

FEATURE = "accounts"


def are_available() -> bool:
    """Return whether a module that uses accounts is switched on."""
    return is_on(FEATURE)


def pages() -> list[AccountPage]:
    """Return the pages for signed-in visitors of modules that are switched on."""
    return [page for module, page in registry.account_pages() if is_on(module.feature)]


def find_account(address: str) -> User | None:
    """Return the account with an address, in any spelling. A confirmed address takes precedence over an unconfirmed one."""
    if len(address) > EMAIL_LIMIT:
        return None
    users = get_user_model().objects
    return (
        find_confirmed_account(address)
        or users.filter(username=address.lower()).first()
        or users.filter(email__iexact=address).order_by("pk").first()
    )


def find_confirmed_account(address: str) -> User | None:
    """Return the account that has confirmed an address, in any spelling."""
    confirmed = EmailAddress.objects.filter(email=address.strip().lower(), verified=True).values("user")
    return get_user_model().objects.filter(pk__in=confirmed).first()


def site_accounts() -> QuerySet[SiteAccount]:
    """Return the accounts for which `is_member` holds."""
    addressed = EmailAddress.objects.values("user")
    return SiteAccount.objects.filter(pk__in=addressed, is_staff=False, is_superuser=False).exclude(pk__in=_find_entitled_ids())


def staff() -> QuerySet[User]:
    """Return all other users: those who may enter the admin, and those whom admins have added without a role."""
    return get_user_model().objects.exclude(pk__in=site_accounts().values("pk"))


def _find_entitled_ids() -> QuerySet[User, Any]:
    """Return the ids of the users whom a permission lets into the admin."""
    entry = Permission.objects.filter(content_type__app_label="wagtailadmin", codename="access_admin")
    users = get_user_model().objects
    return (users.filter(groups__permissions__in=entry) | users.filter(user_permissions__in=entry)).values("pk")


def belongs_to_staff(user: Any) -> bool:
    """Return whether an account may enter the admin, or could if it were active: a deactivated one has no permissions."""
    return user.is_staff or user.is_superuser or _find_entitled_ids().filter(pk=user.pk).exists()


def is_member(user: Any) -> bool:
    """Return whether this is a site account: it has an address, confirmed or not, and no admin access."""
    return not belongs_to_staff(user) and EmailAddress.objects.filter(user=user).exists()


def address_of(user: Any) -> str:
    """Return the address that identifies an account; a member's is confirmed."""
    return EmailAddress.objects.get_primary_email(user) or ""


def confirmed_address(user: Any) -> str:
    """Return the account's confirmed address, or an empty text."""
    found = EmailAddress.objects.get_verified(user)
    return found.email if found else ""


def has_confirmed_address(user: Any) -> bool:
    return bool(confirmed_address(user))


def pending_address(user: Any) -> EmailAddress | None:
    """Return the address that will replace the account's current one once it is confirmed."""
    return EmailAddress.objects.filter(user=user, verified=False, primary=False).exclude(email=user.email.lower()).last()
