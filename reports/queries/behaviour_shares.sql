-- What is the first result in the latest runs: the right turn, its session's sibling, or something else?
SELECT dataset, variant, measure, mean AS share, n
FROM means
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
WHERE block = 'main' AND measure IN ('exact_episode', 'sibling_confusion', 'wrong_family', 'stale_fact') AND n > 0
ORDER BY dataset, variant, measure;
