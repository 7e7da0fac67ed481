"""Tax rules in the admin, and the base of the pages of discount codes."""

from cms_api.adminkit.history import register_log_actions

from .taxes import TaxRuleViewSet

TAX_RULES = TaxRuleViewSet()

register_log_actions(
    {
        "discounts.enable": ("Enable discount code", "Enabled"),
        "discounts.disable": ("Disable discount code", "Disabled"),
    }
)
