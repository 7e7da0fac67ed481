"""No float touches money: amounts are integers in minor units, and rates are decimals."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

COMMERCE = Path(__file__).resolve().parents[2] / "commerce"
#: The modules without money.
BESIDE = {"imports", "marketing", "crm"}
#: Files about points on the earth and their distances, in which no amount occurs.
PLACES = {
    *("common/types/places.py", "directory/demo.py", "directory/resources/pages.py"),
    *("directory/selectors/listings.py", "directory/services/importing.py", "directory/services/saving.py"),
    "directory/views/forms.py",
}
#: Points on the earth, and what JSON has as a number although it is a decimal here.
NUMBERS = ("latitude", "longitude", "quantity", "tax_rate", "baths")


def floats(source: str) -> Iterator[int]:
    """Yield the lines with a float: a literal, a call of `float`, or a model's or serializer's field of floats."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=float()) | ast.Name(id="float") | ast.Attribute(attr="FloatField"):
                yield node.lineno


def test_it_works() -> None:
    found = []
    for path in sorted(COMMERCE.rglob("*.py")):
        name = path.relative_to(COMMERCE)
        if name.parts[0] not in BESIDE and name.as_posix() not in PLACES:
            source = path.read_text()
            lines = [source.splitlines()[number - 1] for number in floats(source)]
            found += [(path.name, line.strip()) for line in lines if not any(name in line for name in NUMBERS)]
    assert found == []


@pytest.mark.parametrize("planted", ["price = 9.99", "cents = float(text)", "price = models.FloatField()"])
def test_a_float_is_found(planted: str) -> None:
    assert list(floats(planted)) == [1]
