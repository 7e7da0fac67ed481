"""Writes of the directory."""
