"""Reads of booking."""
