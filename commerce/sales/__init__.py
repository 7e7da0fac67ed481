"""The common part of all sales: how they are paid, refunded, and shown. Modules add their own rules."""
