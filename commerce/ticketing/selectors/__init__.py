"""Reads of ticketing."""
