"""Settings shared by every environment; whatever differs between machines is read from environment variables."""

import sys
from pathlib import Path

import django

from cms_api.core.private_files import FILE_MODE, FOLDER_MODE, make_private
from cms_api.core.time_zones import zone_names

from . import environment as env
from .modules import ANNOUNCED_MODULES as ANNOUNCED_MODULES
from .modules import MODULES

BASE_DIR = Path(__file__).resolve().parents[3]
VAR_DIR = Path(env.text("VAR_DIR", str(BASE_DIR / "var"))).resolve()
VAR_DIR.mkdir(parents=True, exist_ok=True)
make_private(VAR_DIR)

DEBUG = env.boolean("DEBUG")
#: Whether work that takes long, such as typesetting, raises an error in a transaction; see `core.locks`.
REFUSES_SLOW_WORK_IN_TRANSACTIONS = DEBUG
SECRET_KEY = env.text("SECRET_KEY")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
BASE_URL = env.text("BASE_URL", "http://localhost:8000").rstrip("/")
WAGTAILADMIN_BASE_URL = BASE_URL
CSRF_TRUSTED_ORIGINS = [BASE_URL] if BASE_URL.startswith("https://") else []
TRUSTED_PROXIES = env.words("TRUSTED_PROXIES")
OPERATORS_NETWORKS = env.networks("OPERATORS_NETWORKS")

INSTALLED_APPS = [
    "cms_api.core",
    "cms_api.adminkit",
    *MODULES,
    "wagtail.contrib.settings",
    "cms_api.accounts.apps.UsersConfig",
    "cms_api.content.apps.SnippetsConfig",
    "cms_api.media.apps.ImagesConfig",
    "cms_api.media.apps.DocumentsConfig",
    "wagtail.sites",
    "wagtail.search",
    "wagtail.admin",
    "wagtail",
    "modelcluster",
    "taggit",
    # The static files of the map.
    "js_lib_leaflet",
    "django_q",
    "rest_framework",
    "drf_spectacular",
    "allauth",
    "allauth.account",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "cms_api.gateway.middleware.RequestIdMiddleware",
    "cms_api.gateway.headers.SecurityHeadersMiddleware",
    "cms_api.gateway.middleware.HostMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "cms_api.gateway.middleware.CookiesMiddleware",
    "cms_api.gateway.middleware.ApiMiddleware",
    "cms_api.gateway.static_files.StaticFilesMiddleware",
    "cms_api.gateway.middleware.PageCacheMiddleware",
    "cms_api.gateway.middleware.SiteTimezoneMiddleware",
    "cms_api.gateway.middleware.SecretPagesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "home.views.routing.SlashMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "cms_api.gateway.middleware.StaffSessionMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "cms_api.gateway.admin_requests.AdminRequestMiddleware",
]

# The table in cms_api/gateway/headers.py has both headers, for the API and for cached pages too.
SECURE_REFERRER_POLICY = None
SILENCED_SYSTEM_CHECKS = ["security.W002", "security.W022"]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # Django's own widgets are the last resort; as an application, they would need the label of our forms.
        "DIRS": [BASE_DIR / "templates", Path(django.__path__[0], "forms", "templates")],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Widgets may have templates in the project, which replace those of libraries.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

