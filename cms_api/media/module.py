"""The media module: the library that Wagtail's choosers fill and content items point to."""

from cms_api.core.module import Module

MODULE = Module(
    name="media",
    title="Media",
    description="Pictures and files of the site.",
    group="Content",
    roles=("manager", "editor"),
)
