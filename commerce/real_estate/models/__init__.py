"""Feeds and their runs, listings with photos, saved searches, and inquiries. Written by `services` alone."""

from .feeds import Feed, FeedRun, SeenKey
from .listings import ON_MARKET, SHOWN, Property, PropertyPhoto
from .visitors import Inquiry, SavedSearch

__all__ = ["ON_MARKET", "SHOWN", "Feed", "FeedRun", "Inquiry", "Property", "PropertyPhoto", "SavedSearch", "SeenKey"]
