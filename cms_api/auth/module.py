"""The token module: API tokens, their abilities and rate limits."""

from cms_api.core.module import Admin, Job, Module

MODULE = Module(
    name="auth",
    title="API tokens",
    description="Bearer tokens with abilities, rate limits and idempotency keys.",
    admin=Admin(
        viewsets=("cms_api.auth.admin.TOKENS",),
        menu_group="api",
        menu_order=10,
        cards={"cms_api.auth.admin.cards.count_abandoned": "tokens.change_apitoken"},
        first_steps={"cms_api.auth.admin.cards.create_first_token": "tokens.add_apitoken"},
    ),
    jobs=(
        Job("expire_idempotency_keys", "cms_api.auth.services.idempotency.expire_records", every=3600),
        Job("expire_budgets", "cms_api.auth.services.budgets.expire_budgets", every=600),
    ),
)
