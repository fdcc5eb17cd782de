"""Is a run as good as the accepted one? Baselines that a person accepted, quality, exactness, cost, and the verdict."""
