"""Pages of invoices and estimates, and those of an account."""

from django.urls import path

from . import views

urlpatterns = [
    path("accounts/invoices/", views.account_invoices, name="invoicing_account"),
    path("invoices/<str:token>/", views.show_invoice, name="invoicing_invoice"),
    path("invoices/<str:token>/pdf/", views.pdf, name="invoicing_pdf"),
    path("invoices/<str:token>/pay/", views.pay, name="invoicing_pay"),
    path("invoices/<str:token>/decision/", views.decide, name="invoicing_decide"),
]
