-- Where does the time of a run go, and what came from the cache?
SELECT dataset, run_id, stage, step, count(*) AS n_artifacts,
       count(*) FILTER (WHERE state = 'cached') AS n_cached, round(sum(wall_s), 1) AS wall_s
FROM timings
GROUP BY ALL
ORDER BY dataset, run_id, wall_s DESC, stage, step;