DATABASES = {"default": env.database(env.text("DATABASE_URL"), VAR_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Cache and budgets are stored in Redis if it is configured, else in the database (with the embedded default,
# budgets in a SQLite file of their own, so that they never wait for the main file's writer).
REDIS_URL = env.text("REDIS_URL")
CACHES = {
    "default": (
        {"BACKEND": "cms_api.core.caches.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        # As many rows as forms, counters and guesses of a day may take; Django would drop those that are in use beyond 300.
        else {
            "BACKEND": "cms_api.core.caches.DatabaseCache",
            "LOCATION": "core_cache",
            "OPTIONS": {"MAX_ENTRIES": 10_000},
        }
    )
}

API_RATE_PER_MINUTE = env.integer("API_RATE_PER_MINUTE", 120)
API_ANON_RATE_PER_MINUTE = env.integer("API_ANON_RATE_PER_MINUTE", 20)
# Messages of pages about visits: the limit per address, and lists of networks and hosts whose visits are not counted.
ANALYTICS_RATE_PER_MINUTE = env.integer("ANALYTICS_RATE_PER_MINUTE", 600)
ANALYTICS_DATACENTER_FILE = env.text("ANALYTICS_DATACENTER_FILE")
ANALYTICS_SPAM_FILE = env.text("ANALYTICS_SPAM_FILE")
API_MAX_JSON_BYTES = 2 * 1024 * 1024
API_MAX_UPLOAD_BYTES = 100 * 1024 * 1024
# Media, static files and whatever else is stored is served by the site itself: no other user of the host has to read it.
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = FILE_MODE, FOLDER_MODE
# Larger files are written to disk while they are received.
FILE_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024
# Under /api/ the gateway answers 413 itself; elsewhere Django's limit applies.
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
# The form of a product sends ten fields for each of its variants, of which there may be a hundred.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1250

# Seconds before each retry of a webhook delivery, and the timeout of an attempt.
WEBHOOK_RETRY_DELAYS = env.numbers("WEBHOOK_RETRY_DELAYS", "60,300,1800,1800")
WEBHOOK_TIMEOUT = env.integer("WEBHOOK_TIMEOUT", 10)
# Private networks that receivers and fetched calendars may be in, and extra trust anchors for both.
WEBHOOK_ALLOWED_NETWORKS = env.networks("WEBHOOK_ALLOWED_NETWORKS")
WEBHOOK_CA_BUNDLE = env.text("WEBHOOK_CA_BUNDLE")
SIGNATURE_HEADER_PREFIX = env.text("SIGNATURE_HEADER_PREFIX", "X-Service")

# Payments by Stripe. While a webhook secret is replaced, both are given. Another address is for a stand-in of tests.
STRIPE_SECRET_KEY = env.text("STRIPE_SECRET_KEY")
STRIPE_WEBHOOK_SECRETS = env.words("STRIPE_WEBHOOK_SECRET")
STRIPE_API_BASE = env.text("STRIPE_API_BASE").rstrip("/")

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = "config.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.text("TIME_ZONE", "UTC")
SITE_CURRENCY = env.text("SITE_CURRENCY", "usd").lower()
BUSINESS_EMAIL = env.text("BUSINESS_EMAIL")

for _name, _value in env.email(env.text("EMAIL_URL", "console:")).items():
    globals()[_name] = _value
DEFAULT_FROM_EMAIL = BUSINESS_EMAIL or "webmaster@example.com"

# Where answers to the help desk are sent, with {token} in it, such as support+{token}@example.com, and the mailbox that is read.
SUPPORT_REPLY_ADDRESS = env.reply_address("SUPPORT_REPLY_ADDRESS")
# The name of the mail server, as it begins its Authentication-Results headers: only it is believed about senders.
SUPPORT_AUTHENTICATION_HOST = env.text("SUPPORT_AUTHENTICATION_HOST")
SUPPORT_IMAP = env.mailbox("SUPPORT_IMAP_URL")
SUPPORT_IMAP_CA_BUNDLE = env.text("SUPPORT_IMAP_CA_BUNDLE")

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "home.services.fonts.FontFinder",
]
# Web fonts are made when they are first needed: in the environment, or among the data if the environment is read-only.
FONTS_FOLDERS = [Path(sys.prefix) / "share" / "web-fonts", VAR_DIR / "fonts"]
MEDIA_URL = "/media/"
MEDIA_ROOT = Path(env.text("MEDIA_ROOT", str(VAR_DIR / "media")))
STORAGES = {
    "default": env.storage(env.text("MEDIA_STORAGE_URL")),
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

# Editors sign in to the admin by username; members sign in on the site by email address.
AUTHENTICATION_BACKENDS = [
    "cms_api.accounts.services.backend.NameBackend",
    "cms_api.accounts.services.backend.AddressBackend",
]
# Sessions of people who may enter the admin end after so many hours without use, and so many days after they signed in.
# Those of site accounts last two weeks, Django's default.
ADMIN_SESSION_IDLE_HOURS = env.integer("ADMIN_SESSION_IDLE_HOURS", 12)
ADMIN_SESSION_MAX_DAYS = env.integer("ADMIN_SESSION_MAX_DAYS", 7)
PASSWORD_HASHERS = ["cms_api.accounts.services.hashing.PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}Validator"}
    for name in ("UserAttributeSimilarity", "MinimumLength", "CommonPassword", "NumericPassword")
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/accounts/"

ACCOUNT_ADAPTER = "cms_api.accounts.services.adapter.Adapter"
ACCOUNT_FORMS = {
    "login": "cms_api.accounts.views.forms.LoginForm",
    "signup": "cms_api.accounts.views.forms.SignupForm",
    "reset_password": "cms_api.accounts.views.forms.ResetForm",
    "reset_password_from_key": "cms_api.accounts.views.forms.NewPasswordForm",
    "change_password": "cms_api.accounts.views.forms.ChangePasswordForm",
    "add_email": "cms_api.accounts.views.forms.AddressForm",
}
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_HONEYPOT_FIELD = "hp_url"
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
# Links have random keys: signed ids of addresses would confirm others after a backup is restored.
ACCOUNT_EMAIL_CONFIRMATION_HMAC = False
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
# An address is replaced, not added; no form reveals which addresses have an account.
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = None
# `accounts.services.limiting` and `guarding` limit the forms, in a store that does not go away with the cache.
ACCOUNT_RATE_LIMITS = False

WAGTAIL_SITE_NAME = "Site"
WAGTAIL_I18N_ENABLED = False
WAGTAIL_USER_TIME_ZONES = sorted(zone_names())
WAGTAILIMAGES_IMAGE_MODEL = "media.MediaImage"
WAGTAILDOCS_DOCUMENT_MODEL = "media.MediaFile"
# The media view serves documents, with its headers; Wagtail's view handles private collections.
WAGTAILDOCS_SERVE_METHOD = "redirect"
# The library's own forms validate files as the API does.
WAGTAILIMAGES_EXTENSIONS = ["avif", "gif", "jpg", "jpeg", "png", "svg", "webp"]
WAGTAILIMAGES_MAX_UPLOAD_SIZE = API_MAX_UPLOAD_BYTES
WAGTAILIMAGES_IMAGE_FORM_BASE = "cms_api.media.admin.ImageForm"
WAGTAILDOCS_DOCUMENT_FORM_BASE = "cms_api.media.admin.DocumentForm"
WAGTAILADMIN_RICH_TEXT_EDITORS = {"default": {"WIDGET": "cms_api.adminkit.rich_text.RichTextArea"}}
WAGTAIL_ENABLE_UPDATE_CHECK = False
# Nothing is loaded from other hosts.
WAGTAIL_GRAVATAR_PROVIDER_URL = None
WAGTAIL_ENABLE_WHATS_NEW_BANNER = False
WAGTAILSEARCH_BACKENDS = {"default": {"BACKEND": "cms_api.text.search"}}

# The worker's queue is always in the database, so that tasks are enqueued in the transaction that creates them.
Q_CLUSTER = {
    "name": "site",
    "orm": "default",
    "workers": 1,
    "timeout": 40,
    "retry": 60,
    "max_attempts": 1,
    # The scheduler waits between two looks.
    "poll": 0,
    "catch_up": False,
    "save_limit": 200,
    "label": "Background tasks",
}

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "cms_api.gateway.openapi.EndpointSchema",
    "UNAUTHENTICATED_USER": None,
}

LOGGING = env.logging(env.text("LOG_FORMAT", "text"))
# A line for each request.
LOG_REQUESTS = env.boolean("LOG_REQUESTS")

SPECTACULAR_SETTINGS = {
    "TITLE": "Site API",
    "DESCRIPTION": "Content, media and business records of this site, for integrations. Send `Authorization: Bearer <token>`.",
    "VERSION": "1.0.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    # It would describe the admin's own endpoints too; tests check ours.
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    # Enums stay inline: as components, their names would change with the enabled modules.
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enum_id_removal"],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "APPEND_COMPONENTS": {
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "An API token, created in the admin."}}
    },
}
