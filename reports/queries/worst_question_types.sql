-- On which types of question does each variant of the latest runs find least?
SELECT dataset, variant, question_type, count(*) AS n, avg(value) AS mean_ndcg
FROM scores
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
WHERE measure = 'nDCG@10' AND isfinite(value)
GROUP BY dataset, variant, question_type
QUALIFY row_number() OVER (PARTITION BY dataset, variant ORDER BY avg(value), question_type) <= 3
ORDER BY dataset, variant, mean_ndcg;
