"""Names of hosts as browsers and mail servers know them: UTS 46, non-transitional. `straße.example` is not `strasse.example`."""

import idna

#: Longer names are refused before they are read; DNS allows 253 characters.
_MAX_CHARACTERS = 1000
_MAX_LABEL = 63


def ascii_host(host: str) -> str:
    """Return a host in lower case as it is looked up, with the dot at its end if it has one. Raises ValueError.

    Labels of ASCII may have any characters, as names of machines have underscores; empty and long ones are refused.
    """
    if len(host) > _MAX_CHARACTERS:
        raise ValueError("The name is too long.")
    mapped = host.lower() if host.isascii() else idna.uts46_remap(host, std3_rules=False, transitional=False)
    labels = [_ascii_label(label) for label in mapped.split(".")]
    if not all(0 < len(label) <= _MAX_LABEL for label in (labels if labels[-1] or len(labels) == 1 else labels[:-1])):
        raise ValueError("The name has an empty or a long label.")
    return ".".join(labels)


def unicode_host(host: str) -> str:
    """Return a host in the letters that people read, the same for all spellings of it. Raises ValueError."""
    labels = ascii_host(host).split(".")
    return ".".join(idna.ulabel(label) if label.startswith("xn--") else label for label in labels)


def _ascii_label(label: str) -> str:
    return label if label.isascii() and not label.startswith("xn--") else idna.alabel(label).decode()
