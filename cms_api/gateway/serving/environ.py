"""The environment of a WSGI request (PEP 3333), made of Granian's scope."""

import sys
from typing import IO, Any
from wsgiref.util import FileWrapper

from granian.rsgi import Scope

from .bodies import BodyRefused

Environ = dict[str, Any]

#: Headers whose value may be dropped if it is not ASCII; with any other the request is refused, lest it is misunderstood.
_DROPPABLE = {"cookie", "referer", "user-agent"}


def request_headers(scope: Scope) -> Environ:
    """Return the headers as CGI variables. Names with underscores are dropped: they could pass for others."""
    found: Environ = {}
    for name, value in scope.headers.items():
        if "_" in name:
            continue
        key = name.upper().replace("-", "_")
        if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            key = f"HTTP_{key}"
        if key in found:
            found[key] += ("; " if name == "cookie" else ",") + value
        else:
            found[key] = value
    names = scope.headers.keys()
    if len(names) > len(found):
        _refuse_unreadable(scope, names)
    return found


def _refuse_unreadable(scope: Scope, names: list[str]) -> None:
    """Refuse a header that is not ASCII, which Granian leaves out."""
    for name in names:
        if scope.headers.get(name) is None and name not in _DROPPABLE and "_" not in name:
            raise BodyRefused(400, f"The {name} header must be ASCII.")


def environ_of(scope: Scope, headers: Environ, body: IO[bytes]) -> Environ:
    host, _, port = scope.server.rpartition(":")
    return {
        **_ENVIRON,
        "REQUEST_METHOD": scope.method,
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": host,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": peer_of(scope),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": body,
        **headers,
    }


def peer_of(scope: Scope) -> str:
    """Return the address at the other end of the connection."""
    return scope.client.rpartition(":")[0].strip("[]")


_ENVIRON: Environ = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.file_wrapper": FileWrapper,
}
