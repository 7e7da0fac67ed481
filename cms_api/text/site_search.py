"""The parts of the site's search that modules share: each declares its sources in `searches`, and the gateway joins them.

A source first names the records that match, newest first; only those on the page that is shown are then read as results.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from .folding import fold_for_search
from .search import unique_words

#: Matches of a source that are ranked; if there are more, the newest.
RANKED_MATCHES = 500


class Candidate(NamedTuple):
    """A record that matches a search."""

    key: int
    title: str
    #: Of equally relevant records, later ones come first.
    moment: datetime | None


@dataclass(frozen=True)
class Result:
    """A record as the page of results shows it."""

    title: str
    #: A path of this site.
    url: str
    #: The kind of record, as a label: "Event".
    kind: str
    #: Plain text for the excerpt, most important first.
    text: str
    #: The date of the thing itself, as `components/when.html` shows it.
    when: Any = None
    published_at: datetime | None = None


class Source(Protocol):
    """Records that the site's search finds; only what every visitor may see.

    Both methods take a constant number of statements, and name what they read with `cms_api.http.page_cache.depends_on`.
    """

    def candidates(self, text: str) -> Iterable[Candidate]:
        """Return at most RANKED_MATCHES matches of a search text, newest first."""

    def results(self, keys: Sequence[int]) -> Mapping[int, Result]:
        """Return results by their keys; those that are no longer visible are left out."""


def relevance(title: str, found: Sequence[str]) -> int:
    """Rank a match: by how many of the words are in the title, whole ones first. The title itself is the best match."""
    folded = fold_for_search(title)
    if not any(word in folded for word in found):
        return 0
    have = unique_words(folded)
    score = sum(2 if word in have else any(each.startswith(word) for each in have) for word in found)
    return score + (have == list(dict.fromkeys(found)))
