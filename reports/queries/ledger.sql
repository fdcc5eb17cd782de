-- Which faults did the data have, what was done about them, and how many questions did they touch?
SELECT dataset, kind, policy, count(*) AS n_records, sum(n_queries) AS n_queries, min(record_id) AS example
FROM defects
SEMI JOIN latest_runs USING (dataset, run_id)
GROUP BY ALL
ORDER BY ALL;
