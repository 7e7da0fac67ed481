"""API tokens and what guards the API: abilities, budgets and idempotency keys."""
