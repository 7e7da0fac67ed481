"""Limits of services and of members of staff."""

#: The version that changes with services, staff, and their hours.
VERSION = "booking.offer"

MAX_NAME = 120
MAX_DESCRIPTION = 2000
MAX_PLACE = 200
MAX_URL = 500
MAX_POSITION = 10_000
#: In minutes.
SHORTEST, LONGEST = 5, 24 * 60
LONGEST_BUFFER = 12 * 60
LONGEST_NOTICE = 365 * 24 * 60
#: In hours.
LONGEST_CANCEL_NOTICE = 365 * 24
FARTHEST_AHEAD = 730
LARGEST_CLASS = 1000
#: Weekly periods of one member of staff.
MAX_HOURS = 200
#: Periods of one date.
MAX_PERIODS = 6
#: Days of one time off.
LONGEST_ABSENCE = 1100
