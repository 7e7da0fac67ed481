"""iCalendar output: VEVENTs, calendars and invitations."""
