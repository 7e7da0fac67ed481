"""Networks, paths and referring hosts whose visits are not counted, as settings and files list them. No database access."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import unquote

from cms_api.text.hosts import ascii_host

_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?", re.ASCII)
#: All addresses of a version, or all pages, would mean that nothing is counted at all.
_EVERYBODY = "would exclude everybody. Switch analytics off instead."


class Span(NamedTuple):
    """Addresses that follow one another, as numbers; both ends are included."""

    version: int
    first: int
    last: int


class Networks:
    """A set of networks, merged into spans that neither overlap nor touch; a lookup is a binary search."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._firsts: dict[int, list[int]] = {4: [], 6: []}
        self._lasts: dict[int, list[int]] = {4: [], 6: []}
        for version, first, last in sorted(spans):
            firsts, lasts = self._firsts[version], self._lasts[version]
            if lasts and first <= lasts[-1] + 1:
                lasts[-1] = max(lasts[-1], last)
            else:
                firsts.append(first)
                lasts.append(last)

    def __len__(self) -> int:
        """Return the number of merged spans."""
        return sum(map(len, self._firsts.values()))

    def __contains__(self, address: str) -> bool:
        if not len(self):
            return False
        try:
            found = ip_address(address)
        except ValueError:
            return False
        if isinstance(found, IPv6Address) and found.ipv4_mapped:
            found = found.ipv4_mapped
        place = bisect_right(self._firsts[found.version], int(found)) - 1
        return place >= 0 and int(found) <= self._lasts[found.version][place]


def read_span(text: str) -> Span:
    """Return the addresses of a network (`203.0.113.0/24`), of one address, or from one to another (`first - last`).

    Raises ValueError.
    """
    first, dash, last = text.partition("-")
    if not dash:
        network = ip_network(text.strip(), strict=False)
        return Span(network.version, int(network.network_address), int(network.broadcast_address))
    start, end = ip_address(first.strip()), ip_address(last.strip())
    if start.version != end.version or int(start) > int(end):
        raise ValueError("The last address comes before the first one.")
    return Span(start.version, int(start), int(end))


def network_mistake(word: str) -> str:
    """Return what is wrong with an address or a network of the settings."""
    try:
        network = ip_network(word, strict=False)
    except ValueError:
        return f"“{word}” is not an address or network, such as 203.0.113.7 or 2001:db8::/32."
    return "" if network.prefixlen else f"“{word}” {_EVERYBODY}"


@lru_cache(maxsize=4)
def networks_of(words: tuple[str, ...]) -> Networks:
    """Return the networks of the settings, which have been checked."""
    return Networks(read_span(word) for word in words if not network_mistake(word))


def host_mistake(word: str) -> str:
    """Return what is wrong with a host of the settings."""
    try:
        labels = as_host(word).split(".")
    except ValueError:
        labels = []
    is_host = len(labels) > 1 and all(map(_LABEL.fullmatch, labels)) and not labels[-1].isdigit()
    return "" if is_host else f"“{word}” is not a host, such as example.com."


def as_host(word: str) -> str:
    """Return a host as browsers send it. Raises ValueError."""
    return ascii_host(word.lower().removeprefix("www.").rstrip("."))


@lru_cache(maxsize=4)
def hosts_of(words: tuple[str, ...]) -> frozenset[str]:
    """Return the hosts of the settings, which have been checked."""
    return frozenset(as_host(word) for word in words if not host_mistake(word))


def and_parents(host: str) -> Iterator[str]:
    """Yield a host and the domains that it is in: `a.example.com`, `example.com`, `com`."""
    while host:
        yield host
        host = host.partition(".")[2]


def path_mistake(word: str) -> str:
    """Return what is wrong with a path of the settings."""
    if not word.startswith("/") or "?" in word or "#" in word:
        return f"“{word}” is not a path, such as /thanks or /internal/*."
    return "" if word.strip("/*") or word == "/" else f"“{word}” {_EVERYBODY}"


@lru_cache(maxsize=4)
def paths_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what matches the paths of the settings as reports show them.

    A path stands for itself and for all below it, `/` for the home page alone. `*` matches any characters.
    """
    patterns = []
    for word in words:
        path = unquote(word).rstrip("/") or "/"
        # Of the characters that `translate` knows, only the star has a meaning.
        pattern = path.replace("[", "[[]").replace("?", "[?]")
        patterns += [pattern] if "*" in path or path == "/" else [pattern, f"{pattern}/*"]
    return re.compile("|".join(map(translate, patterns)) or r"(?!)")
