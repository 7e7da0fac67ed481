from django.apps import AppConfig


class DirectoryConfig(AppConfig):
    name = "commerce.directory"
    label = "directory"
    verbose_name = "Directory"
