-- Which models, by digest, made the numbers of which runs?
SELECT dataset, run_id, profile, model.role, model.name, model.digest
FROM (SELECT dataset, run_id, profile, unnest(models) AS model FROM runs)
ORDER BY ALL;
