"""The grammar of HTML's tags, as browsers read them."""

import re

#: Removed with all their content, which browsers do not read as HTML.
DROPPED = frozenset({"script", "style", "iframe", "noscript", "noembed", "noframes", "xmp", "plaintext", "textarea", "title"})

# An unterminated construct runs on to the end of the text, so every scan is linear.
_VALUE = r"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+|(?=>|\Z))"""
_ATTRIBUTE = rf"(?:=[^\s/>=]*+|[^\s/>=]++)(?:\s*+=\s*+{_VALUE})?+"
MARKUP = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"
    rf"|<(?P<dropped>{'|'.join(sorted(DROPPED))})(?=[\s/>])(?:[\s/]++|{_ATTRIBUTE})*+(?:>.*?(?:</(?P=dropped)(?=[\s/>])[^>]*+(?:>|\Z)|\Z)|\Z)"
    rf"|<(?P<close>/?)(?P<tag>[a-z][^\s/>]*+)(?P<attributes>(?:[\s/]++|{_ATTRIBUTE})*+)(?:>|\Z)"
    r"|<[!?/][^>]*+(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
ONE_ATTRIBUTE = re.compile(_ATTRIBUTE, re.IGNORECASE)
