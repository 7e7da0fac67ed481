"""The listening socket of the site, shared by its web processes."""

import socket

#: Connections that the kernel holds until a process accepts them.
BACKLOG = 2048
#: Seconds after which the kernel closes a connection whose client does not read its answer.
UNREAD_SECONDS = 60


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that child processes inherit, and that refuses connections until the first of them listens.

    Raises OSError if another process listens there.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Accepted connections inherit these.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1000)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    listener.set_inheritable(True)
    return listener


def listen(host: str, port: int) -> socket.socket:
    """Return a socket like that of `bind`, on which connections wait until a process accepts them."""
    listener = bind(host, port)
    listener.listen(BACKLOG)
    return listener
