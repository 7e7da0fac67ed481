"""API tokens and the protection of the API: abilities, rate limits and idempotency keys."""
