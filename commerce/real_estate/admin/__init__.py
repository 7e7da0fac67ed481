"""Real estate in the admin."""

from cms_api.adminkit.history import register_log_actions

register_log_actions(
    {
        "real_estate.stop_run": ("Stop import", "The import was stopped"),
        "real_estate.release_inquiry": ("Not spam", "The inquiry was sent"),
    }
)
