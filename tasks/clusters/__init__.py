"""Clusters of queries."""
