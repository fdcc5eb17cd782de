"""BM25 and dense indexes over a corpus."""
