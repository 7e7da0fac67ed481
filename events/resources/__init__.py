"""What leaves the module as iCalendar: values, VEVENTs, time zones, calendars and invitations."""
