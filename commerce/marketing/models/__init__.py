from .subscribers import MailingList, Subscriber

__all__ = ["MailingList", "Subscriber"]
