"""Text of other systems, such as the answer of a mail server, in a form that any database can store and people can read."""


def printable(text: str) -> str:
    """Return text in one line, with a space instead of each run of characters that can't be shown."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())
