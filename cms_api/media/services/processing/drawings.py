"""Cleans SVG: refuses oversized or malformed input before the sanitizer runs, and checks the sanitizer's output again."""

import re
import xml.parsers.expat
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from py_svg_hush import filter_svg

from cms_api.media.types import MAX_SVG_BYTES, MAX_SVG_DEPTH

from .refusal import UNREADABLE, Refused

_NAMESPACE = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_IMAGES = {"image": ["png", "jpeg", "gif", "webp", "avif"]}
_ENCODINGS = {None, "utf-8", "us-ascii"}
_DROPPED = {"script", "foreignObject", "iframe", "embed", "object", "handler", "audio", "video", "canvas", "image-set"}
_ANIMATIONS = {"animate", "set", "animateTransform", "animateMotion", "animateColor"}
_LENGTH = re.compile(r"\s*([0-9]*\.?[0-9]+)(px|pt|pc|mm|cm|in|em|ex)?\s*", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]*\.)?[0-9]{1,12}(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)
_ASPECT = re.compile(r"none|x(Min|Mid|Max)Y(Min|Mid|Max)(\s+(meet|slice))?")
_PIXELS = {"pt": 4 / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96, "em": 16, "ex": 8}
#: A URL in a style that points outside the document.
_FOREIGN = re.compile(r"""url\(\s*(?!['"]?#)[^)]*\)?""", re.IGNORECASE)
_IMPORT = re.compile(r"@(?:import|charset|namespace|font-face)\b[^;{]*(?:;|\{[^}]*\})?", re.IGNORECASE)
_ACTIVE = re.compile(r"javascript:|vbscript:|expression\s*\(|@import|-moz-binding|behavior\s*:|\\|://", re.IGNORECASE)
_BLANKS = re.compile(r"[\x00-\x20]+")
#: The default in browsers.
_DEFAULT_SIZE = (300, 150)
_MAX_SIDE = 32_767


def process(*, source: str, mime_type: str, into: str, degrees: int = 0) -> dict[str, Any]:
    """Clean a drawing into a folder, and return the report. Raises Refused."""
    if degrees:
        raise Refused("SVG files can't be rotated.")
    path = Path(source)
    if path.stat().st_size > MAX_SVG_BYTES:
        raise Refused("An SVG file may not be larger than 1 MB.")
    raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    guard(raw)
    try:
        root = ElementTree.fromstring(filter_svg(raw, _IMAGES))
    except (ValueError, ElementTree.ParseError):
        raise Refused(UNREADABLE) from None
    if root.tag != f"{{{_NAMESPACE}}}svg":
        raise Refused("The file is not an SVG drawing.")
    _clean(root)
    width, height = _set_size(root)
    ElementTree.register_namespace("", _NAMESPACE)
    ElementTree.register_namespace("xlink", _XLINK)
    cleaned = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    if b"javascript:" in bytes(byte for byte in cleaned if byte > 0x20).lower():
        raise Refused("The drawing contains a script.")
    (Path(into) / "original").write_bytes(cleaned)
    return {"file": "original", "mime_type": mime_type, "width": width, "height": height, "animated": False, "variants": []}


