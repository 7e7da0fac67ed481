"""Words of a text for searches. Chinese, Japanese, Thai and their neighbours are written without spaces between words.

A run of their letters is indexed as all pairs of letters that follow each other, so that each word inside it is found.
"""

import re
from collections.abc import Iterator

from .folding import UNSEEN, fold_for_search

#: Thai, Lao, Burmese, Khmer, Japanese syllables, and Chinese characters but one: searches use that as a placeholder.
_JOINED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U00031349"
)
_LETTER = rf"(?:(?![{_JOINED}])[^\W_])"
_RUN = re.compile(rf"([{_JOINED}](?:[{UNSEEN}]*[{_JOINED}])*)|{_LETTER}+(?:[{UNSEEN}]+{_LETTER}+)*")
_WORD = re.compile(rf"([{_JOINED}]+)|{_LETTER}+")
#: Letters in a pair.
_PAIR = 2


def find_words(text: str, *, is_indexed: bool = False) -> Iterator[str]:
    """Yield the words of a search, folded, or those of a text that `is_indexed`, whose last letters count by themselves, too."""
    for found in _WORD.finditer(fold_for_search(text)):
        if not found[1]:
            yield found[0]
            continue
        letters = "".join(filter(str.isalnum, found[1]))
        last = len(letters) if is_indexed else max(len(letters) - 1, min(len(letters), 1))
        yield from (letters[place : place + _PAIR] for place in range(last))


def find_spans(text: str, beginnings: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each word of a text that begins with one of some words, in their order."""
    for found in _RUN.finditer(text) if beginnings else ():
        if found[1]:
            yield from _spans_in_run(found[1], found.start(), beginnings)
        elif any(word.startswith(beginnings) for word in find_words(found[0])):
            yield found.span()


def _spans_in_run(run: str, offset: int, beginnings: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a run of letters without spaces that are words of a search; those that overlap or touch are one."""
    letters = [(place, letter) for place, each in enumerate(run) for letter in fold_for_search(each) if letter.isalnum()]
    joined = "".join(letter for _, letter in letters)
    start = end = -1
    for place in range(len(joined)):
        length = max((len(each) for each in beginnings if joined.startswith(each, place)), default=0)
        if not length:
            continue
        first, last = letters[place][0], letters[place + length - 1][0] + 1
        if start >= 0 and first > end:
            yield offset + start, offset + end
            start = -1
        start, end = (first, last) if start < 0 else (start, max(end, last))
    if start >= 0:
        yield offset + start, offset + end
