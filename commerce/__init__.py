"""Business modules: whatever involves a customer, money or a promise."""
