"""Walks the fields of all forms: those of the admin and of the site, blocks in their rows, and filters of lists."""

import ast
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import django_filters
from django import forms
from django.urls import get_resolver
from wagtail import blocks
from wagtail.blocks import BlockField
from wagtail.models import Page

PACKAGES = ("cms_api", "commerce", "events", "home")
#: The rooms of modules that have forms.
ROOMS = {"admin", "adminkit", "rows", "views"}
#: Fields that read text by formats of their own, and not as it is written in the site's country.
PLAIN = (forms.DateField, forms.DateTimeField, forms.TimeField, forms.DecimalField, forms.FloatField, forms.SplitDateTimeField)
NAMES = {each.__name__ for each in PLAIN} | {"DateBlock", "DateTimeBlock", "DecimalBlock", "TimeBlock"}
#: Inputs in which the browser reads what is typed, and sends it in a format for machines.
FOR_MACHINES = ("date", "datetime-local", "hidden", "number", "time")


def load_everything() -> None:
    """Import the admin and all pages, so that every form is known."""
    assert get_resolver().url_patterns
    for package in PACKAGES:
        for found in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if ROOMS & set(found.name.split(".")) and "module_template" not in found.name:
                import_module(found.name)


def subclasses(base: type) -> Iterator[type]:
    for each in base.__subclasses__():
        yield each
        yield from subclasses(each)


def fields_of_forms() -> Iterator[tuple[str, forms.Field]]:
    """Yield the fields of all forms with their names."""
    for form in set(subclasses(forms.BaseForm)):
        for name, field in getattr(form, "base_fields", {}).items():
            yield from parts(f"{form.__name__}.{name}", field)


def fields_of_pages() -> Iterator[tuple[str, forms.Field]]:
    """Yield the fields of the forms of pages, which are made when they are asked for."""
    for model in subclasses(Page):
        if not model._meta.abstract:  # type: ignore[attr-defined]
            for name, field in model.get_edit_handler().get_form_class().base_fields.items():  # type: ignore[attr-defined]
                yield from parts(f"{model.__name__}.{name}", field)


def fields_of_filters() -> Iterator[tuple[str, forms.Field]]:
    """Yield the fields of filters, but for those of Wagtail's own lists and reports: they read YYYY-MM-DD only."""
    for filters in {each for each in subclasses(django_filters.FilterSet) if not each.__module__.startswith("wagtail.")}:
        for name, each in filters.base_filters.items():  # type: ignore[attr-defined]
            if issubclass(each.field_class, (*PLAIN, forms.MultiValueField)):
                yield from parts(f"{filters.__name__}.{name}", each.field)


def fields_of_blocks() -> Iterator[tuple[str, forms.Field]]:
    """Yield the fields of blocks that are made when a form is."""
    for block in set(subclasses(blocks.StructBlock)):
        for name, child in block.base_blocks.items():  # type: ignore[attr-defined]
            yield from parts_of_block(f"{block.__name__}.{name}", child)


def parts(name: str, field: forms.Field) -> Iterator[tuple[str, forms.Field]]:
    """Yield a field, or those that it consists of."""
    if isinstance(field, BlockField):
        yield from parts_of_block(name, field.block)
    elif isinstance(field, forms.MultiValueField) and not isinstance(field, forms.SplitDateTimeField):
        for part in field.fields:
            yield from parts(name, part)
    else:
        yield name, field


def parts_of_block(name: str, block: Any) -> Iterator[tuple[str, forms.Field]]:
    if hasattr(block, "child_blocks"):
        for key, child in block.child_blocks.items():
            yield from parts_of_block(f"{name}.{key}", child)
    elif hasattr(block, "child_block"):
        yield from parts_of_block(name, block.child_block)
    elif hasattr(block, "field"):
        yield name, block.field


#: Modules whose text does not match need not be parsed.
MENTION = re.compile(rf"\b(?:blocks|forms)\s*\.\s*(?:{'|'.join(sorted(NAMES))})\b")


def uses(tree: ast.AST) -> Iterator[str]:
    """Yield the names of plain fields and blocks of Django and Wagtail that a module uses: `forms.DateField`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in NAMES:
            name = f"{node.value.id}.{node.attr}"
            if name.startswith(("blocks.", "forms.")):
                yield name


def is_plain(field: forms.Field, readers: tuple[type, ...]) -> bool:
    """Return whether a field reads text by formats of its own."""
    if not isinstance(field, PLAIN) or isinstance(field, readers):
        return False
    return getattr(field.widget, "input_type", "") not in FOR_MACHINES
