"""Reads of dates and of what belongs to them."""
