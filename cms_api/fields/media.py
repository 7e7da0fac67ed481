"""References to files: a path relative to the site's media root, or an external URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from cms_api.fields.base import FieldPath, FieldType, JsonSchema, read_line, read_list, register
from cms_api.fields.texts import UNSAFE_IN_URL, is_web_url

if TYPE_CHECKING:
    from cms_api.fields.definition import Context, Field

PATH_LIMIT = 2048
GALLERY_LIMIT = 200


@register("image")
class Image(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> str | None:
        if isinstance(value, list):
            if len(value) > 1:
                raise where.refusal("must be a single path.")
            value = value[0] if value else None
        return _read_path(value, where)

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        path: JsonSchema = {"type": "string", "maxLength": PATH_LIMIT}
        if not writing:
            return path
        return {"anyOf": [path, {"type": "array", "items": path, "minItems": int(field.required), "maxItems": 1}]}


@register("file")
class File(Image):
    pass


@register("gallery")
class Gallery(FieldType):
    takes_multiple = True

    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> list[str]:
        paths = [_read_path(entry, where) for entry in read_list(value, where, GALLERY_LIMIT)]
        return list(dict.fromkeys(path for path in paths if path is not None))

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        paths = {"type": "array", "items": {"type": "string", "maxLength": PATH_LIMIT}, "maxItems": GALLERY_LIMIT}
        return paths | {"minItems": 1} if writing and field.required else paths


def _read_path(value: Any, where: FieldPath) -> str | None:
    """Return a path without a leading slash, or an absolute http(s) URL; neither may contain `..` segments."""
    path = read_line(value, where, PATH_LIMIT)
    if path is None:
        return None
    decoded = unquote(path)
    climbs = any(segment in (".", "..") for segment in decoded.partition("?")[0].split("/"))
    if climbs or UNSAFE_IN_URL.search(decoded.replace(" ", "")):
        raise where.refusal("must be a media path.")
    if path[:8].lower().startswith(("http://", "https://")):
        scheme, _, rest = path.partition(":")
        path = f"{scheme.lower()}:{rest}"
        if not is_web_url(path):
            raise where.refusal("must be a media path.")
        return path
    if decoded.startswith("//") or ":" in decoded.partition("/")[0]:
        raise where.refusal("must be a media path.")
    if not (path := path.removeprefix("/")):
        raise where.refusal("must be a media path.")
    return path
