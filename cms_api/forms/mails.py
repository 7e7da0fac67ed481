"""The emails of the forms module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

MAILS = (
    Mail(
        "form_submitted",
        "Sends a submission to the recipients of its form. Replies go to the sender.",
        subject="New submission: {{ form }}",
        placeholders={
            "form": Placeholder("The form's name", "Book the hall"),
            "answers": Placeholder(
                "The submitted values, as a table",
                Block(
                    "Name: Dana Reyes\nOccasion: wedding",
                    '<table><tr><th scope="row">Name</th><td>Dana Reyes</td></tr>'
                    '<tr><th scope="row">Occasion</th><td>wedding</td></tr></table>',
                ),
            ),
            "submission": Placeholder(
                "A link to the submission in the admin; empty if the form doesn't store submissions",
                Block(
                    "View the submission: https://example.org/admin/forms/submissions/inspect/318/",
                    '<a href="https://example.org/admin/forms/submissions/inspect/318/">View the submission</a>',
                ),
            ),
        },
        to_staff=True,
    ),
)
