"""Text as XML can have it."""

import re

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    """Return a text without the characters that no XML may have, escaped or not."""
    return _NOT_IN_XML.sub("", text)
