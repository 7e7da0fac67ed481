"""Machine-readable listings: feeds of the newest items (`syndication`), and the site's URLs (`sitemap`)."""
