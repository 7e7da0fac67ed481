"""The API's list of appointments, for the law on the number of statements."""

from collections.abc import Callable
from datetime import timedelta

from cms_api.flags.services import switch_feature

from .builders import at, customer, make_appointment, make_service, make_staff


def appointments(number: int) -> None:
    """Upcoming appointments with an intake answer, half of them in classes."""
    switch_feature(name="booking", on=True)
    questions = [{"key": "knee", "label": "Which knee?", "type": "text"}]
    service, group = make_service(questions=questions), make_service(capacity=100)
    staff = make_staff(service, group)
    for place in range(number):
        if place % 2:
            make_appointment(group, staff, at(days=30))
        else:
            start = at() + timedelta(hours=place)
            make_appointment(service, staff, start, **customer(answers={"knee": "Left"}))


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, and the rows.
    "/booking/appointments?per_page=100": (appointments, 3),
    "/booking/appointments?per_page=100&status=upcoming&email=dana@example.com&sort=starts_at": (appointments, 3),
    "/booking/appointments?per_page=100&service_id=1&staff_id=1&from=2026-01-01&to=2099-01-01": (appointments, 3),
    "/booking/appointments?per_page=100&cursor=": (appointments, 2),
}
