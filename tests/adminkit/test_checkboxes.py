"""Grouped checkboxes."""

from django import forms

from cms_api.adminkit.widgets import GroupedCheckboxes


class Picker(GroupedCheckboxes):
    narrow = ("Read only", ":read")


CHOICES = [
    ("*", "All"),
    ("Content", [("content:read", "Read <b>"), ("content:write", "Write")]),
    ("Media", [("media:read", "Read")]),
]


def test_checkboxes_stand_in_their_groups() -> None:
    field = forms.MultipleChoiceField(choices=CHOICES, widget=Picker)
    drawn = field.widget.render("abilities", ["content:write"], {})
    assert drawn.count("<fieldset") == 2
    assert drawn.count(" checked") == 1
    assert "Read &lt;b&gt;" in drawn
    # Only a group of both kinds can be narrowed.
    assert drawn.count("Read only<") == 1
    assert 'data-checkbox-group-ending-param=":read"' in drawn
