"""Public pages of the restaurant."""
