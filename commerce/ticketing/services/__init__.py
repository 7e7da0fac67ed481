"""Writes of ticketing."""
