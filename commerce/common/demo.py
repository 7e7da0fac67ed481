"""Demo tax rules. Matched by place and tax class."""

from collections.abc import Callable
from decimal import Decimal

from cms_api.core.demo import data_beside

from .models import TaxRule
from .services import save_tax_rule

DATA = data_beside(__file__)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the rules that are missing."""
    for rule in DATA["tax_rules"]:
        if not TaxRule.objects.filter(country=rule["country"], region=rule["region"], tax_class=rule["tax_class"]).exists():
            save_tax_rule(values={**rule, "percent": Decimal(rule["percent"])})
            progress(1)
