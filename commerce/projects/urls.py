"""The pages of clients."""

from django.urls import path

from . import views

urlpatterns = [
    path("accounts/projects/", views.account_projects, name="projects_account"),
    path("tracking/<str:token>/", views.show_project, name="project_page"),
    path("tracking/<str:token>/files/<id:file>/", views.project_file, name="project_file"),
]
