"""The listening socket of the site, shared by its web processes."""

import os
import socket

#: Connections that the kernel holds until a process accepts them.
BACKLOG = 2048
#: Seconds after which the kernel closes a connection whose client does not read its answer.
UNREAD_LIMIT = 60


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that child processes inherit. Raises OSError if another process listens there."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Accepted connections inherit these.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_LIMIT * 1000)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    listener.set_inheritable(True)
    return listener


def stop_accepting(listener: socket.socket) -> None:
    """Leave new connections to the other processes: here, a socket that nobody connects to takes the listener's place."""
    with socket.create_server(("localhost", 0)) as silent:
        silent.setblocking(False)
        os.dup2(silent.fileno(), listener.fileno())
