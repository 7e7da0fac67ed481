"""The events module: recurrence, calendars, feeds and RSVP."""
