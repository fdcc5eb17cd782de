"""Replay of a query stream: the ranking of every variant, with its suppression state."""
