"""The events module in the admin."""
