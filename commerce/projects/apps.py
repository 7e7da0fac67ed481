from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "commerce.projects"
    label = "projects"
    verbose_name = "Projects"
