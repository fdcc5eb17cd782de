"""Choosing a parameter out of sample: weights of a fusion, settings of BM25; and the rankings they give."""
