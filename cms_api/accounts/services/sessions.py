"""Sessions of people who may enter the admin: shorter than those of site accounts, and ended when a role changes.

Django ends the sessions of an account whose password changes or that is deactivated, and gives a session a new key at sign-in.
"""

import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest

from ..selectors import is_editor

#: In a session of staff: the role at sign-in, when that was, and when a page was last asked for (Unix seconds).
ROLE, SINCE, SEEN = "staff_role", "staff_since", "staff_seen"
#: How long a session may have been used before that is written down, so that not every page writes.
STAMP_SECONDS = 60
HOUR, DAY = 3600, 86_400


def begin_session(request: HttpRequest, user: Any) -> None:
    """Give the session a key of its own, and note what it depends on if it is one of staff."""
    if request.COOKIES.get(settings.SESSION_COOKIE_NAME) == request.session.session_key:
        # Django keeps the key where the same account signs in again.
        request.session.cycle_key()
    if not is_editor(user):
        return
    now = int(time.time())
    request.session.update({ROLE: role_of(user), SINCE: now, SEEN: now})
    limit_cookie(request)


def limit_cookie(request: HttpRequest) -> None:
    """Let the browser and the database forget a session of staff with its end, unless it ends with the browser's."""
    if ROLE in request.session and not request.session.get_expire_at_browser_close():
        request.session.set_expiry(settings.ADMIN_SESSION_IDLE_HOURS * HOUR)


def check_session(request: HttpRequest, *, is_admin: bool, is_use: bool) -> None:
    """Sign somebody out whose session as staff is over. `is_use` says whether the request counts as use of the session.

    A session that began without a role ends in the admin once its account has a role. That of a site account goes on: the admin
    refuses it, and anybody may have led it there.
    """
    session = request.session
    if ROLE not in session:
        if is_admin and request.user.is_authenticated and is_editor(request.user):
            logout(request)
        return
    now = int(time.time())
    # A deactivated account is nobody; its session must not be there again when it is active again.
    if not is_staff_session(session, request.user):
        logout(request)
    elif is_use and now - session[SEEN] >= STAMP_SECONDS:
        session[SEEN] = now


def is_staff_session(session: Mapping[str, Any], user: Any) -> bool:
    """Return whether a session is one of staff that is not over, with the role that the account has now."""
    now = time.time()
    return (
        ROLE in session
        and now - session[SEEN] <= settings.ADMIN_SESSION_IDLE_HOURS * HOUR
        and now - session[SINCE] <= settings.ADMIN_SESSION_MAX_DAYS * DAY
        and user.is_authenticated
        and session[ROLE] == role_of(user)
    )


def role_of(user: Any) -> list[Any]:
    """Return what an account may do, as far as its sessions end when that changes: whether it is staff, and its groups."""
    return [user.is_superuser, user.is_staff, *sorted(user.groups.values_list("pk", flat=True))]
