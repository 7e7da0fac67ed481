"""Messages of customers, however they arrive."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .files import NewFile
from .tickets import Channel


@dataclass(frozen=True)
class Incoming:
    """A message of a customer that has been checked, and is not stored yet."""

    body: str
    channel: Channel
    #: Its author, by default the requester of the ticket; `user` is their account.
    email: str = ""
    name: str = ""
    user: Any = None
    files: Sequence[NewFile] = ()
    #: The text with what it quotes, if that was cut off.
    full_text: str = ""
    #: A machine wrote it.
    is_automatic: bool = False
    #: Its author takes part in the ticket; others have nothing but a reply address, or an id.
    is_participant: bool = True
    #: The id of the email that it arrived by.
    mail_key: str = ""
