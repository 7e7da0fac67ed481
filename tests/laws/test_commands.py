"""Commands of the project that work with a site's records refuse those of a restore that is not finished."""

from django.core.management import get_commands, load_command_class

from cms_api.core.commands import SiteCommand
from tests.laws.fields import PACKAGES

#: Those that have a way of their own: `backup` and `restore` know the mark, an email is left to the mail server, and the others
#: touch no records.
OTHERS = {"backup", "restore", "receive_mail", "migrate", "startmodule"}


def test_every_command() -> None:
    own = {name: app for name, app in get_commands().items() if str(app).split(".")[0] in PACKAGES}
    plain = {name for name, app in own.items() if not isinstance(load_command_class(str(app), name), SiteCommand)}
    assert len(own) > 20
    assert plain == OTHERS
