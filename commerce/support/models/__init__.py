"""Tickets, their messages and files, the emails behind them, and how the help desk is set up."""

from .mails import MailKey, ReceivedMail
from .messages import Attachment, Message, PrivateFiles
from .setup import AssignmentRule, CannedAnswer, Category, Hours, SpecialDay, Tag, Target
from .tickets import StatusChange, Ticket

__all__ = [
    "AssignmentRule",
    "Attachment",
    "CannedAnswer",
    "Category",
    "Hours",
    "MailKey",
    "Message",
    "PrivateFiles",
    "ReceivedMail",
    "SpecialDay",
    "StatusChange",
    "Tag",
    "Target",
    "Ticket",
]
