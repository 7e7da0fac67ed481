"""What leaves the module as iCalendar: lines, time zones, calendars and invitations."""
