"""Reads of invoicing."""
