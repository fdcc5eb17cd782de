"""Stage: what a study published beside what we measure, with a verdict for every number, and the study's report."""
