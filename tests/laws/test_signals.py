"""Every declared signal is documented, and sent by the module that declares it."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

from cms_api.core import registry

DOCUMENT = settings.BASE_DIR / "docs/architecture.md"


def documented(text: str) -> dict[str, str]:
    """The table of signals: name to the arguments of its listeners."""
    rows = re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \| `([a-z_, ]+)` \|", text, re.MULTILINE)
    return dict(rows)


def sent(sources: Iterable[str]) -> set[str]:
    """The names with which a module's code calls `notify`."""
    calls = (node for source in sources for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args)
    named = (call.args[0] for call in calls if getattr(call.func, "id", "") == "notify")
    return {name.value for name in named if isinstance(name, ast.Constant)}


def _names(arguments: str) -> str:
    return ", ".join(part.partition(":")[0].strip() for part in arguments.split(", "))


def test_the_document_lists_what_is_declared() -> None:
    declared = {name: _names(signal.arguments) for name, signal in registry.signals().items()}
    assert documented(DOCUMENT.read_text()) == declared


def test_every_signal_is_sent_by_its_module() -> None:
    for package, module in zip(settings.MODULES, registry.modules(), strict=True):
        folder = Path(settings.BASE_DIR, *package.split("."))
        sources = [file.read_text() for file in folder.rglob("*.py")] if module.signals else []
        assert {signal.name for signal in module.signals} <= sent(sources), module.name


def test_mistakes_are_noticed() -> None:
    assert documented("| `a.b` | `one, two` | when |\n| a.c | `one` | when |") == {"a.b": "one, two"}
    assert sent(['notify("a.b", 1)', 'log("a.c")', "notify(name)"]) == {"a.b"}
