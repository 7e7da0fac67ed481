"""Writes of feeds, listings, saved searches and inquiries."""

from .feeds import delete_feed, save_feed
from .importing import import_file, upload_file
from .inquiries import release_inquiry, send_inquiry
from .queueing import queue_run
from .running import run_feed, stop_run
from .searches import delete_search, pause_search, save_search

__all__ = [
    "delete_feed",
    "delete_search",
    "import_file",
    "pause_search",
    "queue_run",
    "release_inquiry",
    "run_feed",
    "save_feed",
    "save_search",
    "send_inquiry",
    "stop_run",
    "upload_file",
]
