"""Dates in forms are in ISO 8601: Django's own formats for English would read 03/04/2026 as the American 4 March everywhere.

`cms_api.text.reading` reads dates that people type, in the order of the site's country.
"""

DATE_INPUT_FORMATS = ["%Y-%m-%d"]
DATETIME_INPUT_FORMATS = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M"]
