"""Marketing writes for use by other modules."""

from .enrolment import enrol_address
from .mailing import mail_subscriber
from .signup import ask_to_confirm
from .subscribers import unsubscribe, upsert_subscriber

__all__ = ["ask_to_confirm", "enrol_address", "mail_subscriber", "unsubscribe", "upsert_subscriber"]
