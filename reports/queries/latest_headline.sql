-- What does the latest run of each data set say: every variant's nDCG@10 and its difference to the baseline?
SELECT s.dataset, s.variant, s.n, s.mean, s.lo, s.hi, c.delta, c.lo AS delta_lo, c.hi AS delta_hi, c.p_adjusted
FROM summary AS s
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
LEFT JOIN main_comparisons AS c USING (dataset, run_id, protocol, block, variant, measure)
WHERE s.block = 'main' AND s.measure = 'nDCG@10'
ORDER BY s.dataset, s.mean DESC;
