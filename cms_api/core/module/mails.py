"""Declared for emails: their subjects, placeholders and samples."""

from collections.abc import Mapping
from dataclasses import dataclass, field

#: Placeholders available in every mail, besides its own.
EVERY_MAIL = {"site": "The site's name", "site_url": "The site's address"}


@dataclass(frozen=True)
class Block:
    """A placeholder value longer than a phrase: lines of text, and the equivalent HTML."""

    text: str
    html: str


@dataclass(frozen=True)
class Placeholder:
    """A value that a mail is filled with: its description for editors, and a sample for previews.

    One whose sample is a Block or has several lines is not allowed in the subject.
    """

    description: str
    sample: str | Block


@dataclass(frozen=True)
class Mail:
    """A mail that a module sends. The default text is in `templates/mail/<name>.txt` and `.html`; editors can change it.

    `placeholders` are the values by the names allowed between `{{` and `}}`.
    """

    name: str
    summary: str
    subject: str
    placeholders: Mapping[str, Placeholder] = field(default_factory=dict)
    #: Placeholders that work once, or let somebody into an account: stored apart until the mail is sent, and never shown.
    secrets: tuple[str, ...] = ()
    #: Placeholders that the text and the HTML must have, such as the link to unsubscribe.
    required: tuple[str, ...] = ()
    #: Whether it goes to addresses that the site's staff have chosen, or that people have confirmed to get messages of visitors
    #: at. The budget of mails to strangers' addresses skips it, unless a visitor may have entered the address.
    to_staff: bool = False
