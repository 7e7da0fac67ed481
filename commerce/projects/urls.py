"""The pages of clients."""

from django.urls import path

from . import views

urlpatterns = [
    path("accounts/projects/", views.account_projects, name="projects_account"),
    path("tracking/<secret:token>/", views.show_project, name="project_page"),
    path("tracking/<secret:token>/files/<id:file>/", views.project_file, name="project_file"),
]
