"""The allow-list cleaning against hostile HTML, with nh3 (another parser, in another language) as the second opinion."""

from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import nh3
import pytest
from bleach.sanitizer import Cleaner
from hypothesis import given, settings
from hypothesis import strategies as st

from cms_api.core.errors import Invalid
from cms_api.text.dropped import find_dropped
from cms_api.text.html import DROPPED, LINKS, TAGS, clean_html, strip_tags, tiptap_to_html
from tests.figures import figure

ATTRIBUTES: dict[str, set[str]] = {
    "*": {"dir", "lang"},
    "ol": {"start", "type", "reversed"},
    "li": {"value"},
    "abbr": {"title"},
    **{f"h{level}": {"id"} for level in range(1, 7)},
    "a": {"href", "title", "target", "rel"},
    "img": {"src", "alt", "title", "width", "height"},
    "td": {"colspan", "rowspan", "scope"},
    "th": {"colspan", "rowspan", "scope"},
}
SECOND = nh3.Cleaner(
    tags=set(TAGS), attributes=ATTRIBUTES, clean_content_tags=set(DROPPED), url_schemes=set(LINKS), link_rel=None
)

#: Snippets that both libraries read alike.
HOSTILE = [
    "<script>alert(1)</script>safe",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>safe",
    "<scr<script>ipt>alert(1)</script>safe",
    "<script\x0c>alert(1)</script\x0c>safe",
    "<script>alert(1)",
    "<script/x>alert(1)</script>safe",
    "<<script>alert(1)//<</script>safe",
    "<p>a<style>p{background:url(javascript:alert(1))}</style>b</p>",
    "<style><!--</style><script>alert(1)//--></script>safe",
    "<style><img src='</style><img src=x onerror=alert(1)>'>",
    "<p style=\"background:url('javascript:alert(1)')\">x</p>",
    "<iframe src=javascript:alert(1)>inside</iframe>safe",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>safe",
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror\n=\nalert(1)>",
    "<img src='x'onerror='alert(1)'>",
    "<img/src=x/onerror=alert(1)>",
    '<img """><script>alert(1)</script>">',
    "<img src=javascript:alert(1)>",
    "<img src=`javascript:alert(1)`>",
    "<img src=data:image/svg+xml;base64,PHN2Zz4=>",
    "<img srcset='x 1x, javascript:alert(1) 2x'>",
    "<img dynsrc=javascript:alert(1) lowsrc=javascript:alert(1)>",
    "<p onclick=alert(1) onmouseover='alert(1)'>x</p>",
    "<b onfocus=alert(1) autofocus tabindex=1>x</b>",
    "<a href=javascript:alert(1)>x</a>",
    "<a href=' javascript:alert(1)'>x</a>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='java\nscript:alert(1)'>x</a>",
    "<a href='jav&#x0A;ascript:alert(1)'>x</a>",
    "<a href='jav&Tab;ascript&colon;alert(1)'>x</a>",
    "<a href='&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)'>x</a>",
    "<a href='&#0000106&#0000097&#0000118&#0000097script:alert(1)'>x</a>",
    "<a href='&#x6A&#x61&#x76&#x61script:alert(1)'>x</a>",
    "<a href='&amp;#106;avascript:alert(1)'>x</a>",
    "<a href='\x01javascript:alert(1)'>x</a>",
    "<a href='JaVaScRiPt:alert(1)'>x</a>",
    "<a href='vbscript:msgbox(1)'>x</a>",
    "<a href='livescript:x'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>",
    "<a href='blob:https://example.com/x'>x</a>",
    "<a href='file:///etc/passwd'>x</a>",
    "<a href='view-source:https://example.com'>x</a>",
    "<a href='https://example.com' ping='javascript:x' onclick=x target=_blank>x</a>",
    "<a href=x id=x name=getElementById class=y>x</a>",
    "<a xlink:href='javascript:alert(1)'>x</a>",
    "<a href='x' href='javascript:alert(1)'>x</a>",
    "<object data=javascript:alert(1)>safe</object>",
    "<embed src=javascript:alert(1)>safe",
    "<applet code=x>safe</applet>",
    "<form action=javascript:alert(1)><input formaction=javascript:alert(1) value=x><button>go</button></form>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>safe",
    "<link rel=stylesheet href=javascript:alert(1)>safe",
    "<base href='javascript:alert(1)//'>safe",
    "<video><source onerror=alert(1)></video>safe",
    "<audio src=x onerror=alert(1)>safe</audio>",
    "<details open ontoggle=alert(1)>x</details>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<body onload=alert(1)>x",
    "<svg onload=alert(1)>x</svg>",
    "<svg><script>alert(1)</script></svg>safe",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "<math href=javascript:alert(1)>x</math>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<noembed><p title='</noembed><img src=x onerror=alert(1)>'>",
    "<xmp><p title='</xmp><img src=x onerror=alert(1)>'>",
    "<textarea><p title='</textarea><img src=x onerror=alert(1)>'>",
    "<title><a title='</title><img src=x onerror=alert(1)>'>",
    "<plaintext><img src=x onerror=alert(1)>",
    "<!--<img src='--><img src=x onerror=alert(1)//'>",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!--[if gte IE 4]><script>alert(1)</script><![endif]-->safe",
    "<![CDATA[<img src=x onerror=alert(1)>]]>safe",
    "<?xml version='1.0'?><p>x</p>",
    "<!DOCTYPE html [<!ENTITY x 'y'>]><p>x</p>",
    "<p>unclosed <b>bold <i>both",
    "<b><p>x</b>y</p>",
    "<table><tr><td>x<table><tr><td>y",
    "<table><img src=x onerror=alert(1)><tr><td>x</td></tr></table>",
    "<pre>\n\n<b>x</b></pre>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&amp;lt;script&amp;gt;",
    "<p title='&lt;img src=x onerror=alert(1)&gt;'>x</p>",
    "<a title='\"><img src=x onerror=alert(1)>'>x</a>",
    '<a title="&quot;><img src=x onerror=alert(1)>">x</a>',
    "<img alt='--><script>alert(1)</script>' src=x>",
    "<p/onclick=alert(1)/>x",
    "<x onclick=alert(1)>x</x>",
    "<x:script xmlns:x='http://www.w3.org/1999/xhtml'>alert</x:script>",
    "<p>\u2028\u202ex</p>",
    "<svg><title><style><img src=x onerror=alert(1)></style></title></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=alert(1)&gt;'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<select><template><style><!--</style><a rel='--></style></template></select><img src=x onerror=alert(1)>'>",
    "<select><option>one<script>alert(1)</script></select>",
    "<frameset onload=alert(1)><frame src=javascript:alert(1)></frameset>x",
    "<svg><!--</svg><img src=x onerror=alert(1)>-->",
    "<noframes><p title='</noframes><img src=x onerror=alert(1)>'>",
    "<a href=x <b onclick=alert(1)>y</a>",
    "<isindex action=javascript:alert(1) type=image>x",
    "<img src=x:alert(1)//><b>y</b>",
    "<table><caption>x<svg><p>y</svg></table>",
]
#: Snippets that they read differently, and what of.
DISAGREED = {
    "<svg/onload=alert(1)//": "a tag that never ends is text here, nothing there",
    "<svg><a xlink:href=javascript:alert(1)><text>x</text></a></svg>": "text inside SVG is kept here",
    "<svg><animate onbegin=alert(1) attributeName=x>x</svg>": "text inside SVG is kept here",
    "<svg><foreignObject><p>x<script>alert(1)</script></p></foreignObject></svg>": "text inside SVG is kept here",
    "<svg><desc><p title='</desc><img src=x onerror=alert(1)>'>x</p></desc></svg>": "text inside SVG is kept here",
    "<svg><style><img title='</style><img src=x onerror=alert(1)>'></style></svg>y": "style is raw text here, an element there",
    "<math><annotation-xml encoding='text/html'><p>x<img src=x onerror=y></annotation-xml>": "text inside MathML is kept here",
    "<math><mi//xlink:href='data:x,<script>alert(4)</script>'>x": "text inside MathML is kept here",
    "<template><p>x<script>alert(1)</script></p></template>safe": "what a template holds is kept here, dropped there",
    "<svg><![CDATA[</svg><img src=x onerror=alert(1)>]]>y": "CDATA is a comment here, text of SVG there",
    "&lt <b>x</b> &copy 2026": "a reference without its semicolon is text here",
    "\ufeff<p>x</p>": "a byte order mark is text here, nothing there",
}


