"""One web process by itself: `python -m cms_api.gateway.serving DESCRIPTOR [APPLICATION]` inherits a listening socket."""

import socket
import sys

from django.utils.module_loading import import_string

from .server import serve


def main(descriptor: str, application: str = "config.wsgi.application") -> None:
    serve(socket.socket(fileno=int(descriptor)), import_string(application))


if __name__ == "__main__":
    main(*sys.argv[1:])
