"""Fetch datasets and models: pinned, verified, resumable."""