STYLED = [
    '<b style="font-weight:normal">',
    '<span style="font-weight:700;font-style:italic;vertical-align:super">',
    "<span style='text-decoration:line-through'>",
    "<span style=x",
    "</span>",
]
# fmt: off
SOUP = [
    "<p>", "</p>", "<a>", "</a>", "<b>", "</b>", "<i>", "<table>", "</table>", "<td>", "<tr>", "<caption>", "<li>", "<ul>",
    "</ul>", "<pre>", "<h1>", "<svg>", "<math>", "<style>", "</style>", "<script>", "</script>", "<!--", "-->", "<title>",
    "<select>", "<form>", "<div>", "</div>", "<br>", "<code>", "</", "&lt;", "&#60", "&", "<a", "<a href=javascript:x>",
    "<img src=x onerror=y>",
]
# fmt: on


class Inspector(HTMLParser):
    """Fails on anything that could run, in whatever spelling."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        for name, value in attrs:
            assert name in {*ATTRIBUTES.get(tag, ()), "dir", "lang"}, (tag, name)
            if name in ("href", "src"):
                url = "".join(character for character in value or "" if character > " ")
                assert urlsplit(url).scheme.lower() in ("", "http", "https", "mailto", "tel"), url

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def inspect(html: str) -> None:
    inspector = Inspector()
    inspector.feed(html)
    inspector.close()


@pytest.mark.parametrize("snippet", [*HOSTILE, *DISAGREED])
def test_nothing_that_runs_is_left(snippet: str) -> None:
    cleaned = clean_html(snippet)
    inspect(cleaned)
    inspect(SECOND.clean(snippet))
    # A second reading by the other parser finds nothing that the first one missed.
    inspect(SECOND.clean(cleaned))
    assert clean_html(cleaned) == cleaned
    assert (strip_tags(cleaned) == strip_tags(SECOND.clean(snippet))) == (snippet not in DISAGREED)


def test_it_works() -> None:
    html = '<h2>Hi</h2><p>a <b>b</b><br>c &amp; d</p><table><tbody><tr><td colspan="2">x</td></tr></tbody></table>'
    assert clean_html(html) == html
    assert clean_html("") == ""


def test_the_inspector_sees_what_is_wrong() -> None:
    """The table above proves something only if bleach's defaults would not pass it."""
    careless = Cleaner(tags=TAGS | DROPPED, attributes=lambda *_: True, protocols={"javascript", "data", "http"}, strip=True)
    caught = 0
    for snippet in HOSTILE:
        try:
            inspect(careless.clean(snippet))
        except AssertionError:
            caught += 1
    assert caught > 40


