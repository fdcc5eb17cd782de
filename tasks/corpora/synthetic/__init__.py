"""The generator of LongMemEval-shaped histories: words and frames by domain, plans, sessions, and the truth."""
