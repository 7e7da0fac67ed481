"""Text without the differences that searches ignore. It needs no database."""

import unicodedata


def fold(text: str) -> str:
    """Return text in the form of the index: lower case, without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