@pytest.mark.parametrize(
    ("html", "cleaned"),
    [
        ("<p>a<script>b</script>c<style>d</style><iframe>e</iframe></p>", "<p>ac</p>"),
        ("<section>a</section><section>b</section>", "a\nb"),
        ('<a href="https://a.de" target="_blank">x</a>', '<a href="https://a.de" target="_blank" rel="noopener">x</a>'),
        ('<a target="_blank" rel="nofollow">x</a>', '<a target="_blank" rel="nofollow noopener">x</a>'),
        ('<a target="_blank" rel="noopener nofollow">x</a>', '<a target="_blank" rel="noopener nofollow">x</a>'),
        ('<a target="main" rel="&lt;x&gt;">x</a>', "<a>x</a>"),
        ('<a href="//evil.example">x</a>', "<a>x</a>"),
        ('<a href="/\\evil.example">x</a>', "<a>x</a>"),
        ('<a href="/about?a=1&amp;b=2#c">x</a>', '<a href="/about?a=1&amp;b=2#c">x</a>'),
        ('<a href="mailto:a@b.de">x</a>', '<a href="mailto:a@b.de">x</a>'),
        ('<a href="{item.calendar_google_url}">x</a>', '<a href="{item.calendar_google_url}">x</a>'),
        ('<a href="tel:+4930123">x</a>', '<a href="tel:+4930123">x</a>'),
        ('<p dir="rtl" lang="he-IL">x</p>', '<p dir="rtl" lang="he-IL">x</p>'),
        ('<p dir="x" lang="a b">x</p>', "<p>x</p>"),
        ('<h2 id="prices">x</h2><h2 id="a b">y</h2><p id="z">z</p>', '<h2 id="prices">x</h2><h2>y</h2><p>z</p>'),
        ('<ol start="5"><li value="7">x</li></ol>', '<ol start="5"><li value="7">x</li></ol>'),
        ("<del>a</del><ins>b</ins><mark>c</mark>", "<del>a</del><ins>b</ins><mark>c</mark>"),
        (
            '<b style="font-weight:normal;" id="docs-internal-guid-1"><p><span style="font-weight:700">x</span>y</p></b>',
            "<p><strong>x</strong>y</p>",
        ),
        ('<b style="mso-bidi-font-weight:normal">x</b>', "<b>x</b>"),
        (
            '<p class="p1"><span class="s1">a<span style="font-style:italic">b</span></span></p>',
            "<p><span>a<em>b</em></span></p>",
        ),
        ('<img src="mailto:a@b.de">', "<img>"),
        ('<img src="media/2026/03/x y.jpg" width="10" height="1px">', '<img src="media/2026/03/x y.jpg" width="10">'),
        ('<th scope="row" rowspan="2">', ""),
        ("<pre>\n\n\nx</pre>", "<pre>\n\n\nx</pre>"),
        ("1 < 2 & 3 > 2", "1 &lt; 2 &amp; 3 &gt; 2"),
        ("&eacute;&#233;&#xe9;&nbsp;&unknown;", "ééé\xa0&amp;unknown;"),
        ("&#" + "1" * 5000 + ";&#xD800;&#0;", "\ufffd\ufffd\ufffd"),
        ("a\x00b\x1bc\uf8e0d", "abcd"),
        ("<b title='&lt;'>&quot;'&#39;\"</b>", "<b>&quot;'&#x27;\"</b>"),
        ('<img alt="&quot;&amp;lt;" src="/?a=1&lt=2">', '<img alt="&quot;&amp;lt;" src="/?a=1&amp;lt=2">'),
    ],
)
def test_what_becomes_of_it(html: str, cleaned: str) -> None:
    assert clean_html(html) == cleaned


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>one</p><p>two</p>", "one two"),
        ("b<b>o</b>l<i>d</i>", "bold"),
        ("a<br>b<hr>c", "a b c"),
        ("&lt;b&gt; &amp;amp; &eacute;&nbsp;x", "<b> &amp; é x"),
        ("a<script>b</script>c<!-- d -->e", "ace"),
        ('<img alt=">" src=x>text', "text"),
        ("a<script>b", "a"),
        ("a<p title='unclosed", "a"),
        ("&#" + "1" * 5000, "\ufffd"),
        ("1 < 2", "1 < 2"),
    ],
)
def test_text(html: str, text: str) -> None:
    assert strip_tags(html) == text


