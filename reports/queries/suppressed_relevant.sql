-- Does suppression touch relevant documents: how many in the top list carry some, and how much?
SELECT dataset, variant, gain > 0 AS is_relevant, count(*) AS n_ranked,
       count(*) FILTER (WHERE suppression > 0.01) AS n_suppressed, max(suppression) AS largest
FROM rankings
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
WHERE variant LIKE 'rif(%'
GROUP BY ALL
ORDER BY ALL;
