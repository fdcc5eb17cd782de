"""The text a retriever sees, and its tokens."""
