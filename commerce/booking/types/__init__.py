"""Rules of booking. No database access."""

FEATURE = "booking"
