-- How much harder are questions whose answer is spread over several sessions?
SELECT dataset, protocol, variant, "group" AS gold_sessions, n, round(mean, 4) AS mean
FROM group_summary
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
WHERE "by" = 'n_gold_sessions' AND block = 'main'
ORDER BY ALL;
