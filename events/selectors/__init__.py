"""Reads of dates and RSVPs."""
