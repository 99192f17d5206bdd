"""Registrations and what they find."""
