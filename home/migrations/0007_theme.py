"""Rename the model of the theme. Its permissions keep their holders: only the codenames and names change."""

from django.db import migrations

VERBS = ("add", "change", "delete", "view")


def rename_permissions(apps, schema_editor):
    _rename(apps, schema_editor, "sitelook", "theme", "theme")


def restore_permissions(apps, schema_editor):
    _rename(apps, schema_editor, "theme", "sitelook", "site look")


def _rename(apps, schema_editor, before, after, name):
    permissions = apps.get_model("auth", "Permission").objects.using(schema_editor.connection.alias)
    for verb in VERBS:
        found = permissions.filter(content_type__app_label="home", codename=f"{verb}_{before}")
        found.update(codename=f"{verb}_{after}", name=f"Can {verb} {name}")


class Migration(migrations.Migration):
    dependencies = [
        ("home", "0006_rows_as_json"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.RenameModel("SiteLook", "Theme"),
        migrations.AlterModelOptions("theme", {"verbose_name": "theme"}),
        migrations.RunPython(rename_permissions, restore_permissions, elidable=True),
    ]
