"""Intervals and tests for paired differences."""
