-- How far would another stream of queries move each variant's nDCG@10, and how often would its difference turn round?
SELECT s.dataset, s.variant, s.baseline, count(*) AS n_streams, avg(s.delta) AS delta, stddev_samp(s.delta) AS sd,
       min(s.delta) AS least, max(s.delta) AS largest, any_value(c.delta) AS delta_here,
       avg((sign(s.delta) = -sign(c.delta) AND c.delta <> 0)::INT) AS share_opposite
FROM stream_metrics AS s
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
JOIN main_comparisons AS c USING (dataset, run_id, protocol, variant, baseline, measure)
WHERE c.block = 'main' AND measure = 'nDCG@10'
GROUP BY s.dataset, s.variant, s.baseline
ORDER BY s.dataset, s.variant;
