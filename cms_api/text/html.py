"""Untrusted HTML: cleaned to an allow-list, rendered from Tiptap documents, and read as plain text for the search index.

Bleach does the cleaning; the code around it handles hostile input that would make bleach slow or its output unstable.
"""

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from html import escape, unescape
from typing import Any

from bleach.html5lib_shim import Filter  # type: ignore[import-untyped]
from bleach.sanitizer import Cleaner  # type: ignore[import-untyped]

from cms_api.core.errors import Invalid

from .markup import DROPPED, MARKUP, ONE_ATTRIBUTE
from .simple_html import is_simple
from .styles import read_styles

# fmt: off
TAGS = frozenset({
    "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "b", "em", "i", "u", "s", "sub", "sup", "code", "pre",
    "blockquote", "ul", "ol", "li", "a", "img", "figure", "figcaption",
    "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "span", "div", "del", "ins", "mark", "small", "abbr",
    "dl", "dt", "dd",
})
# fmt: on
#: The schemes of links, besides addresses of the site itself.
LINKS = ("http", "https", "mailto", "tel")
MAX_NESTING = 100
MAX_ATTRIBUTES = 100
#: Limits on the number of `<` and `>` in a text, and on that number times its length: the parser copies a text for each.
MAX_MARKUP = 20_000
MAX_WORK = 4_000_000_000
TIPTAP_MAX_DEPTH = 64
TIPTAP_MAX_NODES = 20_000

_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"})
#: Elements that the next of their kind closes implicitly: a run of them without end tags is not nesting.
_SELF_CLOSING = frozenset({"p", "li", "td", "th", "tr", "thead", "tbody", "tfoot", "option", "dt", "dd"})
_INLINE = frozenset(
    {"strong", "b", "em", "i", "u", "s", "sub", "sup", "code", "a", "span", "mark", "small", "abbr", "font", "ins", "del"}
)
#: Elements with a blank line before and after them, and those that stand beside the next of their kind.
_PARAGRAPHS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "ul", "ol", "table", "figure"})
_BESIDE = frozenset({"td", "th", "img"})
_BLANK_LINES = re.compile(r"\n{3,}")
_PASSES = 4

#: Always text, whatever follows: character references, and a `&` or `<` that starts nothing.
_LITERAL = re.compile(r"&(?:#[0-9]++|#x[0-9a-f]++|[a-z][a-z0-9]{1,31}+(?=;))?+;?|<(?![a-z/!?])", re.IGNORECASE)
_LONGEST_REFERENCE = 40
#: Private-use characters, removed from the input, stand for those of HTML during parsing, so that a text stays one token.
_PLACEHOLDERS = {"<": "\uf8e0", ">": "\uf8e1", "&": "\uf8e2", '"': "\uf8e3", "'": "\uf8e4"}
_ESCAPED = {stand_in: escape(meant) for meant, stand_in in _PLACEHOLDERS.items()}
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\uf8e0-\uf8e4]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_UNSAFE_IN_URL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\\]")
_SIZE = re.compile(r"[0-9]{1,4}%?")
_NUMBER = re.compile(r"-?[0-9]{1,6}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}")
#: Of a heading, to which links lead.
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")
_REL = re.compile(r"[a-zA-Z -]{1,100}")
#: Marks a removed image, and elements that contain nothing but that.
_GAP = "\uf8ef"
_CAPTION = r"(?:<figcaption>(?:(?!</figcaption>).)*</figcaption>\s*)?"
_EMPTIED = re.compile(
    rf"<figure>\s*{_CAPTION}(?:{_GAP}\s*)+{_CAPTION}</figure>|<(p|div|span)>\s*(?:{_GAP}\s*)+</\1>|<a(?:\s[^>]*)?>\s*(?:{_GAP}\s*)+</a>",
    re.DOTALL,
)
_per_thread = threading.local()


def clean_html(html: str) -> str:
    """Return HTML of the allow-list only; cleaning is idempotent. Raises Invalid (path "") beyond the limits."""
    if is_simple(html):
        return html
    _refuse_excess(html)
    if (styled := read_styles(html)) != html:
        html = styled
        _refuse_excess(html)
    for _ in range(_PASSES):
        cleaned = _restore(_cleaner().clean(_replace_references(html)))
        if cleaned == html:
            return cleaned
        html = cleaned
    return escape(strip_tags(html), quote=False)


def tiptap_to_html(document: dict[str, Any]) -> str:
    return clean_html(tiptap_markup(document))


def strip_tags(html: str) -> str:
    """Return the text a reader sees, on one line; block boundaries become spaces."""
    return " ".join(unescape(_restore(_replace_references(MARKUP.sub(_gap, html)))).split())


def text_lines(html: str) -> str:
    """Return the text a reader sees, with the lines and paragraphs of its blocks."""
    text = unescape(_restore(_replace_references(MARKUP.sub(_line_break, " ".join(html.split())))))
    lines = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", lines).strip()


