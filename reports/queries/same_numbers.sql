-- Do the printed means follow from the single questions? Any row is a contradiction.
SELECT dataset, run_id, protocol, block, variant, measure, s.mean AS printed, m.mean AS recomputed
FROM summary AS s
JOIN means AS m USING (dataset, run_id, protocol, block, variant, measure)
WHERE s.n > 0 AND (m.mean IS NULL OR abs(s.mean - m.mean) > 1e-9);
