"""Public pages of dates."""
