"""Sites that have sent advertising as referrers for years, all in Matomo's list of referrer spammers (in the public domain).

The whole list has thousands, and changes: it is read from a file.
"""

SPAM_HOSTS = frozenset(
    {
        "100dollars-seo.com",
        "4webmasters.org",
        "7makemoneyonline.com",
        "best-seo-offer.com",
        "best-seo-solution.com",
        "blackhatworth.com",
        "buttons-for-website.com",
        "buttons-for-your-website.com",
        "cenoval.ru",
        "darodar.com",
        "econom.co",
        "event-tracking.com",
        "floating-share-buttons.com",
        "free-share-buttons.com",
        "free-social-buttons.com",
        "get-free-traffic-now.com",
        "hulfingtonpost.com",
        "ilovevitaly.com",
        "priceg.com",
        "rankings-analytics.com",
        "semalt.com",
        "semaltmedia.com",
        "simple-share-buttons.com",
        "social-buttons.com",
        "success-seo.com",
        "top1-seo-service.com",
        "traffic2cash.xyz",
        "traffic2money.com",
        "trafficmonetize.org",
        "trafficmonetizer.org",
        "video--production.com",
        "videos-for-your-business.com",
        "webmonetizer.net",
    }
)