@pytest.mark.parametrize(
    "html",
    [
        "<b>" * 101,
        "<div></p>" * 101,
        "<ul><li>" * 101,
        "<table><tr><td>" * 101,
        '<b x="</b>">' * 101,
        "<b><!-- </b> -->" * 101,
        "<a " + " ".join(f"a{number}=1" for number in range(101)) + ">",
        "<" * 20_001,
        ">" * 20_001,
        (("x" * 90) + "<y>") * 8000,
    ],
)
def test_beyond_reason(html: str) -> None:
    with pytest.raises(Invalid):
        clean_html(html)


@pytest.mark.parametrize(
    "html", ["<p>x" * 3000, "<ul>" + "<li>x" * 3000 + "</ul>", "<b>x</b>" * 2000, "&amp;" * 90_000, "1 < 2 & " * 9000]
)
def test_long_but_reasonable(html: str) -> None:
    cleaned = clean_html(html)
    assert clean_html(cleaned) == cleaned


@settings(max_examples=figure(75, 300), deadline=None)
@given(
    st.lists(
        st.sampled_from(SOUP) | st.text("<>/=\"'&;#! abpx\n", max_size=8),
        max_size=25,
    ).map("".join)
)
def test_any_soup(html: str) -> None:
    cleaned = clean_html(html)
    inspect(cleaned)
    assert clean_html(cleaned) == cleaned