def without_images(html: str, is_gone: Callable[[str], bool]) -> str:
    """Return clean HTML without `<img>`s whose URL is gone, and without figures, links and paragraphs that held only those."""
    parts, at = [], 0
    for found in MARKUP.finditer(html):
        if (found["tag"] or "").lower() == "img" and is_gone(_address_of(found["attributes"])):
            parts += [html[at : found.start()], _GAP]
            at = found.end()
    if not parts:
        return html
    text = "".join(parts) + html[at:]
    while (emptied := _EMPTIED.sub(_GAP, text)) != text:
        text = emptied
    return text.replace(_GAP, "")


def _address_of(attributes: str) -> str:
    for found in ONE_ATTRIBUTE.finditer(attributes):
        name, _, value = found[0].partition("=")
        if name.strip().lower() == "src":
            return unescape(value.strip().strip("\"'")).strip()
    return ""


def _gap(found: re.Match[str]) -> str:
    tag = found["tag"]
    return "" if tag is None or tag.lower() in _INLINE else " "


def _line_break(found: re.Match[str]) -> str:
    tag = (found["tag"] or "").lower()
    if not tag or tag in _INLINE or tag in _BESIDE:
        return " " if tag in _BESIDE else ""
    if tag in _PARAGRAPHS:
        return "\n\n"
    return "" if tag == "br" and found["close"] else "\n"


def _replace_references(html: str) -> str:
    """Replace references with the characters they mean, so that each text and each URL has only one spelling."""
    return _LITERAL.sub(_placeholder, _INVISIBLE.sub("", html))


def _placeholder(found: re.Match[str]) -> str:
    literal = found[0]
    if len(literal) > _LONGEST_REFERENCE:
        return "\ufffd"
    meant = unescape(literal)
    if meant == literal:
        return _PLACEHOLDERS[literal[0]] + literal[1:]
    return _PLACEHOLDERS.get(meant) or _INVISIBLE.sub("", meant)


def _restore(html: str) -> str:
    for stand_in, escaped in _ESCAPED.items():
        html = html.replace(stand_in, escaped)
    return html


def _refuse_excess(html: str) -> None:
    """Refuse excessive input: the parser's time grows quadratically with nesting and with attributes per tag."""
    markup = html.count("<") + html.count(">")
    if markup > MAX_MARKUP or markup * len(html) > MAX_WORK:
        raise Invalid({"": "The HTML contains too many elements."})
    opened: Counter[str] = Counter()
    depth = 0
    for found in MARKUP.finditer(html):
        if (name := found["tag"]) is None:
            continue
        if len(found["attributes"]) > MAX_ATTRIBUTES and len(ONE_ATTRIBUTE.findall(found["attributes"])) > MAX_ATTRIBUTES:
            raise Invalid({"": "The HTML contains too many attributes."})
        tag = name.lower()
        if tag not in TAGS or tag in _VOID or tag in _SELF_CLOSING:
            continue
        if not found["close"]:
            opened[tag] += 1
            depth += 1
        elif opened[tag]:
            opened[tag] -= 1
            depth -= 1
        if depth > MAX_NESTING:
            raise Invalid({"": "The HTML is nested too deeply."})


