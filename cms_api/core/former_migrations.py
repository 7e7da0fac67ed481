"""The last migrations of databases from before 0.9.0, when each app's were made one; see `manage.py adopt_database`."""

from collections.abc import Iterable

#: The name of the one that each app has now.
PRESENT = "0001_initial"
#: The names that are recorded in such a database, by app.
FORMER_MIGRATIONS: dict[str, tuple[str, ...]] = {
    "accounts": (
        "0001_site_accounts",
        "0002_log_sign_ins",
    ),
    "analytics": (
        "0001_initial",
        "0002_events_by_day",
        "0003_bounced_visitors",
        "0004_hide_secret_paths",
    ),
    "tokens": (
        "0001_initial",
        "0002_restrict_tokens",
        "0003_name_creators",
    ),
    "comments": (
        "0001_initial",
        "0002_reword_texts",
    ),
    "content": (
        "0001_initial",
        "0002_featured_addresses",
        "0003_lasting",
        "0004_fill_lasting",
        "0005_cached_json",
        "0006_uncompressed_json",
        "0007_numbered_until",
    ),
    "core": (
        "0001_initial",
        "0002_cache_table",
        "0003_tags",
        "0004_search_words",
        "0005_leases",
        "0006_job_failures_and_workers",
    ),
    "flags": ("0001_initial",),
    "forms": (
        "0001_initial",
        "0002_reword_texts",
    ),
    "mail": (
        "0001_initial",
        "0002_find_mails_by_recipient",
        "0003_auto_submitted",
        "0004_limit_mail_to_strangers",
        "0005_one_time_secrets",
        "0006_contents_made_when_sent",
    ),
    "media": (
        "0001_initial",
        "0002_media_records",
        "0003_fill_media_records",
        "0004_index_files_of_renditions",
    ),
    "webhooks": (
        "0001_initial",
        "0002_leases",
    ),
    "booking": (
        "0001_initial",
        "0002_no_overlapping_slots",
        "0003_link_keys",
        "0004_holder",
        "0005_external_keys",
        "0006_form_key",
    ),
    "common": ("0001_initial",),
    "crm": (
        "0001_initial",
        "0002_reword_texts",
    ),
    "directory": (
        "0001_initial",
        "0002_term_index",
    ),
    "donations": (
        "0001_initial",
        "0002_link_keys",
        "0003_former_amounts",
        "0004_pauses_by_staff",
    ),
    "imports": (
        "0001_initial",
        "0002_leases",
    ),
    "invoicing": (
        "0001_initial",
        "0002_link_keys",
        "0003_credited_items_and_missed_dates",
        "0004_documents_typeset_after_issuing",
        "0005_currency_of_recurring_invoices",
    ),
    "loyalty": ("0001_initial",),
    "marketing": (
        "0001_initial",
        "0002_sequences",
        "0003_reword_texts",
        "0004_charted_columns",
        "0005_link_keys",
    ),
    "members": (
        "0001_initial",
        "0002_reword_texts",
        "0003_requested_plan",
        "0004_paid_until",
        "0005_link_keys",
        "0006_plans_that_end",
        "0007_taken_periods",
        "0008_carried_days",
        "0009_paid_periods",
        "0010_periods_of_earlier_payments",
        "0011_one_table_of_periods",
    ),
    "payments": (
        "0001_initial",
        "0002_saved_methods",
        "0003_link_keys",
        "0004_waiting_messages_and_unconfirmed_attempts",
        "0005_external_keys",
        "0006_refunds_by_hand",
    ),
    "projects": (
        "0001_initial",
        "0002_link_keys",
    ),
    "real_estate": (
        "0001_initial",
        "0002_search_indexes",
        "0003_search_counts",
        "0004_link_keys",
    ),
    "restaurant": (
        "0001_initial",
        "0002_link_keys",
        "0003_holder",
    ),
    "reviews": (
        "0001_initial",
        "0002_listings",
        "0003_link_keys",
    ),
    "shop": (
        "0001_initial",
        "0002_link_keys",
        "0003_holder",
    ),
    "support": (
        "0001_initial",
        "0002_link_keys",
    ),
    "ticketing": (
        "0001_initial",
        "0002_link_keys",
        "0003_sold_until",
        "0004_holder",
    ),
    "events": (
        "0001_initial",
        "0002_calendar_entry",
        "0003_rsvp_mail_due_at",
        "0004_capacity",
        "0005_date_changes",
        "0006_link_keys",
        "0007_dates_that_move",
        "0008_holder",
    ),
    "home": (
        "0001_initial",
        "0002_rows_and_page_types",
        "0003_site_look",
        "0004_form_row",
        "0005_newsletter_row",
        "0006_rows_as_json",
        "0007_theme",
        "0008_reword_texts",
        "0009_lists_on_home_page",
        "0010_fonts_and_favicon",
    ),
}


def find_former(applied: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those of the recorded migrations that only databases from before 0.9.0 have."""
    former = {(app, name) for app, names in FORMER_MIGRATIONS.items() for name in names if name != PRESENT}
    return former & set(applied)
