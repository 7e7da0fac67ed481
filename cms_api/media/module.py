"""The media module: the library of pictures, videos and files that every other module shows things from."""

from cms_api.core.module import Module, Route

MODULE = Module(
    name="media",
    title="Media",
    description="Pictures, videos and files of the site.",
    group="Content",
    abilities={
        "media:read": "Read the media library",
        "media:write": "Upload, change and delete media",
    },
    routes=(
        Route("media", "cms_api.media.api.MediaList", {"GET": "media:read", "POST": "media:write"}),
        Route(
            "media/<id:media>",
            "cms_api.media.api.OneMedia",
            {"GET": "media:read", "PATCH": "media:write", "DELETE": "media:write"},
        ),
    ),
    viewsets=("cms_api.media.admin.CATEGORIES",),
    roles=("manager", "editor"),
)
