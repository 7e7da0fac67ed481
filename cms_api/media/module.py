"""The media module: the library of images, videos and files that all modules use."""

from cms_api.core.module import Admin, Api, Module, Route

MODULE = Module(
    name="media",
    title="Media",
    description="Images, videos and files.",
    api=Api(
        group="Content",
        abilities={
            "media:read": "Read the media library",
            "media:write": "Upload, edit and delete media",
        },
        routes=(
            Route("media", "cms_api.media.api.MediaList", {"GET": "media:read", "POST": "media:write"}),
            Route(
                "media/<id:media>",
                "cms_api.media.api.OneMedia",
                {"GET": "media:read", "PATCH": "media:write", "DELETE": "media:write"},
            ),
        ),
    ),
    admin=Admin(
        viewsets=("cms_api.media.admin.CATEGORIES",),
        menu_group="website",
        menu_order=25,
        cards={"cms_api.media.admin.cards.create": "media.add_mediaimage"},
        roles=("manager", "editor"),
    ),
)
