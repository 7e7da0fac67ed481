"""The public pages of booking."""

from django.urls import path

from .views import account, book, feeds, manage, services

urlpatterns = [
    path("booking", services.show_services, name="booking"),
    path("booking/services/<slug:slug>", services.show_service, name="booking_service"),
    path("booking/services/<slug:slug>/book", book.book, name="booking_book"),
    path("booking/manage/<secret:token>/", manage.show, name="booking_manage"),
    path("booking/manage/<secret:token>/reschedule", manage.reschedule, name="booking_reschedule"),
    path("booking/manage/<secret:token>/cancel", manage.cancel, name="booking_cancel"),
    path("booking/manage/<secret:token>/pay", manage.pay, name="booking_pay"),
    path("booking/manage/<secret:token>/appointment.ics", manage.calendar_file, name="booking_calendar_file"),
    path("booking/staff/<secret:key>.ics", feeds.staff_feed, name="booking_staff_feed"),
    path("accounts/bookings/", account.account_bookings, name="booking_account"),
]
