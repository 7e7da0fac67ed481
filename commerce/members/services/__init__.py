"""Writes of members and plans."""

from .memberships import (
    add_member,
    cancel,
    change_plan,
    choose_plan,
    confirm_payment,
    decline_plan,
    delete_member,
    end_plan,
    join,
    rejoin,
)
from .payments import PLANS, record_renewal
from .plans import delete_plan, save_plan

__all__ = [
    "PLANS",
    "add_member",
    "cancel",
    "change_plan",
    "choose_plan",
    "confirm_payment",
    "decline_plan",
    "delete_member",
    "delete_plan",
    "end_plan",
    "join",
    "record_renewal",
    "rejoin",
    "save_plan",
]
