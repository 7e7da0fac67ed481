"""The pages module: the site's pages, the rows they consist of, and the images in them."""

from cms_api.core.module import Admin, Api, Module, Pages, Records, Route, Row

MODULE = Module(
    name="home",
    title="Pages",
    description="The public site's pages and their images.",
    api=Api(
        group="Content",
        nouns={"pages/images": "page_images"},
        routes=(
            Route("pages", "home.api.Pages", {"GET": "content:read"}),
            Route("pages/images", "home.api.PageImages", {"GET": "content:read", "PATCH": "content:write"}),
        ),
    ),
    pages=Pages(
        urls="home.urls.urlpatterns",
        sitemap="home.feeds.sections",
        searches=("home.resources.SEARCHED_PAGES",),
        rows=(
            Row("hero", "home.rows.HeroBlock"),
            Row("text", "home.rows.TextBlock"),
            Row("media_text", "home.rows.MediaTextBlock"),
            Row("gallery", "home.rows.GalleryBlock"),
            Row("cards", "home.rows.CardsBlock"),
            Row("quote", "home.rows.QuoteBlock"),
            Row("faq", "home.rows.FaqBlock"),
            Row("call_to_action", "home.rows.CallToActionBlock"),
            Row("map", "home.rows.MapBlock"),
            Row("shared", "home.rows.SharedBlock", where="pages"),
            Row("record", "home.rows.RecordBlock", where="templates"),
        ),
    ),
    admin=Admin(
        viewsets=("home.admin.SHARED_ROWS", "home.admin.PAGE_PICTURES"),
        menu_group="website",
        menu_order=50,
        cards={
            "home.admin.cards.show_scheduled": "wagtailadmin.access_admin",
            "home.admin.cards.show_changed": "wagtailcore.change_page",
            "home.admin.cards.create": "wagtailcore.add_page",
        },
        first_steps={
            "home.admin.cards.name_site": "home.change_theme",
            "home.admin.cards.choose_theme": "home.change_theme",
            "home.admin.cards.create_first_page": "wagtailcore.add_page",
        },
        roles=("manager", "editor"),
        model_roles={"theme": ("manager",)},
    ),
    listens={"content.address_asked": "home.selectors.find_page_at"},
    records=Records(
        media_usage="home.services.media_usage.MEDIA_USAGE",
        setup="home.services.set_up",
        demo="home.demo.load",
    ),
)
