"""Limits what is binding at once, without a payment, by the network of the visitor who made it.

Anyone may book or order in a made-up name. The appointments and orders that visitors of one network have made within a day are
limited, until they are paid or over, unless the account has confirmed the address. The network is stored for that day alone.
"""

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from cms_api.auth.selectors import is_editor, owns_address
from cms_api.core.claims import claim_in_transaction
from cms_api.flags.selectors import get_setting

NETWORK_RETENTION = timedelta(days=1)


def most_orders() -> int:
    """Return how many orders' worth visitors of one network may reserve before they pay; zero for no limit."""
    return max(0, int(get_setting("payments.unpaid_orders_per_network")))


def most_bookings() -> int:
    """Return how many records that are binding without a payment visitors of one network may make in a day; zero for no limit."""
    return max(0, int(get_setting("payments.unpaid_bookings_per_network")))


def network_if_unconfirmed(network: str, *, user: Any, email: str) -> str:
    """Return the key of a visitor's network; empty for staff, and for an account that has confirmed the address."""
    is_staff = user is not None and user.is_authenticated and is_editor(user)
    return "" if is_staff or owns_address(user, email) else network


def has_many(records: QuerySet[Any], network: str) -> bool:
    """Return whether visitors of a network have made as many of some records as they may.

    Until the transaction ends, others of the network are refused, so that posts at the same moment are counted too.
    """
    most = most_bookings()
    if not network or not most:
        return False
    if not claim_in_transaction(f"network:{records.model.__name__}:{network}"):
        return True
    return records.filter(network=network, created_at__gt=timezone.now() - NETWORK_RETENTION).count() >= most


def forget_networks(records: QuerySet[Any]) -> None:
    """Delete the networks of records that are no longer counted."""
    records.exclude(network="").filter(created_at__lte=timezone.now() - NETWORK_RETENTION).update(network="")
