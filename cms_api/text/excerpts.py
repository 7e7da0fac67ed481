"""Plain text, cut to a length."""


def shorten(text: str, length: int) -> str:
    """Return one line of at most `length` characters, cut after a whole word."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:.") + "…"
