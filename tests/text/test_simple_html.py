"""HTML that need not be cleaned: whatever is recognised as such, the cleaner returns unchanged."""

import random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from cms_api.text import html as cleaning
from cms_api.text import simple_html
from cms_api.text.html import clean_html
from cms_api.text.simple_html import MAX_CHARACTERS, MAX_LEVELS, is_simple

TAGS = ["p", "h1", "h6", "ul", "ol", "li", "blockquote", "strong", "b", "em", "i", "u", "s", "sub", "sup", "code"]
OTHERS = ["a", "div", "span", "pre", "table", "script", "svg", "img", "hr", "svg:p", "P", "style", "math", "template"]
TEXTS = [
    "Text",
    " ",
    "\n",
    "\t",
    "\xa0",
    "é",
    "日本",
    "🎉",
    '"',
    "'",
    "`",
    "=",
    "{{",
    "]]>",
    "--",
    "\u2028",
    "\u200b",
    "\ufeff",
    ";",
]
HOSTILE = ["&", "&amp;", "&lt;", "<", ">", "\0", "\r", "\x0c", "\x1f", "\x85", "\ud800", "\uf8e0", "\ufffe"]
HOSTILE += ["</p>", "<!--", "<p a=b>", "<br/>", "]]>"]


def cleaned(html: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The HTML as it is cleaned, whether it is simple or not."""
    with monkeypatch.context() as patch:
        patch.setattr(cleaning, "is_simple", lambda _: False)
        return clean_html(html)


def tree(chance: random.Random, depth: int = 0) -> str:
    """HTML of random elements, most of them where they belong."""
    if depth > 5 or chance.random() < 0.3:
        return chance.choice(TEXTS) if chance.random() < 0.97 else chance.choice(HOSTILE)
    tag = chance.choice(TAGS) if chance.random() < 0.98 else chance.choice(OTHERS)
    inside = "".join(tree(chance, depth + 1) for _ in range(chance.randrange(4)))
    return chance.choice(["<br>", f"<{tag}>{inside}</{tag}>"] if depth else [f"<{tag}>{inside}</{tag}>"])


@given(some.integers())
def test_it_works(seed: int) -> None:
    """Random HTML that is recognised is unchanged by cleaning."""
    chance = random.Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        for _ in range(20):
            html = "".join(tree(chance) for _ in range(chance.randrange(1, 4)))
            if is_simple(html):
                assert cleaned(html, patch) == html


@given(some.lists(some.sampled_from([*TEXTS, *HOSTILE, "<br>", *(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS)])))
@example(["\n", "<p>", "\n", "</p>", "\n"])
@example(["<ul>", "\n", "<li>", "<p>", "</p>", "</li>", "</ul>"])
def test_any_order_of_tags(parts: list[str]) -> None:
    html = "".join(parts)
    if is_simple(html):
        with pytest.MonkeyPatch.context() as patch:
            assert cleaned(html, patch) == html


@given(some.text())
def test_any_text(text: str) -> None:
    for html in (text, f"<p>{text}</p>", f"<ul><li>{text}</li></ul>"):
        if is_simple(html):
            with pytest.MonkeyPatch.context() as patch:
                assert cleaned(html, patch) == html


@pytest.mark.parametrize(
    "html",
    [
        "",
        "Text",
        "<p>One <strong>two <em>three</em></strong>.</p>\n<h3>Four</h3>",
        "<ul>\n<li>One</li><li><p>Two</p><ol><li>Three</li></ol></li></ul>",
        '<blockquote><p>"It\'s" there</p></blockquote><p>A<br>B</p>',
    ],
)
def test_what_editors_write_is_recognised(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_simple(html)
    assert cleaned(html, monkeypatch) == html == clean_html(html)


@pytest.mark.parametrize(
    "html",
    [
        "<p>One",
        "One</p>",
        "<p><p>One</p></p>",
        "<b><p>One</p></b>",
        "<b><i>One</b></i>",
        "<b><b>One</b></b>",
        "<ul>One</ul>",
        "<ul><p>One</p></ul>",
        "<li>One</li>",
        "<p onclick=x>One</p>",
        "<script>x</script>",
        "<P>One</P>",
        "<p>A & B</p>",
        "<p>&amp;</p>",
        "<p>a > b</p>",
        "<p>\0</p>",
        "<p>\r\n</p>",
        "<p>\uf8e0</p>",
        "x" * (MAX_CHARACTERS + 1),
        "<br>" * (simple_html.MAX_TAGS + 1),
        "<ul><li>" * MAX_LEVELS + "</li></ul>" * MAX_LEVELS,
    ],
)
def test_the_rest_is_cleaned(html: str) -> None:
    assert not is_simple(html)


def test_what_is_recognised_is_not_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Any:
        raise AssertionError("It is cleaned.")

    monkeypatch.setattr(cleaning, "_cleaner", refuse)
    assert clean_html("<p>One</p>") == "<p>One</p>"
    with pytest.raises(AssertionError):
        clean_html("<p class=a>One</p>")
