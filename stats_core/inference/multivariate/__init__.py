"""Tests on several measures at once."""
