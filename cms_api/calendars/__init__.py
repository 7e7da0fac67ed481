"""iCalendar files (RFC 5545): values, time zones, events at an instant, and the calendars around them."""
