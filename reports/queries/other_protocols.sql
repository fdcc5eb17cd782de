-- What does the choice of a protocol do: every variant's nDCG@10 under each protocol of the latest runs?
SELECT s.dataset, s.protocol, s.variant, s.n, s.mean, s.mean - m.mean AS against_main_protocol
FROM summary AS s
JOIN latest_runs AS r USING (dataset, run_id)
LEFT JOIN summary AS m
  ON m.dataset = s.dataset AND m.run_id = s.run_id AND m.protocol = r.protocol AND m.block = s.block
 AND m.variant = s.variant AND m.measure = s.measure
WHERE s.block = 'main' AND s.measure = 'nDCG@10' AND s.n > 0
ORDER BY s.dataset, s.variant, s.protocol;
