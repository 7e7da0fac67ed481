"""The wire shapes of projects."""

from rest_framework import serializers

from cms_api.http.serializers import RecordResource, Resource


class MilestoneResource(Resource):
    """A step of a project."""

    id = serializers.IntegerField()
    title = serializers.CharField()
    due_at = serializers.DateField(allow_null=True)
    completed = serializers.BooleanField()
    completed_at = serializers.DateTimeField(allow_null=True)
    position = serializers.IntegerField(min_value=0)


class ProjectUpdateResource(Resource):
    """A progress update of a project."""

    id = serializers.IntegerField()
    note = serializers.CharField()
    is_public = serializers.BooleanField(help_text="Whether the client can see it.")
    created_at = serializers.DateTimeField()


class ProjectResource(RecordResource):
    """A job for a client."""

    name = serializers.CharField()
    description = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(("planned", "active", "on_hold", "completed", "cancelled"))
    client_id = serializers.IntegerField(allow_null=True)
    client_email = serializers.EmailField(allow_null=True)
    client_name = serializers.CharField(allow_null=True)
    started_at = serializers.DateField(allow_null=True)
    due_at = serializers.DateField(allow_null=True)
    completed_at = serializers.DateTimeField(allow_null=True)
    progress = serializers.IntegerField(min_value=0, max_value=100, help_text="As entered; used if there are no milestones.")
    progress_percent = serializers.IntegerField(
        min_value=0, max_value=100, help_text="Computed from the milestones, or as entered; 100 once the project is completed."
    )
    milestones = MilestoneResource(many=True)

    example = {
        "id": 23,
        "name": "Mural for the lobby",
        "description": "Nine metres of wall, from the sketch to the varnish.",
        "status": "completed",
        "client_id": 41,
        "client_email": "dana.reyes@example.com",
        "client_name": "Dana Reyes",
        "started_at": "2026-01-12",
        "due_at": "2026-03-06",
        "completed_at": "2026-03-01T18:30:00+00:00",
        "progress": 0,
        "progress_percent": 100,
        "milestones": [
            {
                "id": 51,
                "title": "Sketch approved",
                "due_at": "2026-01-23",
                "completed": True,
                "completed_at": "2026-01-22T16:00:00+00:00",
                "position": 1,
            },
            {
                "id": 52,
                "title": "Varnished",
                "due_at": "2026-03-06",
                "completed": True,
                "completed_at": "2026-03-01T18:25:00+00:00",
                "position": 2,
            },
        ],
        "created_at": "2026-01-09T10:15:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


class ProjectDetailResource(ProjectResource):
    """A job for a client with its progress updates."""

    updates = ProjectUpdateResource(many=True)

    example = {
        **ProjectResource.example,
        "updates": [
            {
                "id": 90,
                "note": "The last coat is on; it dries until Friday.",
                "is_public": True,
                "created_at": "2026-03-01T18:26:00+00:00",
            }
        ],
    }
