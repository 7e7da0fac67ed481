"""Reads of dates, and of who comes."""
