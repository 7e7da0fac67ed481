"""The public pages of ticketing."""
