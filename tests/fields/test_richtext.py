import pytest

from .ask import clean, refusal, search_text


def test_it_works() -> None:
    assert clean("richtext_tiptap", " <p>Hi <b onclick=x>you</b></p><script>x</script> ") == "<p>Hi <b>you</b></p>"
    assert search_text("richtext_tiptap", "<p>Hi</p><p>you &amp; me</p>") == "Hi you & me"


def test_a_document_is_stored_as_html() -> None:
    text = {"type": "text", "text": "a < b", "marks": [{"type": "bold"}]}
    document = {"type": "doc", "content": [{"type": "paragraph", "content": [text]}]}
    assert clean("richtext_tiptap", document) == "<p><strong>a &lt; b</strong></p>"


@pytest.mark.parametrize(
    "value", ["<p></p>", "<p>&nbsp;</p>", "<script>x</script>", "<p><br></p>", {"type": "doc", "content": []}]
)
def test_nothing_to_see_is_null(value: object) -> None:
    assert clean("richtext_tiptap", value) is None


def test_a_picture_is_something() -> None:
    assert clean("richtext_tiptap", '<img src="media/a.jpg">') == '<img src="media/a.jpg">'


@pytest.mark.parametrize("value", [5, True, ["<p>x</p>"], {"type": "paragraph"}, {}])
def test_other_shapes(value: object) -> None:
    assert refusal("richtext_tiptap", value) == {"": ["The my field field must be HTML or a Tiptap document."]}


def test_what_is_beyond_reason() -> None:
    refusal("richtext_tiptap", "x" * 1_000_001)
    refusal("richtext_tiptap", "<div>" * 101)
    refusal("richtext_tiptap", "<p>" * 10_001)
    # The text fits, yet its HTML would not, and could not be sent again.
    refusal("richtext_tiptap", "&" * 300_000)
    node: dict[str, object] = {"type": "paragraph"}
    for _ in range(70):
        node = {"type": "blockquote", "content": [node]}
    refusal("richtext_tiptap", {"type": "doc", "content": [node]})


@pytest.mark.parametrize("text", ["a\0", "\udfff"])
def test_characters_inside_a_document(text: str) -> None:
    document = {"type": "doc", "content": [{"type": "text", "text": text}]}
    assert refusal("richtext_tiptap", document) == {"": ["The my field field contains characters that are not allowed."]}
