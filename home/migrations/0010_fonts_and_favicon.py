"""Add the fonts and the icon of the theme. Existing themes keep the fonts of each visitor's device."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("home", "0009_lists_on_home_page"),
        ("media", "0003_fill_media_records"),
    ]

    operations = [
        migrations.AddField(
            "theme",
            "favicon",
            models.ForeignKey(
                blank=True,
                help_text="For browser tabs and home screens: a square PNG of at least 180 pixels, or a square SVG. "
                "Defaults to a mark in the colours above.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="media.mediaimage",
            ),
        ),
        migrations.AddField(
            "theme",
            "fonts",
            models.CharField(
                choices=[
                    ("modern", "Modern: Inter"),
                    ("classic", "Classic: a serif for headings, Inter for text"),
                    ("system", "System: the fonts of each visitor's device"),
                ],
                default="system",
                help_text="For the public site.",
                max_length=20,
            ),
        ),
    ]
