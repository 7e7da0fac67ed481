"""Public pages of the events module."""
