"""The pages module: the site's pages, the rows they consist of, and the images in them."""

from cms_api.core.module import Module, Route

MODULE = Module(
    name="home",
    title="Pages",
    description="The public site's pages and their images.",
    group="Content",
    routes=(
        Route("pages", "home.api.Pages", {"GET": "content:read"}),
        Route("pages/images", "home.api.PageImages", {"GET": "content:read", "PATCH": "content:write"}),
    ),
    sitemap="home.feeds.sections",
    roles=("manager", "editor"),
    media_holder="home.services.holding.HOLDER",
    viewsets=("home.admin.SHARED_ROWS", "home.admin.PAGE_PICTURES"),
    pages="home.urls.urlpatterns",
    setup="home.services.create_home_page",
    demo="home.demo.load",
)
