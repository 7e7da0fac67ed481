"""Public pages of donations."""
