"""The migrations of content, and those beside this file."""

from pathlib import Path

from cms_api.content import migrations

__path__ = [*__path__, *migrations.__path__]

#: The last migration of today's release.
LAST = max(file.stem for folder in migrations.__path__ for file in Path(folder).glob("0*.py"))
