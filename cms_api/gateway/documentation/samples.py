"""A request as code that runs as it is, once it has a token: with curl, in Python and in JavaScript.

There is no `Idempotency-Key`: with a constant one, a sample that is changed and run again would be refused.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from .types import ORIGIN, Call, Field, Sample

TOKEN = "YOUR_TOKEN"
#: Seconds; without a timeout, `requests` would wait for ever.
TIMEOUT_SECONDS = 30


def samples(call: Call) -> list[Sample]:
    return [
        Sample("curl", "curl", _curl(call)),
        Sample("python", "Python", _python(call)),
        Sample("javascript", "JavaScript", _javascript(call)),
    ]


def address(call: Call) -> str:
    """Return the URL of a request, with the examples of its parameters in the path."""
    path = call.path
    for field in call.fields:
        if field.place == "path":
            path = path.replace(f"{{{field.name}}}", quote(field.example, safe=""))
    return ORIGIN + path


def _query(call: Call) -> dict[str, str]:
    return {field.name: field.example for field in call.fields if field.place == "query" and field.required}


def _url(call: Call) -> str:
    query = urlencode(_query(call))
    return f"{address(call)}?{query}" if query else address(call)


def _headers(call: Call) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKEN}"} if call.needs_token else {}


def _parts(call: Call) -> Iterator[tuple[Field, str]]:
    """Yield the parts of a multipart body that its example has."""
    for field in call.fields:
        if field.place == "body" and field.example:
            yield field, field.example


def _curl(call: Call) -> str:
    lines = [f"curl {_in_shell(_url(call))}" if call.method == "GET" else f"curl -X {call.method} {_in_shell(_url(call))}"]
    lines += [f"-H {_in_shell(f'{name}: {value}')}" for name, value in _headers(call).items()]
    if call.is_multipart:
        lines += [f"-F {_in_shell(field.name + ('=@' if field.is_file else '=') + value)}" for field, value in _parts(call)]
    elif call.body is not None:
        lines += ["-H 'Content-Type: application/json'", f"-d {_in_shell(_json(call.body))}"]
    return " \\\n  ".join(lines)


def _in_shell(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _python(call: Call) -> str:
    arguments = [_text(address(call))]
    if query := _query(call):
        arguments.append(f"params={_literal(query, 1)}")
    if headers := _headers(call):
        arguments.append(f"headers={_literal(headers, 1)}")
    if call.is_multipart:
        files = [f'{_text(field.name)}: open({_text(value)}, "rb")' for field, value in _parts(call) if field.is_file]
        values = {field.name: value for field, value in _parts(call) if not field.is_file}
        arguments.append("files={" + ", ".join(files) + "}")
        if values:
            arguments.append(f"data={_literal(values, 1)}")
    elif call.body is not None:
        arguments.append(f"json={_literal(call.body, 1)}")
    arguments.append(f"timeout={TIMEOUT_SECONDS}")
    lines = [
        "import requests",
        "",
        f"response = requests.{call.method.lower()}(",
        *(f"    {argument}," for argument in arguments),
        ")",
        "response.raise_for_status()",
        "print(response.json())",
    ]
    return "\n".join(lines)


def _literal(value: Any, depth: int) -> str:
    """Return JSON as Python writes it, on as many lines as it has values."""
    before, end = "    " * (depth + 1), "    " * depth
    if isinstance(value, Mapping) and value:
        inner = "".join(f"{before}{_text(str(key))}: {_literal(each, depth + 1)},\n" for key, each in value.items())
        return f"{{\n{inner}{end}}}"
    if isinstance(value, list) and value:
        inner = "".join(f"{before}{_literal(each, depth + 1)},\n" for each in value)
        return f"[\n{inner}{end}]"
    return _text(value) if isinstance(value, str) else repr(value)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _javascript(call: Call) -> str:
    before, options = [], []
    headers = _headers(call)
    if call.method != "GET":
        options.append(f'method: "{call.method}",')
    if call.body is not None and not call.is_multipart:
        headers["Content-Type"] = "application/json"
    if headers:
        options.append(f"headers: {_indent(headers)},")
    if call.is_multipart:
        before += ['import { openAsBlob } from "node:fs";', "", "const body = new FormData();"]
        before += [f"body.append({_part_in_javascript(field, value)});" for field, value in _parts(call)]
        options.append("body,")
    elif call.body is not None:
        options.append(f"body: JSON.stringify({_indent(call.body)}),")
    given = ", {\n" + "".join(f"  {option}\n" for option in options) + "}" if options else ""
    lines = [
        *before,
        f"const response = await fetch({_text(_url(call))}{given});",
        "if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);",
        "console.log(await response.json());",
    ]
    return "\n".join(lines)


def _part_in_javascript(field: Field, value: str) -> str:
    if field.is_file:
        return f"{_text(field.name)}, await openAsBlob({_text(value)}), {_text(value)}"
    return f"{_text(field.name)}, {_text(value)}"


def _indent(value: Any) -> str:
    return _json(value).replace("\n", "\n  ")
