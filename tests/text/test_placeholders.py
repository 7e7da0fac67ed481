"""The placeholder language: names in double braces, and nothing that runs."""

import pytest

from cms_api.text.placeholders import fill, mistakes, names_in


def test_it_works() -> None:
    assert (
        fill("Hi {{ name }}, {{name}} of {{  place }}.", {"name": "Ann", "place": "Rome"}.__getitem__) == "Hi Ann, Ann of Rome."
    )
    assert names_in("{{ a }} {{b}} { c }") == {"a", "b"}
    assert mistakes("Hi {{ name }} { and } {x}", {"name"}) == []


@pytest.mark.parametrize("quoted", ['"friend"', "&quot;friend&quot;", "“friend”"])
def test_a_default_stands_in_for_nothing(quoted: str) -> None:
    source = f"Hi {{{{ name|default:{quoted} }}}},"
    assert mistakes(source, {"name"}) == []
    assert [fill(source, lambda _, name=name: name) for name in ("", "Ann")] == ["Hi friend,", "Hi Ann,"]
    assert mistakes(source, {"place"}) == ["Unknown placeholder: {{ name }}."]


@pytest.mark.parametrize(
    "wrong", ["{{ name|default:x }}", '{{ name|default:"a"b" }}', '{{ name|default:"{{ x }}" }}', '{{ name|upper:"x" }}']
)
def test_a_default_is_a_quoted_text(wrong: str) -> None:
    assert "Double braces may only contain the name of a placeholder." in mistakes(wrong, {"name", "x"})


def test_what_fills_a_placeholder_is_not_looked_at_again() -> None:
    assert fill("{{ a }}", {"a": "{{ b }}", "b": "never"}.__getitem__) == "{{ b }}"


@pytest.mark.parametrize(
    "source",
    ["{{ name.x }}", "{{ name|safe }}", "{{ }}", "{{", "}}", "{% now %}", "{{ Name }}", "{{ na me }}", "{{ _x }}"],
)
def test_what_is_no_placeholder_is_a_mistake(source: str) -> None:
    assert mistakes(source, {"name"}) == ["Double braces may only contain the name of a placeholder."]


def test_unknown_names_are_each_a_mistake() -> None:
    assert mistakes("{{ b }}{{ a }}{{ name }}", {"name"}) == [
        "Unknown placeholder: {{ a }}.",
        "Unknown placeholder: {{ b }}.",
    ]


@pytest.mark.parametrize(
    ("source", "name", "filled"),
    [
        ("Hello {{ name }},", "", "Hello,"),
        ("Hello {{ name }},", "Dana", "Hello Dana,"),
        ("Hello {{ name }}, {{ name }}!", "", "Hello,!"),
        ("Hello {{ name }} and welcome", "", "Hello  and welcome"),
        ("Hello {{ name }}", "", "Hello "),
    ],
)
def test_an_empty_placeholder_before_punctuation(source: str, name: str, filled: str) -> None:
    assert fill(source, lambda _: name) == filled
