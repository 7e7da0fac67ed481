"""The security headers of every answer, the server's own included. The server reads them before Django is set up."""

_DENIED = ("browsing-topics", "camera", "display-capture", "geolocation", "microphone", "midi", "payment", "usb")
EVERY_ANSWER = {
    "X-Content-Type-Options": "nosniff",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _DENIED),
}
JSON_ANSWER = {
    **EVERY_ANSWER,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}
