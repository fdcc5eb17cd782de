-- Does a difference hold over conversations, and not only over questions? One line per comparison of the main family.
SELECT dataset, protocol, block, variant, measure, max(n_groups) AS n_groups, max(delta) AS delta,
       max(lo) FILTER (WHERE method = 'question-bootstrap') AS lo_questions,
       max(lo) FILTER (WHERE method = 'wild-cluster') AS lo_conversations,
       max(p) FILTER (WHERE method = 'cluster-sign-flip') AS p_sign_flips,
       max(p_floor) FILTER (WHERE method = 'cluster-sign-flip') AS its_floor
FROM cluster_comparisons
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
GROUP BY dataset, protocol, block, family, variant, measure
ORDER BY ALL;
