"""The application of the tests, in a server that waits for headers for a second."""

from cms_api.gateway.serving import protocol

from .echo import application as application

protocol.HEAD_SECONDS = 1
