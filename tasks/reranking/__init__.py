"""Cross-encoder logits, once per pair of query and document."""
