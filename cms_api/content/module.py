"""The content module: content types, their items, and the pages and endpoints that show them."""

from cms_api.core.module import Admin, Api, Event, Job, Module, Pages, Records, Route, Row, SettingKey, Signal

LAYOUTS_HELP = "Overrides the content type's layout. Leave empty to use the type's own."

MODULE = Module(
    name="content",
    title="Content",
    description="Content types, taxonomies and items.",
    api=Api(
        group="Content",
        abilities={
            "content:read": "Read pages, content types and content items",
            "content:write": "Create, edit and delete content items, and change page images",
        },
        routes=(
            Route("content-items", "cms_api.content.api.ContentItems", {"GET": "content:read", "POST": "content:write"}),
            Route(
                "content-items/<ref:item>",
                "cms_api.content.api.OneContentItem",
                {"GET": "content:read", "PATCH": "content:write", "DELETE": "content:write"},
            ),
            Route("content-types", "cms_api.content.api.ContentTypes", {"GET": "content:read"}),
            Route("content-types/<ref:slug>", "cms_api.content.api.OneContentType", {"GET": "content:read"}),
            Route("content-types/<ref:slug>/terms", "cms_api.content.api.Terms", {"GET": "content:read"}),
        ),
        events=tuple(
            Event(
                f"content_item.{verb}",
                f"A content item is {verb}.",
                document="cms_api.content.resources.documents.ContentItemResource",
                resource="cms_api.content.resources.records.event_payload",
            )
            for verb in ("created", "updated", "deleted")
        ),
    ),
    pages=Pages(
        urls="cms_api.content.urls.urlpatterns",
        sitemap="cms_api.content.feeds.sitemap.sections",
        searches=("cms_api.content.resources.search.ITEMS",),
        footer_links="cms_api.content.feeds.footer.footer_links",
        rows=(Row("item_list", "cms_api.content.rows.ItemListBlock"),),
        record_pages=("content.item",),
    ),
    admin=Admin(
        viewsets=("cms_api.content.admin.TYPES", "cms_api.content.admin.TERMS"),
        menu=("cms_api.content.admin.MENU",),
        menu_group="website",
        menu_order=10,
        cards={
            "cms_api.content.admin.cards.show_scheduled": "content.change_contentitem",
            "cms_api.content.admin.cards.show_changed": "content.change_contentitem",
            "cms_api.content.admin.cards.create": "content.add_contentitem",
        },
        first_steps={"cms_api.content.admin.cards.write_first_item": "content.add_contentitem"},
        roles=("manager", "editor"),
    ),
    records=Records(
        media_usage="cms_api.content.services.media_usage.MEDIA_USAGE",
        setup="cms_api.content.services.builtin.create",
        demo="cms_api.content.demo.load",
    ),
    settings=(
        SettingKey("index_layout.default.*", str, "", LAYOUTS_HELP),
        SettingKey("detail_layout.default.*", str, "", LAYOUTS_HELP),
    ),
    signals=(
        Signal(
            "content.item_saved",
            "A content item is stored, perhaps with another date than `former`. Occurrences of another item do not count.",
            "item: ContentItem, is_new: bool, is_moved: bool, former: Any",
        ),
        Signal(
            "content.series_editing",
            "A repeating date of a content item is about to be replaced by another one, `value`. A listener returns it with the "
            "marks of the date that becomes its first one.",
            "item: ContentItem, value: dict",
        ),
        Signal(
            "content.item_deleting",
            "A content item, which is locked, is about to be deleted. A listener may raise Invalid (`item`), or notify people.",
            "item: ContentItem",
        ),
        Signal(
            "content.item_deletion_asked",
            "The admin asks whether to delete a content item. A listener returns a sentence on what follows, or an empty text.",
            "item: ContentItem",
        ),
        Signal(
            "content.address_asked",
            "The first part of an address is about to be used by a content type. A listener returns what has it already, as the "
            "beginning of a sentence, or an empty text.",
            "part: str",
        ),
    ),
    listens={"setting:site.timezone": "cms_api.content.services.types.recompute_dates"},
    jobs=(
        Job("publish_due_items", "cms_api.content.services.items.publish_due_items", every=15),
        Job("refresh_items", "cms_api.content.services.types.refresh_items", every=15),
    ),
)
