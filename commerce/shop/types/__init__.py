"""Rules of the shop. No database access."""

FEATURE = "shop"
