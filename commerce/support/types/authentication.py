"""The findings of a mail server about a sender: the Authentication-Results header (RFC 8601)."""

import re
from collections.abc import Iterator, Sequence

#: The method, its result, and the properties after it.
_RESULT = re.compile(r"\s*(dkim|spf|dmarc)\s*(?:/\s*\d+\s*)?=\s*([a-z]+)\b(.*)", re.IGNORECASE | re.DOTALL)
_PROPERTY = re.compile(r"\b([a-z]+)\s*\.\s*([a-z]+)\s*=\s*([^\s;]+)", re.IGNORECASE)
#: The property that names the domain for which each method speaks.
_SPEAKS_FOR = {"dmarc": "header.from", "dkim": "header.d", "spf": "smtp.mailfrom"}
#: Characters of a header that are read.
_MAX_HEADER_CHARACTERS = 10_000


def is_authenticated(sender: str, results: Sequence[str], host: str) -> bool:
    """Return whether a mail server has proved that an email comes from its sender's domain.

    `results` are the headers, newest first. Only the newest one of the named server counts: it replaces those that an email has
    brought along, or puts its own above them. Nothing is proved without a name.
    """
    domain = sender.rpartition("@")[2].lower()
    return any(_covers(method, proved, domain) for method, proved in _find_proved(_find_own(results, host)))


def is_forged(results: Sequence[str], host: str) -> bool:
    """Return whether the mail server has found that an email does not come from its sender's domain, which it asks about."""
    found = (_RESULT.fullmatch(part) for part in _find_own(results, host))
    return any(each and (each[1].lower(), each[2].lower()) == ("dmarc", "fail") for each in found)


def _find_own(results: Sequence[str], host: str) -> list[str]:
    """Return the findings of the newest header of the named server."""
    own = next((parts for each in results if host and (parts := _parts(each)) and _server(parts[0]) == host.lower()), [])
    return own[1:]


def _server(first: str) -> str:
    return next(iter(first.split()), "").lower()


def _find_proved(parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the methods that passed, each with the domain for which it speaks."""
    for part in parts:
        found = _RESULT.fullmatch(part)
        if found and found[2].lower() == "pass":
            method = found[1].lower()
            for kind, name, value in _PROPERTY.findall(found[3]):
                if f"{kind}.{name}".lower() == _SPEAKS_FOR[method]:
                    yield method, value.rpartition("@")[2].lower().rstrip(".")


def _covers(method: str, proved: str, domain: str) -> bool:
    """Return whether a proof for one domain is one for another: a signature of a domain holds for those below it."""
    return proved == domain or (method == "dkim" and "." in proved and domain.endswith(f".{proved}"))


def _parts(header: str) -> list[str]:
    """Return the parts of a header between its semicolons, without comments and with nothing in quotes; none if it is malformed.

    Both can hold what the sender has written, such as the text of another result.
    """
    kept: list[str] = []
    depth, is_quoted, is_escaped = 0, False, False
    for character in header[:_MAX_HEADER_CHARACTERS]:
        if is_escaped:
            is_escaped = False
        elif character == "\\":
            is_escaped = True
        elif is_quoted:
            is_quoted = character != '"'
        elif character == '"' and not depth:
            is_quoted = True
            kept.append("quoted")
        elif character == "(":
            depth += 1
        elif character == ")" and depth:
            depth -= 1
        elif not depth:
            kept.append(character)
    return [] if depth or is_quoted else "".join(kept).split(";")
