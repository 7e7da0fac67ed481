"""Writes of the events module."""
