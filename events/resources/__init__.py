"""iCalendar output: values, VEVENTs, time zones, calendars and invitations."""
