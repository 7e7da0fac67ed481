"""The order of headings: each level under the one above it, as people who listen to a page find their way by them."""

import re

_TAG = re.compile(r"<(/?)h([1-6])\b", re.IGNORECASE)
DEEPEST = 6


def renumber_headings(html: str, start: int) -> str:
    """Cleaned HTML in which the first heading has the level `start`, and none is more than one below the one before it."""
    #: The levels that are open: as written, and as they become.
    above: list[tuple[int, int]] = []

    def renumber(found: re.Match[str]) -> str:
        written = int(found[2])
        if not found[1]:
            while above and above[-1][0] >= written:
                above.pop()
            above.append((written, min(above[-1][1] + 1 if above else start, DEEPEST)))
        return f"<{found[1]}h{above[-1][1] if above else written}"

    return _TAG.sub(renumber, html)
