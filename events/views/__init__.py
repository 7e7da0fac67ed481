"""Public pages of what takes place."""
