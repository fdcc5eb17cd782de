-- Which weight of BM25 did each fold choose, and what would the best weight in hindsight have given?
WITH best AS (
    SELECT dataset, run_id, protocol, variant, max(value) AS in_hindsight, arg_max(alpha, value) AS best_alpha
    FROM alpha_curve
    WHERE measure = 'Success@1'
    GROUP BY ALL
)
SELECT dataset, protocol, variant, count(*) AS n_folds, min(alpha) AS least, max(alpha) AS most, best_alpha, in_hindsight
FROM alpha_choices
JOIN best USING (dataset, run_id, protocol, variant)
SEMI JOIN latest_runs USING (dataset, run_id, protocol)
GROUP BY ALL
ORDER BY in_hindsight DESC;
