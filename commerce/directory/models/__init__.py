"""Listings with their categories and pictures, their plans and purchases, claims, and changes that wait for moderation."""

from .listings import Category, Listing, ListingPicture
from .moderation import Claim, ListingChange
from .terms import Plan, Purchase

__all__ = ["Category", "Claim", "Listing", "ListingChange", "ListingPicture", "Plan", "Purchase"]
