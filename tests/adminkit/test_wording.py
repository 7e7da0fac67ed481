"""Texts of Wagtail that are replaced: none of them says "snippet"."""

import re
from pathlib import Path

import wagtail
from django.utils.translation import gettext, override

from cms_api import adminkit

_TEXT = re.compile(r'^(msgid|msgid_plural|msgstr(?:\[\d\])?) ((?:".*"\n?)+)', re.MULTILINE)


def messages(file: Path) -> list[dict[str, str]]:
    """The entries of a catalogue; each part of one by its keyword."""

    def text(quoted: str) -> str:
        return "".join(line[1:-1] for line in quoted.splitlines()).replace('\\"', '"')

    return [{key: text(quoted) for key, quoted in _TEXT.findall(entry)} for entry in file.read_text().split("\n\n")]


OURS = Path(adminkit.__file__).parent / "locale/en/LC_MESSAGES/django.po"


def test_it_works() -> None:
    with override("en"):
        for message in messages(OURS)[1:]:
            wanted = message.get("msgstr") or message["msgstr[0]"]
            assert gettext(message["msgid"]) == wanted, "Compile it: msgfmt -o django.mo django.po"


def test_every_text_that_says_so_is_replaced() -> None:
    replaced = {message["msgid"] for message in messages(OURS)}
    files = Path(wagtail.__file__).parent.glob("**/locale/en/LC_MESSAGES/django.po")
    texts = {message.get("msgid", "") for file in files for message in messages(file)}
    assert len(texts) > 1000
    said = {text for text in texts if re.search(r"snippet", re.sub(r"%\(\w+\)s", "", text), re.IGNORECASE)}
    assert said - replaced == set()
    assert len(said) > 10
