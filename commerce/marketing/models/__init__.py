from .sequences import Enrolment, Sequence, SequenceStep
from .subscribers import MailingList, Subscriber

__all__ = ["Enrolment", "MailingList", "Sequence", "SequenceStep", "Subscriber"]
