"""Texts to vectors, in resumable Parquet shards."""
