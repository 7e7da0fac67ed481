"""The pages of clients."""

from django.urls import path

from . import views

urlpatterns = [
    path("accounts/invoices/", views.account_invoices, name="invoicing_account"),
    path("invoices/<secret:token>/", views.show_invoice, name="invoicing_invoice"),
    path("invoices/<secret:token>/pdf/", views.pdf, name="invoicing_pdf"),
    path("invoices/<secret:token>/pay/", views.pay, name="invoicing_pay"),
    path("invoices/<secret:token>/decision/", views.decide, name="invoicing_decide"),
    path("invoices/<secret:token>/receipts/<id:payment>/", views.receipt, name="invoicing_receipt"),
    path("invoices/<secret:token>/credit-notes/<str:number>/", views.credit_note, name="invoicing_credit_note"),
]
