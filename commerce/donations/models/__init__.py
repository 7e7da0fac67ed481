from .campaigns import Campaign, Fundraiser
from .donations import Donation, RecurringDonation

__all__ = ["Campaign", "Donation", "Fundraiser", "RecurringDonation"]
