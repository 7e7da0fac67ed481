"""Demo content of the home page."""

from collections.abc import Callable

from .models import HomePage
from .services import create_home_page

#: What a new site's home page says.
WELCOME = "<p>Welcome.</p>"

INTRODUCTION = (
    "<p>An old mill by the river where people make things, together.</p>"
    "<p>Millrace Arts is a community arts centre in Harrowford. We teach, lend rooms, put on shows and keep a kettle on. "
    "Everybody is welcome, and the door on the left is always open.</p>"
)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Sets the introduction, unless somebody has written one."""
    page: HomePage = create_home_page()
    if page.introduction == WELCOME:
        page.introduction = INTRODUCTION
        page.save_revision().publish()
