"""Public pages of the shop."""
