-- How far is each measure above a random order of the same pool? A small ratio means that the cut-off takes nearly everything.
SELECT dataset, block, variant, measure, mean, random_mean, mean / nullif(random_mean, 0) AS times_random
FROM summary
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
WHERE random_mean IS NOT NULL AND n > 0
ORDER BY dataset, block, measure, mean DESC, variant;
