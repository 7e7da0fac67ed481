"""Messages that scripts of pages send to the site, by `navigator.sendBeacon`: nobody waits for their answers, or reads them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

#: The longest body, in bytes.
LARGEST = 8 * 1024


@dataclass(frozen=True, slots=True)
class PageMessage:
    """A message, and what its request says about its sender."""

    #: The IP address.
    address: str
    #: By name in lower case.
    headers: Mapping[str, str]
    body: bytes


#: Takes messages together; returns for each the error with which it is refused, or None.
Beacon = Callable[[Sequence[PageMessage]], list[Exception | None]]
