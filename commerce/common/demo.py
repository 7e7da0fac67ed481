"""Demo tax rules. Matched by place and tax class."""

from collections.abc import Callable
from decimal import Decimal

from .models import TaxRule
from .services import save_tax_rule
from .types.tax import TaxClass

RULES = (
    ("GB", "", TaxClass.STANDARD, "VAT", "20"),
    ("GB", "", TaxClass.REDUCED, "VAT", "5"),
    ("IE", "", TaxClass.STANDARD, "VAT", "23"),
    ("IE", "", TaxClass.REDUCED, "VAT", "13.5"),
    ("US", "VT", TaxClass.STANDARD, "Sales tax", "6"),
    ("US", "NY", TaxClass.STANDARD, "Sales tax", "8.875"),
)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the rules that are missing."""
    for country, region, tax_class, label, percent in RULES:
        if not TaxRule.objects.filter(country=country, region=region, tax_class=tax_class).exists():
            values = {"country": country, "region": region, "tax_class": tax_class, "label": label}
            save_tax_rule(values={**values, "percent": Decimal(percent)})
            progress(1)
