"""`manage.py setup_site`: create what every new site needs, if it is missing."""

from typing import Any

from cms_api.core import registry
from cms_api.core.commands import SiteCommand
from cms_api.gateway.roles import create_roles


class Command(SiteCommand):
    help = "Creates missing roles, home page, built-in content types and default settings. Safe to repeat."

    def handle(self, **options: Any) -> None:
        for module in registry.modules():
            if module.records.setup:
                registry.load(module.records.setup)()
        create_roles()
        self.stdout.write("The site is set up.")
