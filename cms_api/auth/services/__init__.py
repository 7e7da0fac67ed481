"""Writes of the token module."""
