#!/usr/bin/env python
"""Django's command line, with `site/` on the path so that `config` can be imported."""

import os
import sys
from pathlib import Path


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent / "site"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    from cms_api.core.command_line import run

    run(sys.argv)


if __name__ == "__main__":
    main()
