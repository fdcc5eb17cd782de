-- Which questions gained or lost most against the baseline in the latest runs?
SELECT d.dataset, d.query_id, d.question_type, d.variant, d.baseline_value, d.value, d.delta
FROM paired_differences('nDCG@10', 'hybrid-rerank') AS d
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
WHERE d.delta <> 0
ORDER BY abs(d.delta) DESC, d.dataset, d.query_id, d.variant
LIMIT 20;
