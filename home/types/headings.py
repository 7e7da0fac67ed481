"""Heading levels: each below the one above it, as screen reader users navigate by them."""

import re

_TAG = re.compile(r"<(/?)h([1-6])\b", re.IGNORECASE)
DEEPEST_LEVEL = 6


def renumber_headings(html: str, start: int) -> str:
    """Renumber cleaned HTML so that the first heading has the level `start`, and no level is skipped."""
    #: The open levels: original and renumbered.
    above: list[tuple[int, int]] = []

    def renumber(found: re.Match[str]) -> str:
        written = int(found[2])
        if not found[1]:
            while above and above[-1][0] >= written:
                above.pop()
            above.append((written, min(above[-1][1] + 1 if above else start, DEEPEST_LEVEL)))
        return f"<{found[1]}h{above[-1][1] if above else written}"

    return _TAG.sub(renumber, html)
