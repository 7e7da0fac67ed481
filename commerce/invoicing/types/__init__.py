"""Rules of invoices and estimates. No database access."""

FEATURE = "invoicing"
