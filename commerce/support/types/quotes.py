"""Cuts the quoted text below an answer by email off.

Also a program: it reads a text from standard input and writes the answer, so that a slow text can be stopped.
"""

import re

#: The first line of our own emails; whatever follows it in an answer is quoted.
MARKER = "##- Please type your reply above this line -##"
MAX_LINE = 1_000
MAX_TEXT = 100_000
#: The languages in which quotes are introduced ("On 3 March, Dana wrote:") and recognised.
LANGUAGES = ("en", "de", "cs", "da", "es", "fr", "it", "ja", "ko", "nl", "pl", "sv", "zh")

_MARKER = re.compile(r"##-? ?Please type your reply above this line ?-?##", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n\s*\n\s*\n+")
_QUOTE_SIGN = re.compile(r"^[>\s*|]*$")
#: The line that introduces the quote below it; in Chinese, the colon is a wide one.
_INTRODUCTION = re.compile(r"^[^\n]{4,300}[:\uff1a]\s*$")
#: A day, hour or year.
_DATE = re.compile(r"\d\d")
_FORWARD = re.compile(
    r"^\s*>*\s*-{2,}\s*(forwarded message|weitergeleitete nachricht|message transféré|mensaje reenviado"
    r"|messaggio inoltrato|doorgestuurd bericht|mensagem encaminhada)[^\n]*$|^\s*begin forwarded message:",
    re.IGNORECASE | re.MULTILINE,
)


def normalize(text: str) -> str:
    """Return a text with lines of at most MAX_LINE characters, without long runs of blank lines, of at most MAX_TEXT."""
    lines = [line.rstrip() for line in text[: 2 * MAX_TEXT].split("\n")]
    wrapped = [line[start : start + MAX_LINE] for line in lines for start in range(0, max(len(line), 1), MAX_LINE)]
    return _BLANK_LINES.sub("\n\n", "\n".join(wrapped))[:MAX_TEXT].strip()


def is_forwarded(text: str) -> bool:
    """Return whether a text is a forwarded message, perhaps with a few words above it."""
    found = _FORWARD.search(text[:4000])
    return found is not None


def above_marker(text: str) -> str:
    """Return the text above our own marker, without the line that introduces the quote."""
    found = _MARKER.search(text)
    if found is None:
        return text
    lines = text[: found.start()].rstrip().split("\n")
    # Signs of the quote.
    while lines and _QUOTE_SIGN.match(lines[-1]):
        lines.pop()
    return "\n".join(_without_introduction(lines)).strip()


def above_trailing_quote(text: str) -> str:
    """Return the text above a quote at its end, whose lines begin with `>`, without the line that introduces it."""
    lines = text.rstrip().split("\n")
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith(">")):
        end -= 1
    if not any(line.lstrip().startswith(">") for line in lines[end:]):
        return text
    return "\n".join(_without_introduction(lines[:end])).strip()


def _without_introduction(lines: list[str]) -> list[str]:
    """Return lines without "On 3 March, we wrote:" at their end, which may be folded."""
    if not lines or not _INTRODUCTION.match(lines[-1]):
        return lines
    if _DATE.search(lines[-1]):
        return lines[:-1]
    if len(lines) > 1 and _DATE.search(lines[-2]):
        return lines[:-2]
    return lines[:-1] if "@" in lines[-1] else lines


def cut(text: str) -> str:
    """Return the answer in a normalized text; the whole text if nothing is left. Slow for hostile texts of many characters."""
    from mailparser_reply import EmailReplyParser

    answer = above_trailing_quote(above_marker(text))
    if answer:
        answer = (EmailReplyParser(languages=list(LANGUAGES)).parse_reply(answer) or "").strip() or answer
    return answer or text


def cut_content(content: bytes) -> str:
    """The same for `core.apart`."""
    return cut(content.decode())
