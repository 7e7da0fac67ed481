"""Writes of pages, rows and the images in them."""

from .pages import delete_page, save_page
from .rows import invalidate_tree, set_page_image
from .setup import create_home_page, set_up, starting_rows

__all__ = [
    "create_home_page",
    "delete_page",
    "invalidate_tree",
    "save_page",
    "set_page_image",
    "set_up",
    "starting_rows",
]
