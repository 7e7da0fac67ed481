"""Static files, including those that the next release has collected since this process started."""

from contextlib import suppress
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Serves the files that were there at the start from memory, and looks for others on the disk.

    While hosts are upgraded one after the other, a page of the new release may request its files from a host with the former one.
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        if self.static_root and not self.autorefresh:
            # Where `find_file` searches.
            self.directories = [(f"{str(self.static_root).rstrip('/')}/", self.static_prefix)]

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        url = request.path_info
        if url.startswith(self.static_prefix) and not self.autorefresh and url not in self.files:
            # No file has a name with a null byte, or one that the file system refuses.
            with suppress(OSError, ValueError):
                if (found := self.find_file(url)) is not None:
                    self.files[url] = found
        response: HttpResponseBase = super().__call__(request)
        return response
