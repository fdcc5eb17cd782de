"""Top-k lists, tie rules and fusion: the pool of candidates of each query."""
