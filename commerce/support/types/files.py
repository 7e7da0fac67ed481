"""Files of messages, before they are stored."""

from dataclasses import dataclass

#: The ends of the names of files with emails.
EMAIL_FILES = (".eml", ".emlx", ".msg", ".mbox", ".mht", ".mhtml", "winmail.dat")


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that somebody attached. `name` is the sender's; `type` is a media type."""

    name: str
    content: bytes
    type: str = "application/octet-stream"
