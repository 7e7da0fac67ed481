"""Rules of the restaurant. No database access."""

FEATURE = "restaurant"
