"""Collects events, and stores them."""
