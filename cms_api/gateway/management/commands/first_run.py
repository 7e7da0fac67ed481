"""`manage.py first_run`: what `make run` does before it serves for the first time."""

import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command

from cms_api.auth.services.tokens import create_token
from cms_api.core import registry
from cms_api.core.commands import SiteCommand
from cms_api.core.vocabulary import FEATURES
from cms_api.flags.services import set_setting, switch_feature
from cms_api.gateway.roles import create_editor

EMAIL = "admin@example.com"


class Command(SiteCommand):
    help = (
        "Migrates and sets up; on the first start also loads demo data, switches features on, and creates an account and a token."
    )

    def handle(self, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        call_command("setup_site", stdout=self.stdout)
        if get_user_model().objects.filter(email=EMAIL).exists():
            return
        for feature in FEATURES:
            switch_feature(name=feature, on=True)
        # Before the demo data, whose mails name the site.
        set_setting(key="site.name", value="Millrace Arts")
        set_setting(key="site.country", value="GB")
        call_command("load_demo", stdout=self.stdout)
        password = secrets.token_urlsafe(12)
        create_editor(email=EMAIL, role="admin", password=password)
        _, token = create_token(name="first run", abilities=list(registry.abilities()))
        self.stdout.write(
            f"\nAccount:  {EMAIL}\nPassword: {password}\n(It is shown this once.)\n\n"
            f"Try the API, with a token that is shown this once too:\n"
            f'  curl -H "Authorization: Bearer {token}" {settings.BASE_URL}/api/v1/content-items\n'
        )
