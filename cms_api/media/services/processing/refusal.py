"""The refusal of an image."""

UNREADABLE = "The file is damaged or unreadable."
TOO_LARGE = "The image may not exceed 50 megapixels."
TOO_LONG = "The frames of the animation may not exceed 400 megapixels in total."


class Refused(Exception):
    """The file is not accepted; the message is a sentence for the uploader."""
