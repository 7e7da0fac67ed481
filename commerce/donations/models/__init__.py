from .campaigns import Campaign, Fundraiser
from .donations import Donation, RecurringDonation
from .statements import EmailedStatement

__all__ = ["Campaign", "Donation", "EmailedStatement", "Fundraiser", "RecurringDonation"]
