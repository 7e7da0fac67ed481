"""Hostile names of files: each is made harmless, for its record and for its address."""

from pathlib import Path

import pytest

from tests.client import Api

from .files import all_files, png

pytestmark = pytest.mark.django_db

NAMES = {
    "../../../etc/passwd.png": ("passwd.png", "passwd.png"),
    "..\\..\\windows\\a.png": ("a.png", "a.png"),
    "/etc/a.png": ("a.png", "a.png"),
    "a\0b.png": ("ab.png", "ab.png"),
    "a\r\nX-Evil: 1\r\n.png": None,
    "\u202egnp.png": ("gnp.png", "gnp.png"),
    "shell.php.png": ("shell.php.png", "shell-php.png"),
    "a.png;.png": ("a.png;.png", "a-png.png"),
    "<script>.png": ("<script>.png", "script.png"),
    "日本.png": ("日本.png", None),
    "x" * 300 + ".png": ("x" * 251 + ".png", "x" * 60 + ".png"),
    "%2e%2e%2fa.png": ("%2e%2e%2fa.png", "2e2e2fa.png"),
    "....png": ("....png", "file.png"),
    "-.png": ("-.png", "file.png"),
    "con.png": ("con.png", "con.png"),
    " a b .png": ("a b .png", "a-b.png"),
}


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:20].encode("ascii", "backslashreplace").decode())
def test_names_are_made_harmless(api: Api, media_root: Path, name: str) -> None:
    answer = api.upload("/media", ("file", (name, png())))
    expected = NAMES[name]
    if expected is None:
        assert answer.status_code in {400, 422}
        return
    assert answer.status_code == 201, answer.content
    record = answer.json()["data"]
    assert record["filename"] == expected[0]
    last = record["path"].rpartition("/")[2]
    assert last.isascii()
    assert len(last) < 80
    assert expected[1] in {None, last}
    assert all_files(media_root) == {record["path"]}