class _Finish(Filter):
    """The last filter after bleach: takes out dropped elements and secures links that open in new windows."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        inside = 0
        after_pre = False
        for token in super().__iter__():
            kind, name = token["type"], token.get("name")
            if name in DROPPED:
                inside += {"StartTag": 1, "EndTag": -1}.get(kind, 0)
                continue
            if inside:
                continue
            if kind == "StartTag" and name == "a":
                _secure_link(token["data"])
            # A parser drops the first newline in a <pre>, so an intended one needs another before it.
            if after_pre and kind in ("Characters", "SpaceCharacters") and token["data"].startswith("\n"):
                token["data"] = "\n" + token["data"]
            after_pre = kind == "StartTag" and name == "pre"
            yield token


def _secure_link(attributes: dict[tuple[str | None, str], str]) -> None:
    if attributes.get((None, "target")) == "_blank":
        rel = attributes.get((None, "rel"), "").split()
        attributes[None, "rel"] = " ".join(rel if "noopener" in rel else [*rel, "noopener"])


def _cleaner() -> Cleaner:
    """Return this thread's cleaner: bleach's parser is stateful."""
    if not hasattr(_per_thread, "cleaner"):
        _per_thread.cleaner = Cleaner(tags=TAGS | DROPPED, attributes=is_allowed, protocols=LINKS, strip=True, filters=[_Finish])
    cleaner: Cleaner = _per_thread.cleaner
    return cleaner


def is_allowed(tag: str, name: str, value: str) -> bool:
    """Return whether an element of the allow-list keeps an attribute."""
    match tag, name:
        case _, "dir":
            return value.lower() in ("ltr", "rtl", "auto")
        case _, "lang":
            return _LANGUAGE.fullmatch(value) is not None
        case "h1" | "h2" | "h3" | "h4" | "h5" | "h6", "id":
            return _ID.fullmatch(value) is not None
        case ("ol", "start") | ("li", "value"):
            return _NUMBER.fullmatch(value) is not None
        case "ol", "type":
            return value in ("1", "a", "A", "i", "I")
        case "ol", "reversed":
            return True
        case "a", "href":
            return _is_safe_url(value, LINKS)
        case "img", "src":
            return _is_safe_url(value, ("http", "https"))
        case "a", "target":
            return value in ("_blank", "_self")
        case "a", "rel":
            return _REL.fullmatch(value) is not None
        case ("a" | "abbr", "title") | ("img", "alt" | "title"):
            return True
        case ("img", "width" | "height") | ("td" | "th", "colspan" | "rowspan"):
            return _SIZE.fullmatch(value) is not None
        case "td" | "th", "scope":
            return value in ("row", "col", "rowgroup", "colgroup")
    return False


def _is_safe_url(value: str, schemes: tuple[str, ...]) -> bool:
    """Return whether a URL has one of the schemes or is local: `/about`, `media/2026/03/x.jpg`, `#top`, `{item.url}`."""
    url = unescape(_restore(value)).strip(" \t\r\n")
    if _UNSAFE_IN_URL.search(url) or url.startswith("//"):
        return False
    if found := _SCHEME.match(url):
        return found[1].lower() in schemes
    return ":" not in re.split(r"[/?#]", url, maxsplit=1)[0]


def tiptap_markup(document: dict[str, Any]) -> str:
    """Return a Tiptap document as HTML that is not cleaned yet. Raises Invalid (path "") beyond the limits."""
    return "".join(_Tiptap().render(document, 0))


class _Tiptap:
    """Renders and counts the nodes of one document. An unknown node is replaced by its content."""

    NODES = {
        "paragraph": "p",
        "bulletList": "ul",
        "orderedList": "ol",
        "listItem": "li",
        "blockquote": "blockquote",
        "table": "table",
        "tableRow": "tr",
        "tableCell": "td",
        "tableHeader": "th",
    }
    MARKS = {
        "bold": "strong",
        "italic": "em",
        "underline": "u",
        "strike": "s",
        "code": "code",
        "subscript": "sub",
        "superscript": "sup",
        "link": "a",
    }

    def __init__(self) -> None:
        self.nodes = 0

    def render(self, node: Any, depth: int) -> Iterator[str]:
        if not isinstance(node, dict):
            return
        self.nodes += 1
        if depth > TIPTAP_MAX_DEPTH or self.nodes > TIPTAP_MAX_NODES:
            raise Invalid({"": "The document is too complex."})
        kind, attrs = node.get("type"), node.get("attrs")
        attrs = attrs if isinstance(attrs, dict) else {}
        if kind == "text":
            yield from self._text(node)
        elif kind == "image":
            yield f"<img{_attributes(attrs, 'src', 'alt', 'title', 'width', 'height')}>"
        elif kind == "hardBreak":
            yield "<br>"
        elif kind == "horizontalRule":
            yield "<hr>"
        else:
            begin, end = self._around(kind, attrs)
            yield begin
            children = node.get("content")
            for child in children if isinstance(children, list) else ():
                yield from self.render(child, depth + 1)
            yield end

    def _around(self, kind: Any, attrs: dict[str, Any]) -> tuple[str, str]:
        if kind == "codeBlock":
            return "<pre><code>", "</code></pre>"
        if kind == "heading":
            level = attrs.get("level")
            level = level if isinstance(level, int) and 1 <= level <= 6 else 1
            return f"<h{level:d}>", f"</h{level:d}>"
        tag = self.NODES.get(kind) if isinstance(kind, str) else None
        if tag is None:
            return "", ""
        return f"<{tag}{_attributes(attrs, 'colspan', 'rowspan', 'scope', 'start', 'dir', 'lang')}>", f"</{tag}>"

    def _text(self, node: dict[str, Any]) -> Iterator[str]:
        text, marks = node.get("text"), node.get("marks")
        closing = []
        for mark in marks if isinstance(marks, list) else ():
            kind = mark.get("type") if isinstance(mark, dict) else None
            if (tag := self.MARKS.get(kind) if isinstance(kind, str) else None) is None:
                continue
            attrs = mark.get("attrs")
            yield f"<{tag}{_attributes(attrs, 'href', 'target', 'rel', 'title') if isinstance(attrs, dict) else ''}>"
            closing.append(f"</{tag}>")
        yield escape(text) if isinstance(text, str) else ""
        yield from reversed(closing)


def _attributes(attrs: dict[str, Any], *names: str) -> str:
    """Return the named attributes that are text or a whole number; the cleaning afterwards decides where each is allowed."""
    found = ((name, attrs.get(name)) for name in names)
    return "".join(f' {name}="{escape(str(value))}"' for name, value in found if isinstance(value, str | int))
