"""Public pages of reviews."""
