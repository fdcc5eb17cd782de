-- How did each variant's nDCG@10 move over the runs? Runs with different dataset fingerprints are not comparable.
SELECT r.dataset, r.finished_at, r.run_id, left(r.dataset_fingerprint, 8) AS fingerprint, m.variant, m.mean, m.n
FROM runs AS r
JOIN means AS m USING (dataset, run_id, protocol)
WHERE m.block = 'main' AND m.measure = 'nDCG@10'
ORDER BY r.dataset, m.variant, r.finished_at, r.run_id;
