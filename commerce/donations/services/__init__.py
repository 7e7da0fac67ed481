"""Writes of donations."""

from .campaigns import (
    delete_campaign,
    delete_fundraiser,
    end_fundraiser,
    hide_fundraiser,
    publish_fundraiser,
    save_campaign,
    save_fundraiser,
    start_fundraiser,
)
from .giving import give, record_donation
from .mailing import request_statements, send_receipt_again, send_statements
from .paying import DONATIONS
from .recurring import apply_change, ask_for_amount, cancel_recurring, change_amount, pause_recurring, resume_recurring
from .renewing import renew_donations

__all__ = [
    "DONATIONS",
    "apply_change",
    "ask_for_amount",
    "cancel_recurring",
    "change_amount",
    "delete_campaign",
    "delete_fundraiser",
    "end_fundraiser",
    "give",
    "hide_fundraiser",
    "pause_recurring",
    "publish_fundraiser",
    "record_donation",
    "renew_donations",
    "request_statements",
    "resume_recurring",
    "save_campaign",
    "save_fundraiser",
    "send_receipt_again",
    "send_statements",
    "start_fundraiser",
]
