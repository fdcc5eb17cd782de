-- Which settings of suppression were best in the last sweep, and on how many streams does the sign of their difference flip?
-- A largest value of many cells on the same questions is optimistic: n_cells says of how many.
SELECT dataset, protocol, measure, variant, count(*) OVER (PARTITION BY dataset, run_id, protocol, measure) AS n_cells,
       n_streams, mean, sd, delta, delta_min, delta_max, share_opposite
FROM sweep_metrics
SEMI JOIN (FROM runs WHERE kind = 'sweep' QUALIFY row_number() OVER (PARTITION BY dataset ORDER BY finished_at DESC, run_id DESC) = 1)
  USING (dataset, run_id)
QUALIFY row_number() OVER (PARTITION BY dataset, protocol, measure ORDER BY delta DESC, variant) <= 10
ORDER BY dataset, protocol, measure, delta DESC, variant;
