"""The listening socket, from before the first process accepts until after the last one does."""

import socket

import pytest

from cms_api.gateway.serving.listener import bind, listen


def test_connections_are_refused_until_a_process_listens() -> None:
    """A balancer sends its requests to another host meanwhile; in the queue of a process that only starts they would wait."""
    with bind("127.0.0.1", 0) as listener:
        address = listener.getsockname()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address, timeout=5)
        listener.listen()
        socket.create_connection(address, timeout=5).close()


def test_a_taken_port_is_refused_at_once() -> None:
    with listen("127.0.0.1", 0) as listener, pytest.raises(OSError, match="in use"):
        bind(*listener.getsockname())
