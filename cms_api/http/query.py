"""Typed query strings: a list declares its filters and sort keys, and every value is checked before it reaches a database."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.http import QueryDict
from django.utils import timezone

from cms_api.core.errors import ErrorCollector, Invalid, attribute, invalid_choice, required_message
from cms_api.http import wire

MAX_PER_PAGE = 100
DEFAULT_PER_PAGE = 15
MAX_SEARCH_LENGTH = 200
#: Longer than any request line.
MAX_FAMILY_VALUE = 10_000


def site_timezone() -> ZoneInfo:
    """Return the timezone in which bare dates are read."""
    return ZoneInfo(timezone.get_current_timezone_name())


def whole_number(text: str) -> int | None:
    """Return the ASCII integer of at most 18 digits in the text, or None."""
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= 18:
        return int(text)
    return None


@dataclass(frozen=True)
class Param:
    """A query parameter. `read` converts its text to a value or raises Invalid under the parameter's name."""

    name: str
    help: str
    default: Any = None
    required: bool = field(default=False, kw_only=True)
    schema: ClassVar[Mapping[str, Any]] = {"type": "string"}

    def read(self, text: str) -> Any:
        return text

    def as_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the value, for the documentation."""
        return {**self.schema, **({} if self.default is None else {"default": self.default})}

    def refuse(self, sentence: str) -> Invalid:
        return Invalid({self.name: sentence})


@dataclass(frozen=True)
class Text(Param):
    max_length: int = MAX_SEARCH_LENGTH
    #: Whether it may be sent without a value, which is then as if it was left out.
    may_be_blank: ClassVar[bool] = False

    def read(self, text: str) -> str | None:
        text = text.strip()
        if len(text) > self.max_length:
            raise self.refuse(f"The {attribute(self.name)} may not be greater than {self.max_length} characters.")
        if not text and not self.may_be_blank:
            raise self.refuse(required_message(self.name))
        return text or None

    def as_schema(self) -> dict[str, Any]:
        return {**super().as_schema(), **({} if self.may_be_blank else {"minLength": 1}), "maxLength": self.max_length}


@dataclass(frozen=True)
class Search(Text):
    """The words of a search; without any, all records are found."""

    may_be_blank: ClassVar[bool] = True


@dataclass(frozen=True)
class Choice(Param):
    choices: tuple[str, ...] = ()

    def read(self, text: str) -> str:
        if text not in self.choices:
            raise self.refuse(invalid_choice(self.name, self.choices))
        return text

    def as_schema(self) -> dict[str, Any]:
        return {**super().as_schema(), "enum": list(self.choices)}


@dataclass(frozen=True)
class Flag(Param):
    schema: ClassVar[Mapping[str, Any]] = {"type": "boolean"}
    words: ClassVar[Mapping[str, bool]] = {"1": True, "true": True, "0": False, "false": False}

    def read(self, text: str) -> bool:
        try:
            return self.words[text.lower()]
        except KeyError:
            raise self.refuse(f"The {attribute(self.name)} field must be true or false.") from None


@dataclass(frozen=True)
class Whole(Param):
    minimum: int = 1
    maximum: int | None = None
    schema: ClassVar[Mapping[str, Any]] = {"type": "integer"}

    def read(self, text: str) -> int:
        number = whole_number(text)
        if number is None:
            raise self.refuse(f"The {attribute(self.name)} must be an integer.")
        if number < self.minimum:
            raise self.refuse(f"The {attribute(self.name)} must be at least {self.minimum}.")
        if self.maximum is not None and number > self.maximum:
            raise self.refuse(f"The {attribute(self.name)} may not be greater than {self.maximum}.")
        return number

    def as_schema(self) -> dict[str, Any]:
        highest = {} if self.maximum is None else {"maximum": self.maximum}
        return {**super().as_schema(), "minimum": self.minimum, **highest}


@dataclass(frozen=True)
class Number(Param):
    """A number with at most `decimals` digits after its point."""

    maximum: int = 0
    decimals: int = 2
    schema: ClassVar[Mapping[str, Any]] = {"type": "number", "minimum": 0}

    def read(self, text: str) -> Decimal:
        whole, _, fraction = text.partition(".")
        if whole_number(whole + fraction) is None or text.startswith("-") or text.endswith("."):
            raise self.refuse(f"The {attribute(self.name)} must be a number.")
        if len(fraction) > self.decimals:
            raise self.refuse(f"The {attribute(self.name)} may not have more than {self.decimals} decimal places.")
        if Decimal(text) > self.maximum:
            raise self.refuse(f"The {attribute(self.name)} may not be greater than {self.maximum}.")
        return Decimal(text)

    def as_schema(self) -> dict[str, Any]:
        return {**super().as_schema(), "maximum": self.maximum}


@dataclass(frozen=True)
class Instant(Param):
    """An ISO 8601 instant, or a bare date: the start of that day in the site's timezone."""

    #: Read a bare date as the last moment of that day instead.
    end_of_day: bool = False
    schema: ClassVar[Mapping[str, Any]] = {
        "type": "string",
        "minLength": 1,
        "anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}],
        "examples": ["2026-03-01", "2026-03-01T18:30:00+00:00"],
    }

    def read(self, text: str) -> datetime:
        try:
            # An unencoded plus sign arrives as a space.
            moment = wire.parse_instant(text.replace(" ", "+") if "T" in text else text, site_timezone())
            if self.end_of_day and wire.is_day(text):
                # A day on which the clock changes has 23 or 25 hours.
                following = wire.parse_day(text) + timedelta(days=1)
                return wire.parse_instant(following.isoformat(), site_timezone()) - timedelta(microseconds=1)
            return moment
        except (ValueError, OverflowError):
            raise self.refuse(f"The {attribute(self.name)} is not a valid date.") from None


