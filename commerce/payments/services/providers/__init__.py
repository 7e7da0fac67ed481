"""The providers of payments, by name. Nothing here may be called in a transaction: providers take their time."""

from ...types import ProviderName
from .base import Provider
from .offline import OfflineProvider
from .stripe import StripeProvider

__all__ = ["Provider", "find_provider"]

_PROVIDERS: dict[str, Provider] = {ProviderName.OFFLINE: OfflineProvider(), ProviderName.STRIPE: StripeProvider()}


def find_provider(name: str) -> Provider | None:
    return _PROVIDERS.get(name)
