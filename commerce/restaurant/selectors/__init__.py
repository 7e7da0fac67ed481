"""Reads of the restaurant."""
