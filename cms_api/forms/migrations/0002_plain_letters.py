"""Write the words of submissions as searches ask for them: plain Latin letters, pairs of Chinese, Japanese or Thai letters."""

from django.db import migrations

from cms_api.text.search import unique_words


def write_words(apps, schema_editor):
    submissions = apps.get_model("forms", "Submission").objects.exclude(words="").order_by("pk")
    for submission in submissions.only("pk", "words").iterator(chunk_size=500):
        words = " ".join(unique_words(submission.words))
        if words != submission.words:
            type(submission).objects.filter(pk=submission.pk).update(words=words)


class Migration(migrations.Migration):

    dependencies = [("forms", "0001_initial")]

    operations = [migrations.RunPython(write_words, migrations.RunPython.noop)]