def guard(raw: bytes) -> None:
    """Parse the document without building a tree. Raises Refused unless it is well-formed UTF-8, shallow and entity-free."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        raise Refused("The SVG file must be UTF-8.") from None
    depth = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_SVG_DEPTH:
            raise Refused("The drawing is nested too deeply.")

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def declaration(version: str, encoding: str | None, standalone: int) -> None:
        if (encoding.lower() if encoding else None) not in _ENCODINGS:
            raise Refused("The SVG file must be UTF-8.")

    def doctype(name: str, system: str | None, public: str | None, has_subset: bool) -> None:
        if has_subset:
            raise Refused("The drawing may not define entities.")

    def entity(*_: Any) -> int:
        raise Refused("The drawing may not define entities.")

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.XmlDeclHandler, parser.StartDoctypeDeclHandler = declaration, doctype
    parser.EntityDeclHandler = parser.UnparsedEntityDeclHandler = parser.ExternalEntityRefHandler = entity
    try:
        parser.Parse(raw, True)
    except xml.parsers.expat.ExpatError:
        raise Refused(UNREADABLE) from None


def _clean(element: ElementTree.Element) -> None:
    """Remove scripts, event handlers and every URL that points outside the document."""
    for child in list(element):
        if not _is_allowed(child):
            _remove(element, child)
            continue
        _clean(child)
    for name, value in list(element.attrib.items()):
        plain = name.rpartition("}")[2].lower()
        flat = _BLANKS.sub("", value).lower()
        is_address = plain in {"href", "src"}
        is_internal = flat.startswith(("#", "data:image/"))
        if plain.startswith("on") or (is_address and not is_internal) or "javascript:" in flat or "vbscript:" in flat:
            del element.attrib[name]
        elif "url(" in flat or plain == "style":
            element.attrib[name] = _style(value)
    if element.tag == f"{{{_NAMESPACE}}}style":
        element.text = _style(element.text or "")


def _is_allowed(element: ElementTree.Element) -> bool:
    namespace, _, name = element.tag.rpartition("}")
    if namespace != f"{{{_NAMESPACE}" or name in _DROPPED:
        return False
    return name not in _ANIMATIONS or _animates_appearance(element)


def _animates_appearance(element: ElementTree.Element) -> bool:
    """Return whether an animation has a target other than a URL, a style or an event handler."""
    target = element.get("attributeName", "").lower().rpartition(":")[2]
    named = bool(target) or element.tag.endswith("animateMotion")
    return named and target not in {"href", "src", "style"} and not target.startswith("on")


def _remove(parent: ElementTree.Element, child: ElementTree.Element) -> None:
    """Remove a child, but not the text that follows it."""
    if child.tail:
        siblings = list(parent)
        place = siblings.index(child)
        if place:
            siblings[place - 1].tail = (siblings[place - 1].tail or "") + child.tail
        else:
            parent.text = (parent.text or "") + child.tail
    parent.remove(child)


def _style(text: str) -> str:
    """Return a style without external URLs; empty if it could still load or run something."""
    text = _FOREIGN.sub("none", _IMPORT.sub("", text))
    return "" if _ACTIVE.search(text) else text


def _set_size(root: ElementTree.Element) -> tuple[int, int]:
    """Set width, height and view box on the root so that every renderer agrees, and return the size in CSS pixels."""
    box = _box(root.attrib.pop("viewBox", ""))
    width, height = _length(root.get("width")), _length(root.get("height"))
    if box:
        root.set("viewBox", " ".join(f"{number:g}" for number in box))
        if width is None and height is None:
            width, height = box[2], box[3]
        elif width is None and height is not None:
            width = height * box[2] / box[3]
        elif height is None and width is not None:
            height = width * box[3] / box[2]
    if not _ASPECT.fullmatch(root.get("preserveAspectRatio", "").strip()):
        root.attrib.pop("preserveAspectRatio", None)
    found = (_whole(width or _DEFAULT_SIZE[0]), _whole(height or _DEFAULT_SIZE[1]))
    root.set("width", str(found[0]))
    root.set("height", str(found[1]))
    return found


def _box(text: str) -> tuple[float, ...] | None:
    """Return the four numbers of a `viewBox`, if its area is not empty."""
    parts = re.split(r"[\s,]+", text.strip())
    if len(parts) != 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    numbers = tuple(map(float, parts))
    return numbers if all(0.001 < number < 1e6 for number in numbers[2:]) else None


def _whole(length: float) -> int:
    return round(min(_MAX_SIDE, max(1, length)))


def _length(text: str | None) -> float | None:
    found = _LENGTH.fullmatch(text or "")
    return float(found[1]) * _PIXELS.get(found[2], 1) if found else None