@dataclass(frozen=True)
class Day(Param):
    """A calendar date, as in `2026-03-01`."""

    schema: ClassVar[Mapping[str, Any]] = {"type": "string", "format": "date", "minLength": 1, "examples": ["2026-03-01"]}

    def read(self, text: str) -> date:
        try:
            return wire.parse_day(text)
        except ValueError:
            raise self.refuse(f"The {attribute(self.name)} is not a valid date.") from None


@dataclass(frozen=True)
class Family(Param):
    """Parameters that share a prefix, such as `term.category=news`: read to a dict from the rest of the name to the value."""

    #: Returns the rest of each name that there is, for the documentation.
    members: Callable[[], Iterable[str]] = field(default=tuple, kw_only=True)


@dataclass(frozen=True)
class Sort:
    """The sort keys of a list: wire name to model field. Ties are broken by id."""

    keys: Mapping[str, str]
    default: str = "-created_at"


@dataclass(frozen=True)
class Query:
    """The query schema of an endpoint: its own filters, besides the parameters that every list or read accepts."""

    filters: tuple[Param, ...] = ()
    sort: Sort | None = None

    def read(self, parameters: QueryDict) -> dict[str, Any]:
        """Return the value of every filter by name, with defaults filled in. Raises Invalid with all errors."""
        collector = ErrorCollector()
        values: dict[str, Any] = {}
        for param in self.filters:
            if isinstance(param, Family):
                values[param.name] = MappingProxyType(self._family(param, parameters, collector))
                continue
            values[param.name] = param.default
            with collector.under():
                text = _text_of(parameters, param.name)
                if text is not None:
                    values[param.name] = param.read(text)
                elif param.required:
                    collector.add(param.name, required_message(param.name))
        collector.raise_if_any()
        return values

    @staticmethod
    def _family(param: Family, parameters: QueryDict, collector: ErrorCollector) -> dict[str, Any]:
        prefix = param.name + "."
        found: dict[str, Any] = {}
        for name in parameters:
            if name.startswith(prefix):
                with collector.under():
                    found[_clean(name, name.removeprefix(prefix))] = Text(name, "", max_length=MAX_FAMILY_VALUE).read(
                        _text_of(parameters, name) or ""
                    )
        return found


def _text_of(parameters: QueryDict, name: str) -> str | None:
    """Return the text of a parameter, or None if it is left out. Raises Invalid if it is given more than once."""
    texts = parameters.getlist(name)
    if len(texts) > 1:
        raise Invalid({_clean(name, name): f"The {attribute(name)} may be given only once."})
    return _clean(name, texts[0]) if texts else None


def _clean(name: str, text: str) -> str:
    if "\0" in text or "\ufffd" in text:
        raise Invalid({name.replace("\0", ""): f"The {attribute(name)} contains characters that are not allowed."})
    return text


@dataclass(frozen=True, slots=True)
class Paging:
    """The requested part of a list: a page, or the rows after a cursor."""

    per_page: int = DEFAULT_PER_PAGE
    page: int = 1
    #: None: numbered pages. Empty: the first cursor page.
    cursor: str | None = None
    sort: str = ""

    @classmethod
    def read(cls, parameters: QueryDict, sort: Sort) -> "Paging":
        """Return the requested part. Raises Invalid for numbers that are not integers >= 1 and for unknown sort keys."""
        collector = ErrorCollector()
        read: dict[str, Any] = {}
        with collector.under():
            read = Query(_PAGING).read(parameters)
        order = sort.default
        with collector.under():
            order = _text_of(parameters, "sort") or ("" if "sort" in parameters else order)
            if order.removeprefix("-") not in sort.keys:
                raise Invalid({"sort": invalid_choice("sort", sort.keys)})
        collector.raise_if_any()
        return cls(min(read["per_page"], MAX_PER_PAGE), read["page"], read["cursor"], order)


_PAGING = (Whole("page", "", default=1), Whole("per_page", "", default=DEFAULT_PER_PAGE), Param("cursor", ""))


def selected_fields(parameters: QueryDict, known: Callable[[], frozenset[str]]) -> frozenset[str] | None:
    """Return the top-level keys in `fields=a,b` with the id, or None for all. Raises Invalid for an unknown key.

    If the parameter is given more than once, its lists are joined.
    """
    texts = parameters.getlist("fields")
    if not texts:
        return None
    names = frozenset(name.strip(" ") for name in ",".join(texts).split(","))
    if names - known():
        raise Invalid({"fields": invalid_choice("fields", sorted(known()))})
    return names | {"id"}
