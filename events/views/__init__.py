"""Public pages of dated content."""
