"""Text of others is decoded by the labels of the WHATWG Encoding Standard; no byte spoils the others."""

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st

from cms_api.text.decoding import decode

META = b'<html><head><meta http-equiv="Content-Type" content="text/html; charset=koi8-r"></head><body>'


@pytest.mark.parametrize(
    ("content", "label", "expected"),
    [
        ("陶喆".encode("gbk"), "gb2312", "陶喆"),
        ("𠮷".encode("gb18030"), "GBK", "𠮷"),
        (b"5 \x80, it\x92s", "iso-8859-1", "5 €, it’s"),
        ("똠방각하".encode("cp949"), "ks_c_5601-1987", "똠방각하"),
        ("①髙 ｱ".encode("cp932"), "shift_jis", "①髙 ｱ"),
        (b"\xad\xa1\xfc\xe2\x8e\xb1\x8f\xb0\xa1", "euc-jp", "①髙ｱ丂"),
        (b"\x1b$B-!|b\x1b(B, \x1b(I1\x1b(B", "iso-2022-jp", "①髙, ｱ"),
        ("日本語\nABC 東京".encode("iso-2022-jp"), "", "日本語\nABC 東京"),
        ("日本語".encode("iso-2022-jp"), "us-ascii", "日本語"),
        ("Łódź".encode("cp1250"), "cp1250", "Łódź"),
        ("שלום".encode("iso8859-8"), "iso-8859-8-i", "שלום"),
        ("สวัสดี".encode("cp874"), "tis-620", "สวัสดี"),
        ("Ünal".encode("utf-7"), "utf-7", "Ünal"),
        ("한국".encode("iso2022_kr"), "iso-2022-kr", "한국"),
        ("中".encode("gbk"), "cp936", "中"),
        ("Äpfel".encode(), "utf-8*de", "Äpfel"),
        ("Äpfel".encode(), '"utf8"', "Äpfel"),
        ("Äpfel".encode("utf-8-sig"), "iso-8859-1", "Äpfel"),
        ("Äpfel".encode("utf-16"), "iso-8859-1", "Äpfel"),
        ("Äpfel".encode("utf-16-be"), "", "Äpfel"),
        ("Äpfel".encode("utf-16-be"), "utf-16", "Äpfel"),
        ("Straße nach Köln".encode("latin-1"), "utf-8", "Straße nach Köln"),
        ("CAFÉ À LA".encode("latin-1"), "", "CAFÉ À LA"),
        (b"Gr\xc3\xbc\xc3\x9fe \xff aus K\xc3\xb6ln", "utf-8", "Grüße \ufffd aus Köln"),
        (b"hello \xff world", "utf-8", "hello \ufffd world"),
        (b"Caf\xc3", "utf-8", "Caf\ufffd"),
        (b"a\xff\x01\xff end", "gb2312", "a\ufffd\x01\ufffd end"),
        ("Ложка".encode(), "koi8-u-of-nobody", "Ложка"),
        (b"", "utf-8", ""),
    ],
)
def test_it_works(content: bytes, label: str, expected: str) -> None:
    assert decode(content, label) == expected


@pytest.mark.parametrize(
    ("content", "label", "expected"),
    [
        (META + "Ложка".encode("koi8-r"), "", "Ложка"),
        (META + "Ложка".encode("koi8-r"), "us-ascii", "Ложка"),
        (META + "Ложка".encode("cp1251"), "windows-1251", "Ложка"),
        (b"<?xml version='1.0' encoding='iso-8859-2'?>" + "Łyżka".encode("iso-8859-2"), "", "Łyżka"),
        (b"<meta charset=utf-16>" + "Łyżka".encode(), "", "Łyżka"),
    ],
)
def test_markup_that_names_its_charset(content: bytes, label: str, expected: str) -> None:
    assert decode(content, label, is_markup=True).endswith(expected)


#: Those that Python writes as the standard reads them.
LABELS = sorted(
    label
    for label, name in webencodings.LABELS.items()
    if not name.startswith(("iso-2022", "utf-16", "windows-1252", "replacement", "x-user", "euc-jp", "shift_jis"))
)


@given(text=st.text(st.characters(min_codepoint=0x20, exclude_categories=("Cs", "Cc", "Co"))), label=st.sampled_from(LABELS))
def test_what_a_codec_can_write_is_read(text: str, label: str) -> None:
    codec = webencodings.lookup(label).codec_info
    content = codec.encode(text, "ignore")[0]
    assert decode(content, label) == codec.decode(content)[0].removeprefix("\ufeff")


@given(content=st.binary(), label=st.sampled_from(["", "utf-8", "iso-2022-jp", "euc-jp", "gb2312", "big5", "utf-16", "utf-7"]))
def test_everything_is_decoded(content: bytes, label: str) -> None:
    decode(content, label).encode()


@given(text=st.text("äöüß abc漢字", min_size=10), place=st.integers(0, 10))
def test_a_bad_byte_costs_one_character(text: str, place: int) -> None:
    content = f"ü{text[:place]}".encode() + b"\xff" + text[place:].encode()
    assert decode(content, "utf-8") == f"ü{text[:place]}\ufffd{text[place:]}"
