"""The errors that services and views raise, and their JSON responses."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

Messages = dict[str, list[str]]


class ApiError(Exception):
    """An error response: an HTTP status, a JSON body and, for some errors, headers."""

    status = 500
    message = "Server Error"

    def __init__(self, message: str | None = None, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message or self.message)
        self.message = message or self.message
        self.headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        return {"message": self.message}


class BadRequest(ApiError):
    status, message = 400, "The request body is not valid JSON."


class Unauthenticated(ApiError):
    status, message = 401, "Unauthenticated."

    def __init__(self) -> None:
        super().__init__(headers={"WWW-Authenticate": "Bearer"})


class MissingAbility(ApiError):
    status = 403

    def __init__(self, ability: str) -> None:
        challenge = f'Bearer error="insufficient_scope", scope="{ability}"'
        super().__init__(f"This token is missing the required ability: {ability}.", headers={"WWW-Authenticate": challenge})
        self.ability = ability

    def body(self) -> dict[str, Any]:
        return {"message": self.message, "required_ability": self.ability}


class MethodNotAllowed(ApiError):
    status, message = 405, "Method Not Allowed"

    def __init__(self, allowed: list[str]) -> None:
        super().__init__(headers={"Allow": ", ".join(allowed)})


class Conflict(ApiError):
    status, message = 409, "A request with this idempotency key is still running."


class TooLarge(ApiError):
    status, message = 413, "The request body is too large."


class UriTooLong(ApiError):
    status = 414


class UnsupportedMediaType(ApiError):
    status, message = 415, "The request body must be application/json."


class NotMultipart(UnsupportedMediaType):
    message = "The request body must be multipart/form-data."


class TooManyAttempts(ApiError):
    status, message = 429, "Too Many Attempts."


class Unavailable(ApiError):
    """The database, or something else that the request cannot do without, is away; see `core.outages`."""

    status = 503


class Invalid(ApiError):
    """Input that fails validation, or a state that forbids the action.

    `errors` maps dotted paths (`data.event_date.repeat.interval`) to one or more sentences.
    """

    status = 422

    def __init__(self, errors: Mapping[str, list[str] | str]) -> None:
        self.errors: Messages = {key: [found] if isinstance(found, str) else list(found) for key, found in errors.items()}
        super().__init__(_summary(self.errors))

    def body(self) -> dict[str, Any]:
        """Return the response, in which a sentence about a choice names the valid values if they are few."""
        errors = {path: list(map(_naming_values, sentences)) for path, sentences in self.errors.items()}
        return {"message": _summary(errors), "errors": errors}


def _summary(errors: Messages) -> str:
    sentences = [sentence for found in errors.values() for sentence in found]
    more = len(sentences) - 1
    return sentences[0] + (f" (and {more} more error{'s' if more > 1 else ''})" if more > 0 else "")


class ErrorCollector:
    """Collects the errors of many fields, so that a client sees all of them at once."""

    def __init__(self) -> None:
        self.errors: Messages = {}

    @contextmanager
    def under(self, prefix: str = "") -> Iterator[None]:
        """Collect an Invalid raised inside the block, prefixing its paths."""
        try:
            yield
        except Invalid as refusal:
            for path, sentences in refusal.errors.items():
                self.errors.setdefault(".".join(filter(None, (prefix, path))), []).extend(sentences)

    def add(self, path: str, sentence: str) -> None:
        self.errors.setdefault(path, []).append(sentence)

    def raise_if_any(self) -> None:
        if self.errors:
            raise Invalid(self.errors)


def attribute(path: str) -> str:
    """Return a field's name for use in a sentence: `data.event_date` becomes "event date"."""
    return path.rsplit(".", 1)[-1].replace("_", " ")


def required_message(path: str) -> str:
    return f"The {attribute(path)} field is required."


class InvalidChoice(str):
    """The sentence about a value that is none of the valid ones, and these."""

    valid: tuple[str, ...] = ()


#: More valid values than these are not named.
MAX_NAMED_VALUES = 12


def invalid_choice(path: str, valid: Iterable[str] = ()) -> str:
    """Return the sentence for a value that is none of the valid ones; responses name these if they are few."""
    sentence = InvalidChoice(f"The selected {attribute(path)} is invalid.")
    names = tuple(islice(valid, MAX_NAMED_VALUES + 1))
    sentence.valid = names if len(names) <= MAX_NAMED_VALUES else ()
    return sentence


def _naming_values(sentence: str) -> str:
    valid = sentence.valid if isinstance(sentence, InvalidChoice) else ()
    return f"{sentence} Valid values: {', '.join(valid)}." if valid else sentence


def taken_message(path: str) -> str:
    return f"The {attribute(path)} has already been taken."
