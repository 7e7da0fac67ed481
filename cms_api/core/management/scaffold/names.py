"""The names of a new module and of its first record, in every form in which the templates use them.

The templates are a module that could work as it stands: `commerce.seed_bank`, whose record is the `SeedPacket`. Both names have
two words, so that each form differs from the others.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from cms_api.core.vocabulary import ABILITIES, FEATURES


@dataclass(frozen=True)
class Names:
    """A module (`donations`) of a package (`commerce`), its title, and its first record (`Campaign`)."""

    package: str
    module: str
    title: str
    record: str

    @property
    def dotted(self) -> str:
        return f"{self.package}.{self.module}"

    @property
    def feature(self) -> str:
        """The module's feature; empty if the product has none of this name."""
        return self.module if self.module in FEATURES else ""

    @property
    def has_abilities(self) -> bool:
        """Whether the product has the abilities to read and to write the module."""
        return {f"{self.module}:read", f"{self.module}:write"} <= {*ABILITIES}

    @property
    def guard(self) -> str:
        """The first half of the abilities that the API needs: the module's own, else those of content."""
        return self.module if self.has_abilities else "content"

    @property
    def words(self) -> str:
        """The record in words: `menu item`."""
        return re.sub("(?<=[a-z0-9])(?=[A-Z])", " ", self.record).lower()

    @property
    def one(self) -> str:
        """A record, with its article: `an order`."""
        return f"{'an' if self.words[0] in 'aeiou' else 'a'} {self.words}"

    @property
    def path(self) -> str:
        """The path of the records, on the site and in the API: `restaurant/menu-items`; `polls` for the polls of polls."""
        module, records = self.module.replace("_", "-"), plural(self.words).replace(" ", "-")
        return records if records == module else f"{module}/{records}"

    @cached_property
    def forms(self) -> dict[str, str]:
        """Each form of the templates' names, and what it becomes."""
        one, many = self.words, plural(self.words)
        tests = self.dotted.removeprefix("cms_api.")
        is_business = self.package == "commerce"
        return {
            "tests.commerce.seed_bank": f"tests.{tests}",
            "tests/commerce/seed_bank": f"tests/{tests.replace('.', '/')}",
            "commerce.seed_bank": self.dotted,
            "commerce/seed_bank": self.dotted.replace(".", "/"),
            'group="Commerce"': f'group="{"Commerce" if is_business else "Content"}"',
            'menu_group="sales"': f'menu_group="{"sales" if is_business else "website"}"',
            "seed_bank:read": f"{self.guard}:read",
            "seed_bank:write": f"{self.guard}:write",
            "seed-bank/seed-packets": self.path,
            "seed-bank": self.module.replace("_", "-"),
            "seed_bank": self.module,
            "seed bank": self.module.replace("_", " "),
            "Seed bank": self.title,
            "SeedBank": "".join(part.capitalize() for part in self.module.split("_")),
            "a seed packet": self.one,
            "A seed packet": self.one.capitalize(),
            **dict(zip(_cases("seed packets"), _cases(many), strict=True)),
            **dict(zip(_cases("seed packet"), _cases(one), strict=True)),
        }

    def clashes(self, sources: Iterable[str]) -> set[str]:
        """Return the record's names that would stand for something else too in one of the templates' sources."""
        found = set()
        for source in sources:
            known = _identifiers(source)
            found |= {self.forms[name] for name in known & self.forms.keys()} & known
        return found

    def apply(self, text: str) -> str:
        """Return a template, or its path, with these names."""
        return re.sub(_SAMPLES, lambda found: self.forms[found[0]], text)


def plural(words: str) -> str:
    """Return the regular plural: `properties`, `boxes`, `days`."""
    if re.search("[^aeiou]y$", words):
        return f"{words[:-1]}ies"
    return f"{words}es" if re.search("(s|x|z|ch|sh)$", words) else f"{words}s"


def singular(words: str) -> str:
    """Return the singular of a regular plural, and other words as they are."""
    if words.endswith("ies"):
        return f"{words[:-3]}y"
    return words.removesuffix("s") if not words.endswith("ss") else words


def _identifiers(source: str) -> set[str]:
    """Return every name that a source defines, imports or uses."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
    return found


def _cases(words: str) -> list[str]:
    """Return words in every form: as text, at the start of a sentence, and as names of variables, constants, URLs and classes."""
    snake = words.replace(" ", "_")
    return [words, words.capitalize(), snake, snake.upper(), words.replace(" ", "-"), words.title().replace(" ", "")]


#: The forms, longest first; an article is a word by itself.
_FORMS = sorted(Names("commerce", "seed_bank", "Seed bank", "SeedPacket").forms, key=len, reverse=True)
_SAMPLES = re.compile("|".join(rf"\b{form}" if form[:2] in {"a ", "A "} else re.escape(form) for form in _FORMS))
