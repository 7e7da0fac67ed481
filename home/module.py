"""The pages module: the site's home page and what hangs below it."""

from cms_api.core.module import Module

MODULE = Module(
    name="home",
    title="Pages",
    description="The pages of the public site.",
    group="Content",
    roles=("manager", "editor"),
    setup="home.services.create_home_page",
    demo="home.demo.load",
)
