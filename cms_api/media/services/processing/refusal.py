"""How a picture is turned down."""

UNREADABLE = "The file is damaged or cannot be read."
TOO_LARGE = "The picture may not have more than 50 megapixels."
TOO_LONG = "The frames of the animation may not have more than 400 megapixels together."


class Refused(Exception):
    """The file cannot be taken; the text is a sentence for whoever sent it."""
