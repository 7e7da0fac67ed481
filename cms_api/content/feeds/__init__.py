"""What programs follow instead of people: feeds of the newest items (`syndication`), and the addresses there are (`sitemap`)."""