def node(kind: str, *content: Any, **attrs: Any) -> dict[str, Any]:
    return {"type": kind, "attrs": attrs, "content": list(content)}


def words(text: str, *marks: str, **attrs: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, "marks": [{"type": mark, "attrs": attrs} for mark in marks]}


def test_a_tiptap_document() -> None:
    document = node(
        "doc",
        node("heading", words("T"), level=2),
        node(
            "paragraph",
            words("a<b", "bold", "italic"),
            {"type": "hardBreak"},
            words("c", "link", href="https://a.de", target="_blank"),
        ),
        node("bulletList", node("listItem", node("paragraph", words("x", "strike", "underline", "code")))),
        node("orderedList", node("listItem", words("y", "subscript"), words("z", "superscript"))),
        node("blockquote", node("codeBlock", words("1 < 2"))),
        {"type": "horizontalRule"},
        node("image", src="media/a.jpg", alt='"q"', width=10, onerror="x"),
        node("table", node("tableRow", node("tableHeader", words("h"), colspan=2), node("tableCell", words("d")))),
        node("callout", words("kept", "highlight")),
    )
    assert tiptap_to_html(document) == (
        '<h2>T</h2><p><strong><em>a&lt;b</em></strong><br><a href="https://a.de" target="_blank" rel="noopener">c</a></p>'
        "<ul><li><p><s><u><code>x</code></u></s></p></li></ul><ol><li><sub>y</sub><sup>z</sup></li></ol>"
        "<blockquote><pre><code>1 &lt; 2</code></pre></blockquote><hr>"
        '<img src="media/a.jpg" alt="&quot;q&quot;" width="10">'
        '<table><tbody><tr><th colspan="2">h</th><td>d</td></tr></tbody></table>kept'
    )


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"type": ["doc"], "content": "x"},
        {"type": "doc", "content": [None, 5, "x", [], {"type": {}}]},
        node("doc", words("x", "link", href="javascript:alert(1)")),
        node("doc", node("image", src="javascript:alert(1)", alt='"><script>alert(1)</script>')),
        node("doc", {"type": "text", "text": 5, "marks": [None, {"type": []}, {"type": "link", "attrs": 5}]}),
        node("doc", node("heading", level="9><script>"), node("heading", level=True), node("paragraph", level=None)),
        node("doc", words("<script>alert(1)</script>")),
    ],
)
def test_a_broken_document(broken: dict[str, Any]) -> None:
    inspect(tiptap_to_html(broken))


def test_a_document_beyond_reason() -> None:
    deep = node("paragraph")
    for _ in range(65):
        deep = node("callout", deep)
    for document in (deep, node("doc", *[words("x")] * 20_001)):
        with pytest.raises(Invalid):
            tiptap_to_html(document)


def test_what_is_dropped_is_named() -> None:
    assert find_dropped("<p>a <strong>b</strong></p>") == []
    html = '<p style="color:red" dir="ltr"><font size=2>a</font><a href="javascript:x">b</a><!-- c --><script>d</script></p>'
    assert find_dropped(html) == ["<p style>", "<font>", "<a href>", "<script>"]
    assert find_dropped(clean_html(html)) == []
    assert len(find_dropped("".join(f"<x{number}>" for number in range(100)))) == 20


@settings(max_examples=figure(30, 300), deadline=None)
@given(st.lists(st.sampled_from([*STYLED, *SOUP]), max_size=25).map("".join))
def test_any_styles(html: str) -> None:
    cleaned = clean_html(html)
    inspect(cleaned)
    assert clean_html(cleaned) == cleaned
