"""Limits of services and of members of staff."""

#: The version that changes with services, staff, and their hours.
VERSION = "booking.offer"

MAX_NAME = 120
MAX_DESCRIPTION = 2000
MAX_PLACE = 200
MAX_URL = 500
MAX_POSITION = 10_000
SHORTEST_SERVICE_MINUTES, LONGEST_SERVICE_MINUTES = 5, 24 * 60
LONGEST_BUFFER_MINUTES = 12 * 60
LONGEST_NOTICE_MINUTES = 365 * 24 * 60
LONGEST_CANCEL_NOTICE_HOURS = 365 * 24
FARTHEST_DAYS_AHEAD = 730
LARGEST_CLASS_PLACES = 1000
#: Weekly periods of one member of staff.
MAX_HOURS = 200
#: Periods of one date.
MAX_PERIODS = 6
LONGEST_ABSENCE_DAYS = 1100
