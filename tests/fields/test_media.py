import pytest

from .ask import clean, refusal


def test_it_works() -> None:
    assert clean("image", "media/2026/03/x.jpg") == clean("file", ["/media/2026/03/x.jpg"]) == "media/2026/03/x.jpg"
    assert clean("image", "HTTPS://cdn.example.com/a%20b.jpg?v=1") == "https://cdn.example.com/a%20b.jpg?v=1"
    assert clean("gallery", ["media/a b.jpg", "", "media/a b.jpg", "media/c.jpg"]) == ["media/a b.jpg", "media/c.jpg"]
    assert clean("image", "") is clean("image", []) is clean("gallery", None) is None
    assert clean("gallery", []) == []


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "media/../../etc/passwd",
        "media/%2e%2e/x.jpg",
        "media/./x.jpg",
        "media\\x.jpg",
        "media/%5c..%5cx",
        "//evil.example/x.jpg",
        "%2f/evil.example/x.jpg",
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "java\tscript:alert(1)",
        "javascript%3aalert(1)",
        "data:image/png;base64,AAAA",
        "file:///etc/passwd",
        "ftp://example.com/x.jpg",
        "C:/x.jpg",
        "https://",
        "https://example.com/../x.jpg",
        "https://user:pw@example.com/x.jpg",
        "https:/example.com/x.jpg",
        "media/x.jpg%00.png",
        "media/\x7f.jpg",
        "/",
    ],
)
def test_bad_paths(path: str) -> None:
    assert refusal("image", path) == refusal("gallery", [path]) == {"": ["The my field field must be a media path."]}


@pytest.mark.parametrize("value", [5, True, {}, {"path": "x"}, [5], [["media/x.jpg"]]])
def test_no_path(value: object) -> None:
    refusal("image", value)
    refusal("gallery", value)


def test_how_many() -> None:
    assert refusal("image", ["media/a.jpg", "media/b.jpg"]) == {"": ["The my field field must be a single path."]}
    assert refusal("gallery", "media/a.jpg") == {"": ["The my field field must be an array."]}
    assert refusal("gallery", ["media/a.jpg"] * 201) == {"": ["The my field field must not have more than 200 items."]}
    refusal("file", "a" * 2049)
