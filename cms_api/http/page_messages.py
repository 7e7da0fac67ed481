"""Messages that scripts of pages send to the site, by `navigator.sendBeacon`: nobody waits for their answers, or reads them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: The longest body, in bytes.
MAX_MESSAGE_BYTES = 8 * 1024


@dataclass(frozen=True, slots=True)
class PageMessage:
    """A message, and what its request says about its sender."""

    #: The IP address.
    address: str
    #: By name in any case.
    headers: Mapping[str, str]
    body: bytes


#: Takes a message. Raises the error with which it is refused.
Beacon = Callable[[PageMessage], None]
