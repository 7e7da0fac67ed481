"""Public pages of booking."""
