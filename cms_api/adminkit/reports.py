"""The cells of files that Wagtail's own reports are downloaded as: names in them may have been entered by visitors."""

from collections.abc import Callable, Mapping
from typing import Any

from cms_api.text.spreadsheets import safe_cell
from cms_api.text.xml import xml_text

#: By the type of a value and the kind of file, as Wagtail's `custom_value_preprocess`.
CELLS: Mapping[type, Mapping[str, Callable[[Any], Any]]] = {str: {"csv": safe_cell, "xlsx": xml_text}}
