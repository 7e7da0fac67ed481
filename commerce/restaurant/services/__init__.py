"""Writes of the restaurant."""

from .hours import delete_opening, delete_special_day, delete_zone, save_opening, save_special_day, save_zone
from .menu import delete_category, delete_dish, save_category, save_dish, switch_dish

__all__ = [
    "delete_category",
    "delete_dish",
    "delete_opening",
    "delete_special_day",
    "delete_zone",
    "save_category",
    "save_dish",
    "save_opening",
    "save_special_day",
    "save_zone",
    "switch_dish",
]
