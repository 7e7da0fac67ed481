"""Reads of the shop."""
